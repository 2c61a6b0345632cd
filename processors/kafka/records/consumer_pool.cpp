#include "processors/kafka/records/consumer_pool.h"

#include <chrono>
#include <vector>

namespace weir::processors::kafka {
namespace {

// Well below any max.poll.interval.ms, and often enough that others get partitions soon.
constexpr std::chrono::milliseconds kRound{500};

}  // namespace

ConsumerPool::ConsumerPool(ConsumerOptions options, int most, Clock& clock, ComponentLog& log)
    : options_(std::move(options)),
      most_(most),
      clock_(clock),
      log_(log),
      keeper_([this](const std::stop_token& stop) { keep_alive(stop); }) {}

ConsumerPool::~ConsumerPool() {
  keeper_.request_stop();
  keeper_.join();
  // All at once: one that waits for the group's rebalance may wait for the others of this pool.
  std::vector<std::jthread> ends;
  for (Idle& idle : idle_) {
    ends.emplace_back([consumer = std::move(idle.consumer)]() mutable { consumer.reset(); });
  }
}

ConsumerPool::Lease ConsumerPool::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !idle_.empty() || count_ < most_; });
  if (idle_.empty()) {
    auto made = std::make_unique<Consumer>(options_, clock_, log_);
    ++count_;
    return Lease(*this, std::move(made));
  }
  auto consumer = std::move(idle_.front().consumer);
  idle_.pop_front();
  return Lease(*this, std::move(consumer));
}

void ConsumerPool::give_back(std::unique_ptr<Consumer> consumer) {
  if (consumer->broken()) consumer.reset();
  const std::lock_guard lock(mutex_);
  if (consumer) {
    idle_.push_back({std::move(consumer), round_});
  } else {
    --count_;
  }
  changed_.notify_all();
}

// One that nobody has used for a whole round.
std::unique_ptr<Consumer> ConsumerPool::take_neglected() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty() || idle_.front().since_round + 1 >= round_) return nullptr;
  auto consumer = std::move(idle_.front().consumer);
  idle_.pop_front();
  return consumer;
}

void ConsumerPool::keep_alive(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, kRound, [] { return false; });
      if (stop.stop_requested()) return;
      ++round_;
    }
    std::list<std::unique_ptr<Consumer>> done;  // each once a round
    while (auto consumer = take_neglected()) {
      try {
        consumer->keep_alive();
      } catch (const std::exception& error) {
        log_.warn("A consumer that waits for its next use: {}", error.what());
      }
      done.push_back(std::move(consumer));
    }
    const std::lock_guard lock(mutex_);
    for (auto& consumer : done) idle_.push_front({std::move(consumer), 0});
    changed_.notify_all();
  }
}

}  // namespace weir::processors::kafka
