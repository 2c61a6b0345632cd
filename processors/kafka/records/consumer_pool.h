#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "processors/kafka/records/consumer.h"

namespace weir::processors::kafka {

// The consumers of one processor: at most one a concurrent task, each with one user at a time.
// Those that have no user stay members of their group. Thread safe.
class ConsumerPool {
 public:
  // Both are referred to while the pool lives.
  ConsumerPool(ConsumerOptions options, int most, Clock& clock, ComponentLog& log);
  // All consumers leave the group. Nobody may hold one.
  ~ConsumerPool();
  ConsumerPool(const ConsumerPool&) = delete;
  ConsumerPool& operator=(const ConsumerPool&) = delete;

  // A consumer for the holder's use until it goes back; one that broke is given up then.
  class Lease {
   public:
    Lease(ConsumerPool& pool, std::unique_ptr<Consumer> consumer)
        : pool_(&pool), consumer_(std::move(consumer)) {}
    Lease(Lease&& other) noexcept = default;
    ~Lease() {
      if (consumer_) pool_->give_back(std::move(consumer_));
    }
    Consumer* operator->() const { return consumer_.get(); }

   private:
    ConsumerPool* pool_;
    std::unique_ptr<Consumer> consumer_;
  };
  // The one that waited longest, or a new one. Throws where none can be made.
  Lease take();

 private:
  struct Idle {
    std::unique_ptr<Consumer> consumer;
    std::uint64_t since_round = 0;
  };

  void give_back(std::unique_ptr<Consumer> consumer);
  void keep_alive(const std::stop_token& stop);
  std::unique_ptr<Consumer> take_neglected();

  const ConsumerOptions options_;
  const int most_;
  Clock& clock_;
  ComponentLog& log_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Idle> idle_;  // the one that waited longest first
  int count_ = 0;         // of all, idle or not
  std::uint64_t round_ = 0;

  std::jthread keeper_;
};

}  // namespace weir::processors::kafka
