#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "processors/kafka/records/producer.h"

namespace weir::processors::kafka {

// The producers of one processor: one a concurrent task, made when first needed, each with one user
// at a time. With transactions each has an id of its own that stays the same. Thread safe.
class ProducerPool {
 public:
  // `options.transactional_id` is what the ids begin with; empty without transactions. The log is
  // referred to while the pool lives.
  ProducerPool(ProducerOptions options, int count, ComponentLog& log);
  ProducerPool(const ProducerPool&) = delete;
  ProducerPool& operator=(const ProducerPool&) = delete;

  class Lease {
   public:
    Lease(ProducerPool& pool, std::size_t index) : pool_(&pool), index_(index) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), index_(other.index_) {}
    ~Lease() {
      if (pool_) pool_->give_back(index_);
    }
    Producer& operator*() const { return *pool_->places_[index_].producer; }
    Producer* operator->() const { return &**this; }
    std::size_t index() const { return index_; }

   private:
    ProducerPool* pool_;
    std::size_t index_;
  };
  // Throws where one is to be made and cannot.
  Lease take();
  // Makes all: transactions that an earlier run of the processor left open have ended then.
  void make_all();
  // Producers that are made from now on send each record in a batch of its own.
  void send_one_by_one() { one_by_one_ = true; }

 private:
  struct Place {
    std::unique_ptr<Producer> producer;
    bool taken = false;
  };

  std::size_t acquire();
  void make(std::size_t index);
  void give_back(std::size_t index);

  const ProducerOptions options_;
  ComponentLog& log_;
  std::atomic<bool> one_by_one_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;  // the producer of a taken place is its holder's
};

}  // namespace weir::processors::kafka
