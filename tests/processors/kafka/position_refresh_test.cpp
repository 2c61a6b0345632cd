#include <gtest/gtest.h>

#include <atomic>

#include "processors/kafka/mirror/mirror.h"
#include "tests/processors/kafka/mock_clusters.h"

namespace weir::processors::kafka {
namespace {

using namespace test;
using namespace std::chrono_literals;

// Goes as the system's one does, and leaps where told.
class LeapingClock : public Clock {
 public:
  std::int64_t now_ms() const override { return system_clock().now_ms() + leapt_ns_ / 1'000'000; }
  std::int64_t steady_ns() const override { return system_clock().steady_ns() + leapt_ns_; }
  void leap(std::chrono::nanoseconds by) { leapt_ns_ += by.count(); }

 private:
  std::atomic<std::int64_t> leapt_ns_{0};
};

// R104: a position that did not change was not committed again, and the broker forgot it.
TEST(PositionRefresh, PositionsOfIdleTopicsAreWrittenAgain) {
  MockCluster source, target;
  RecordingListener listener;
  SilentLog log;
  LeapingClock clock;
  source.create("orders", 1);
  target.create("orders", 1);
  source.write(numbered("orders", 1, 0, 100));
  Mirror mirror(settings_of(source, target, {"orders"}), listener, clock, log);
  ASSERT_TRUE(eventually([&] { return source.committed("mirror", "orders", 0) == 100; }))
      << listener.all_notes();
  // The next commit fails, and so shows that it was made.
  constexpr std::int16_t kOffsetCommit = 8;
  rd_kafka_mock_push_request_errors(source.get(), kOffsetCommit, 1,
                                    RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
  EXPECT_FALSE(eventually([&] { return listener.notes(MirrorNote::commit_failed) > 0; }, 300ms));
  clock.leap(31s);
  EXPECT_TRUE(eventually([&] { return listener.notes(MirrorNote::commit_failed) > 0; }))
      << "nothing was committed again";
  mirror.stop();
  EXPECT_EQ(source.committed("mirror", "orders", 0), 100);
  EXPECT_EQ(target.end("orders", 0), 100);
}

}  // namespace
}  // namespace weir::processors::kafka
