#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

namespace weir::flowfile {

// Lets one of several concurrent writers write for all of them. The first to come is the leader;
// those who come while it writes wait, and the first of them leads next with all that waits.
// A writer alone takes an uncontended mutex twice and nothing more.
class GroupCommit {
 public:
  struct Item {
    // Runs without others in its group: what it does must not be mixed with their writes.
    bool alone = false;

   private:
    friend class GroupCommit;
    bool done = false;
    bool leads = false;
    std::exception_ptr error;
    std::condition_variable wake;
  };

  // Calls `write(std::span<Item* const>)` in this thread or has another thread's call include
  // `item`; never two calls at a time. What `write` throws, every member of its group throws.
  template <typename Write>
  void submit(Item& item, Write&& write) {
    std::unique_lock lock(mutex_);
    if (busy_) {
      waiting_.push_back(&item);
      item.wake.wait(lock, [&item] { return item.done || item.leads; });
      if (item.done) {
        lock.unlock();
        if (item.error) std::rethrow_exception(item.error);
        return;
      }
      take_group(item);
    } else {
      busy_ = true;
      group_.assign(1, &item);
    }
    lock.unlock();
    try {
      write(std::span<Item* const>(group_));
    } catch (...) {
      item.error = std::current_exception();
    }
    lock.lock();
    release(item);
    lock.unlock();
    if (item.error) std::rethrow_exception(item.error);
  }

 private:
  void take_group(Item& leader) {
    group_.clear();
    std::size_t taken = 0;
    for (Item* waiting : waiting_) {
      if ((waiting->alone || leader.alone) && waiting != &leader) break;
      group_.push_back(waiting);
      ++taken;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  }

  // Wakes the leader's group and hands the lead on.
  void release(Item& leader) {
    for (Item* member : group_) {
      if (member == &leader) continue;
      member->error = leader.error;
      member->done = true;
      member->wake.notify_one();
    }
    if (waiting_.empty()) {
      busy_ = false;
    } else {
      waiting_.front()->leads = true;
      waiting_.front()->wake.notify_one();
    }
  }

  std::mutex mutex_;
  bool busy_ = false;           // somebody writes or is about to
  std::vector<Item*> waiting_;  // in order of arrival; the front leads next
  std::vector<Item*> group_;    // of the leader; only it touches this while busy
};

}  // namespace weir::flowfile
