#include "engine/runtime/flow_file_queue.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::runtime {

using flowfile::FlowFilePtr;

namespace {

// A swap that failed (disk full) is not tried again with every commit.
constexpr std::int64_t kSwapRetryMs = 1000;
// A poll gives at most this many expired FlowFiles, so that dropping them never makes a commit
// without bound.
constexpr std::size_t kMostExpired = 10000;

}  // namespace

FlowFileQueue::FlowFileQueue(Config config, flowfile::FlowFileRepository& repository, Clock& clock,
                             std::function<void(const std::string&)> trouble)
    : config_(std::move(config)),
      prioritizers_(config_.prioritizers),
      repository_(repository),
      clock_(clock),
      trouble_(std::move(trouble)) {}

void FlowFileQueue::connect(Wakeable* producer, Wakeable* consumer) {
  producer_ = producer;
  consumer_ = consumer;
}

void FlowFileQueue::recover(flowfile::RecoveredQueue recovered) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now_ms = clock_.now_ms();
  std::uint64_t count = recovered.flow_files.size();
  std::uint64_t bytes = 0;
  const std::size_t before_swap =
      recovered.swap_files.empty()
          ? recovered.flow_files.size()
          : static_cast<std::size_t>(std::distance(
                recovered.flow_files.begin(),
                std::partition_point(
                    recovered.flow_files.begin(), recovered.flow_files.end(),
                    [first = recovered.swap_files.front()->first_order](
                        const FlowFilePtr& flow_file) { return flow_file->arrival() < first; })));
  // Before swap files they must stay in front, however many: negative arrivals never go to the
  // swap buffer, which stands behind the files.
  if (!recovered.swap_files.empty()) {
    next_arrival_ = -static_cast<std::int64_t>(before_swap);
    next_front_ = next_arrival_ - 1;
  }
  for (std::size_t i = 0; i < before_swap; ++i) {
    bytes += recovered.flow_files[i]->size();
    insert(std::move(recovered.flow_files[i]), next_arrival_++, now_ms);
  }
  for (flowfile::SwapFilePtr& file : recovered.swap_files) {
    count += file->count;
    bytes += file->bytes;
    swapped_count_ += file->count;
    swap_files_.push_back(std::move(file));
  }
  for (std::size_t i = before_swap; i < recovered.flow_files.size(); ++i) {
    bytes += recovered.flow_files[i]->size();
    insert(std::move(recovered.flow_files[i]), next_arrival_++, now_ms);
  }
  count_.store(count);
  bytes_.store(bytes);
}

// True where `a` is to come out after `b`.
bool FlowFileQueue::later(const Item& a, const Item& b) const {
  const int order = prioritizers_.compare(*a.flow_file, *b.flow_file);
  return order != 0 ? order > 0 : a.arrival > b.arrival;
}

void FlowFileQueue::add_active(Item item) {
  if (prioritizers_.empty()) {
    // Almost always the newest or, after a rollback, the oldest.
    if (active_.empty() || active_.back().arrival < item.arrival) {
      active_.push_back(std::move(item));
    } else if (item.arrival < active_.front().arrival) {
      active_.push_front(std::move(item));
    } else {
      const auto place = std::upper_bound(
          active_.begin(), active_.end(), item.arrival,
          [](std::int64_t arrival, const Item& other) { return arrival < other.arrival; });
      active_.insert(place, std::move(item));
    }
    return;
  }
  active_.push_back(std::move(item));
  std::push_heap(active_.begin(), active_.end(),
                 [this](const Item& a, const Item& b) { return later(a, b); });
}

FlowFileQueue::Item FlowFileQueue::take_active() {
  if (prioritizers_.empty()) {
    Item item = std::move(active_.front());
    active_.pop_front();
    return item;
  }
  std::pop_heap(active_.begin(), active_.end(),
                [this](const Item& a, const Item& b) { return later(a, b); });
  Item item = std::move(active_.back());
  active_.pop_back();
  return item;
}

namespace {

struct EndsLater {
  template <typename Item>
  bool operator()(const Item& a, const Item& b) const {
    return a.flow_file->penalty_until_ms > b.flow_file->penalty_until_ms;
  }
};

}  // namespace

void FlowFileQueue::release_penalized(std::int64_t now_ms) {
  while (!penalized_.empty() && penalized_.front().flow_file->penalty_until_ms <= now_ms) {
    std::pop_heap(penalized_.begin(), penalized_.end(), EndsLater());
    add_active(std::move(penalized_.back()));
    penalized_.pop_back();
  }
}

void FlowFileQueue::insert(FlowFilePtr flow_file, std::int64_t arrival, std::int64_t now_ms) {
  if (flow_file->penalty_until_ms > now_ms) {
    penalized_.push_back({std::move(flow_file), arrival});
    std::push_heap(penalized_.begin(), penalized_.end(), EndsLater());
  } else if (arrival >= 0 && (!swap_files_.empty() || !swap_buffer_.empty() || swapping_ ||
                              active_.size() >= config_.swap_threshold)) {
    swap_buffer_.push_back({std::move(flow_file), arrival});
  } else {
    add_active({std::move(flow_file), arrival});
  }
}

void FlowFileQueue::put(std::vector<FlowFilePtr> flow_files) {
  if (flow_files.empty()) return;
  std::uint64_t bytes = 0;
  for (const FlowFilePtr& flow_file : flow_files) bytes += flow_file->size();
  bool excess = false;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t now_ms = clock_.now_ms();
    count_.fetch_add(flow_files.size(), std::memory_order_acq_rel);
    bytes_.fetch_add(bytes, std::memory_order_acq_rel);
    put_total_.fetch_add(flow_files.size(), std::memory_order_relaxed);
    for (FlowFilePtr& flow_file : flow_files) {
      insert(std::move(flow_file), next_arrival_++, now_ms);
    }
    excess = swap_buffer_.size() >= config_.swap_file_flow_files && !swapping_ &&
             now_ms >= swap_retry_after_ms_;
  }
  if (excess) swap_out_excess();
  if (consumer_ != nullptr) consumer_->wake();
}

// Moves full swap files' worth from the swap buffer to disk. With prioritizers the FlowFiles that
// are to come out last go there, whichever part of memory they are in.
void FlowFileQueue::swap_out_excess() {
  std::unique_lock lock(mutex_);
  while (!swapping_ && swap_buffer_.size() >= config_.swap_file_flow_files) {
    swapping_ = true;
    if (!prioritizers_.empty()) {
      std::move(active_.begin(), active_.end(), std::back_inserter(swap_buffer_));
      active_.clear();
      std::sort(swap_buffer_.begin(), swap_buffer_.end(),
                [this](const Item& a, const Item& b) { return later(b, a); });
      for (std::size_t i = 0;
           i < config_.swap_threshold && swap_buffer_.size() > config_.swap_file_flow_files; ++i) {
        add_active(std::move(swap_buffer_.front()));
        swap_buffer_.pop_front();
      }
    }
    std::vector<Item> items(
        std::make_move_iterator(swap_buffer_.begin()),
        std::make_move_iterator(swap_buffer_.begin() + config_.swap_file_flow_files));
    swap_buffer_.erase(swap_buffer_.begin(), swap_buffer_.begin() + config_.swap_file_flow_files);
    std::vector<FlowFilePtr> flow_files;
    flow_files.reserve(items.size());
    for (const Item& item : items) flow_files.push_back(item.flow_file);

    lock.unlock();
    flowfile::SwapFilePtr file;
    std::string failure;
    try {
      file = repository_.swap_out(config_.id, flow_files);
    } catch (const storage::StorageError& error) {
      failure = error.what();
    }
    lock.lock();
    swapping_ = false;
    if (file) {
      swapped_count_ += file->count;
      swap_files_.push_back(std::move(file));
      continue;
    }
    swap_buffer_.insert(swap_buffer_.begin(), std::make_move_iterator(items.begin()),
                        std::make_move_iterator(items.end()));
    swap_retry_after_ms_ = clock_.now_ms() + kSwapRetryMs;
    lock.unlock();
    trouble_(fmt::format("Queue {}: FlowFiles stay in memory, the swap file cannot be written: {}",
                         config_.name, failure));
    return;
  }
}

// Brings the oldest swap file in, or the buffer where there is none.
void FlowFileQueue::refill(std::unique_lock<std::mutex>& lock) {
  while (active_.empty() && !swapping_) {
    if (!swap_files_.empty()) {
      swap_in(lock);
      continue;
    }
    if (swap_buffer_.empty()) return;
    for (std::uint64_t n = 0; n < config_.swap_threshold && !swap_buffer_.empty(); ++n) {
      add_active(std::move(swap_buffer_.front()));
      swap_buffer_.pop_front();
    }
  }
}

void FlowFileQueue::swap_in(std::unique_lock<std::mutex>& lock) {
  const flowfile::SwapFilePtr file = swap_files_.front();
  swapping_ = true;
  lock.unlock();
  std::vector<FlowFilePtr> flow_files;
  std::string failure;
  bool gone = false;
  try {
    flow_files = repository_.swap_in(file);
    gone = true;
  } catch (const storage::DamagedError& error) {
    failure = error.what();
    gone = true;  // set aside and reported; the rest of the queue goes on
  } catch (const storage::StorageError& error) {
    failure = error.what();
  }
  lock.lock();
  swapping_ = false;
  if (gone) {
    swap_files_.pop_front();
    swapped_count_ -= file->count;
    std::uint64_t bytes = 0;
    std::int64_t arrival = next_front_ - static_cast<std::int64_t>(flow_files.size());
    next_front_ = arrival;
    const std::int64_t now_ms = clock_.now_ms();
    for (FlowFilePtr& flow_file : flow_files) {
      bytes += flow_file->size();
      insert(std::move(flow_file), ++arrival, now_ms);
    }
    count_.fetch_sub(file->count - flow_files.size(), std::memory_order_acq_rel);
    bytes_.fetch_sub(file->bytes - bytes, std::memory_order_acq_rel);
  }
  if (!failure.empty()) {
    lock.unlock();
    if (gone && producer_ != nullptr) producer_->wake();  // what was lost made room
    trouble_(fmt::format("Queue {}: swap file {} with {} FlowFiles: {}", config_.name, file->name,
                         file->count, failure));
    if (!gone) throw storage::StorageError(failure);
    lock.lock();
  }
}

void FlowFileQueue::poll(std::size_t most, Polled& out) {
  std::unique_lock lock(mutex_);
  const std::int64_t now_ms =
      penalized_.empty() && config_.expiration_ms == 0 ? 0 : clock_.now_ms();
  release_penalized(now_ms);
  while (out.flow_files.size() < most && out.expired.size() < kMostExpired) {
    if (active_.empty()) {
      // A swap file that cannot be read now must not take what was polled already with it.
      const bool something = !out.flow_files.empty() || !out.expired.empty();
      if (something && !swap_files_.empty()) break;
      refill(lock);
    }
    if (active_.empty()) break;
    Item item = take_active();
    auto& target = expired(*item.flow_file, now_ms) ? out.expired : out.flow_files;
    target.push_back(std::move(item.flow_file));
  }
}

void FlowFileQueue::poll(
    const std::function<FilterDecision(const flowfile::FlowFileRecord&)>& filter, Polled& out) {
  std::unique_lock lock(mutex_);
  const std::int64_t now_ms = clock_.now_ms();
  release_penalized(now_ms);
  if (active_.empty()) refill(lock);
  std::vector<Item> accepted;
  std::vector<Item> expired_items;
  std::vector<Item> rejected;
  const auto give_back = [this](std::vector<Item>& items) {
    for (auto item = items.rbegin(); item != items.rend(); ++item) add_active(std::move(*item));
  };
  bool stop = false;
  while (!stop && !active_.empty() && expired_items.size() < kMostExpired) {
    Item item = take_active();
    if (expired(*item.flow_file, now_ms)) {
      expired_items.push_back(std::move(item));
      continue;
    }
    FilterDecision decision = FilterDecision::reject;
    try {
      decision = filter(*item.flow_file);
    } catch (...) {
      add_active(std::move(item));
      give_back(rejected);
      give_back(accepted);
      give_back(expired_items);
      throw;
    }
    stop =
        decision == FilterDecision::accept_and_stop || decision == FilterDecision::reject_and_stop;
    const bool taken =
        decision == FilterDecision::accept || decision == FilterDecision::accept_and_stop;
    (taken ? accepted : rejected).push_back(std::move(item));
  }
  give_back(rejected);
  for (Item& item : accepted) out.flow_files.push_back(std::move(item.flow_file));
  for (Item& item : expired_items) out.expired.push_back(std::move(item.flow_file));
}

void FlowFileQueue::acknowledge(std::uint64_t count, std::uint64_t bytes) {
  const std::uint64_t count_before = count_.fetch_sub(count, std::memory_order_acq_rel);
  const std::uint64_t bytes_before = bytes_.fetch_sub(bytes, std::memory_order_acq_rel);
  gone_total_.fetch_add(count, std::memory_order_relaxed);
  if (producer_ != nullptr && full(count_before, bytes_before) &&
      !full(count_before - count, bytes_before - bytes)) {
    producer_->wake();
  }
  if (count_before != count) return;
  for (Wakeable* watcher : when_empty_) watcher->wake();
}

void FlowFileQueue::put_back(std::vector<FlowFilePtr> flow_files) {
  if (flow_files.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t now_ms = clock_.now_ms();
    std::int64_t arrival = next_front_ - static_cast<std::int64_t>(flow_files.size());
    next_front_ = arrival;
    for (FlowFilePtr& flow_file : flow_files) insert(std::move(flow_file), ++arrival, now_ms);
  }
  if (consumer_ != nullptr) consumer_->wake();
}

std::uint64_t FlowFileQueue::available() {
  const std::lock_guard lock(mutex_);
  if (!penalized_.empty()) release_penalized(clock_.now_ms());
  // While one thread moves a swap file nobody else can get at what is behind it; it wakes the
  // consumer when it is done.
  if (swapping_ && active_.empty()) return 0;
  return active_.size() + swap_buffer_.size() + swapped_count_;
}

std::optional<std::int64_t> FlowFileQueue::next_penalty_end_ms() {
  const std::lock_guard lock(mutex_);
  if (penalized_.empty()) return std::nullopt;
  return penalized_.front().flow_file->penalty_until_ms;
}

}  // namespace weir::runtime
