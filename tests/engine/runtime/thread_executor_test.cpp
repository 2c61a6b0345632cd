#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/runtime/executor.h"
#include "engine/runtime/gated_executor.h"

namespace weir::runtime::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Tasks wait at it until it is opened.
class Barrier {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

TEST(ThreadExecutor, RunsEverythingPosted) {
  const auto executor = make_thread_executor(2, 4);
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i) {
    executor->post([&] {
      ++ran;
      executor->post([&] { ++ran; });
    });
    executor->post_blocking([&] { ++ran; });
  }
  EXPECT_TRUE(executor->wait_until([&] { return ran == 3000; }, seconds(20)));
}

TEST(ThreadExecutor, TasksThatNeverReturnDoNotHoldOthersUp) {
  Barrier barrier;
  {
    const auto executor = make_thread_executor(2, 8);
    std::atomic<int> ran{0};
    for (int i = 0; i < 4; ++i) executor->post([&] { barrier.wait(); });
    for (int i = 0; i < 10; ++i) executor->post([&] { ++ran; });
    EXPECT_TRUE(executor->wait_until([&] { return ran == 10; }, seconds(20)));
    barrier.open();
  }
}

TEST(ThreadExecutor, BlockingTasksLeaveTheThreadsFree) {
  Barrier barrier;
  {
    const auto executor = make_thread_executor(1, 1);
    std::atomic<int> ran{0};
    for (int i = 0; i < 5; ++i) executor->post_blocking([&] { barrier.wait(); });
    executor->post([&] { ++ran; });
    executor->post_blocking([&] { ++ran; });
    EXPECT_TRUE(executor->wait_until([&] { return ran == 2; }, seconds(20)));
    barrier.open();
  }
}

TEST(ThreadExecutor, TimersRunOnceOrNotAtAll) {
  const auto executor = make_thread_executor(2, 2);
  std::atomic<int> ran{0};
  const auto kept = executor->post_after(milliseconds(1), [&] { ++ran; });
  auto dropped = executor->post_after(seconds(3600), [&] { ran += 100; });
  const auto cancelled = executor->post_after(seconds(3600), [&] { ran += 100; });
  dropped.reset();
  cancelled->cancel();
  EXPECT_TRUE(executor->wait_until([&] { return ran == 1; }, seconds(20)));
  // Made and dropped while they fire.
  for (int i = 0; i < 500; ++i) executor->post_after(std::chrono::nanoseconds(i), [&] { ++ran; });
}

TEST(ThreadExecutor, WaitGivesUpAtItsDeadline) {
  const auto executor = make_thread_executor(1, 1);
  EXPECT_FALSE(executor->wait_until([] { return false; }, milliseconds(5)));
}

TEST(GatedExecutor, NothingBeginsAfterTheClose) {
  const auto threads = make_thread_executor(2, 2);
  Barrier barrier;
  std::atomic<int> begun{0};
  GatedExecutor gated(*threads);
  for (int i = 0; i < 100; ++i) {
    gated.post([&] {
      ++begun;
      barrier.wait();
    });
  }
  EXPECT_TRUE(threads->wait_until([&] { return begun == 2; }, seconds(20)));
  EXPECT_FALSE(gated.close(milliseconds(1))) << "two are inside";
  barrier.open();
  EXPECT_TRUE(gated.close(seconds(20)));
  gated.post([&] { begun += 1000; });
  std::atomic<bool> later{false};
  threads->post([&] { later = true; });
  EXPECT_TRUE(threads->wait_until([&] { return later.load(); }, seconds(20)));
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace weir::runtime::testing
