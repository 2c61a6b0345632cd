#include "processors/kafka/records/consumer_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

namespace weir::processors::kafka {
namespace {

struct Silent : ComponentLog {
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

ConsumerOptions nowhere() {
  return {.settings = {{"bootstrap.servers", "127.0.0.1:1"}, {"group.id", "g"}, {"log_level", "0"}},
          .topics = {.names = {"t"}}};
}

// R098: a consumer was used by two tasks, and there were more consumers than tasks.
TEST(ConsumerPool, OneUserAConsumerAndNoMoreConsumersThanTasks) {
  Silent log;
  ConsumerPool pool(nowhere(), 2, system_clock(), log);
  std::mutex mutex;
  std::set<const Consumer*> all;
  std::set<const Consumer*> in_use;
  std::atomic<int> clashes{0};
  {
    std::vector<std::jthread> tasks;
    for (int i = 0; i < 8; ++i) {
      tasks.emplace_back([&] {
        for (int k = 0; k < 50; ++k) {
          const auto lease = pool.take();
          const Consumer* const mine = lease.operator->();
          {
            const std::lock_guard lock(mutex);
            all.insert(mine);
            if (!in_use.insert(mine).second) ++clashes;
          }
          std::this_thread::yield();
          const std::lock_guard lock(mutex);
          in_use.erase(mine);
        }
      });
    }
  }
  EXPECT_EQ(clashes, 0);
  EXPECT_LE(all.size(), 2u);
}

TEST(ConsumerPool, GivesTheOneThatWaitedLongest) {
  Silent log;
  ConsumerPool pool(nowhere(), 2, system_clock(), log);
  const Consumer* first = nullptr;
  const Consumer* second = nullptr;
  {
    const auto a = pool.take();
    const auto b = pool.take();
    first = b.operator->();  // destroyed, and so given back, first
    second = a.operator->();
  }
  EXPECT_EQ(pool.take().operator->(), first);
  EXPECT_EQ(pool.take().operator->(), second);
}

}  // namespace
}  // namespace weir::processors::kafka
