#include "processors/kafka/mirror/patience.h"

#include <gmock/gmock.h>

#include <optional>
#include <vector>

#include "tests/processors/bench/manual_clock.h"

namespace weir::processors::kafka {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::ElementsAre;

// Requests to a cluster that answers with `answer` after their time.
class PatienceTest : public ::testing::Test {
 protected:
  rd_kafka_resp_err_t ask() {
    const std::int64_t began_ns = clock_.steady_ns();
    const rd_kafka_resp_err_t code = patience_.ask([this](int timeout_ms) {
      pieces_.push_back(timeout_ms);
      clock_.advance(milliseconds(timeout_ms));
      if (ends_in_ && pieces_.size() == *ends_in_) patience_.end();
      if (answered_in_ && pieces_.size() == *answered_in_) return RD_KAFKA_RESP_ERR_NO_ERROR;
      return answer_;
    });
    took_ms_ = (clock_.steady_ns() - began_ns) / 1'000'000;
    return code;
  }

  MirrorSettings settings_{.drain_timeout = 3s, .api_timeout = 30s};
  bench::ManualClock clock_;
  Patience patience_{settings_, clock_};
  rd_kafka_resp_err_t answer_ = RD_KAFKA_RESP_ERR__TIMED_OUT;
  std::optional<std::size_t> answered_in_, ends_in_;
  std::vector<int> pieces_;
  std::int64_t took_ms_ = 0;
};

TEST_F(PatienceTest, GivesSlowAnswersMoreAndMoreTimeButNoMoreThanTheSettings) {
  EXPECT_EQ(ask(), RD_KAFKA_RESP_ERR__TIMED_OUT);
  EXPECT_THAT(pieces_, ElementsAre(500, 1'000, 2'000, 4'000, 8'000, 8'000, 6'500));
  EXPECT_EQ(took_ms_, 30'000);
}

TEST_F(PatienceTest, LooksForABrokerAgainAndAgain) {
  settings_.api_timeout = 2s;
  answer_ = RD_KAFKA_RESP_ERR__TRANSPORT;
  EXPECT_EQ(ask(), RD_KAFKA_RESP_ERR__TRANSPORT);
  EXPECT_THAT(pieces_, ElementsAre(500, 500, 500, 500));
}

TEST_F(PatienceTest, EndsWithTheFirstAnswer) {
  answered_in_ = 3;
  EXPECT_EQ(ask(), RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_EQ(pieces_.size(), 3u);
  pieces_.clear();
  answered_in_ = std::nullopt;
  answer_ = RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
  EXPECT_EQ(ask(), answer_);
  EXPECT_EQ(pieces_.size(), 1u);
}

TEST_F(PatienceTest, AskedWithLessTimeThanAPieceItTakesThat) {
  settings_.api_timeout = 100ms;
  EXPECT_EQ(ask(), RD_KAFKA_RESP_ERR__TIMED_OUT);
  EXPECT_THAT(pieces_, ElementsAre(100));
}

TEST_F(PatienceTest, AStopWaitsForTheRestOfAPiece) {
  ends_in_ = 4;
  EXPECT_EQ(ask(), RD_KAFKA_RESP_ERR__TIMED_OUT);
  EXPECT_THAT(pieces_, ElementsAre(500, 1'000, 2'000, 4'000));
}

TEST_F(PatienceTest, ARequestOfAStopHasFiveSeconds) {
  patience_.end();
  EXPECT_EQ(ask(), RD_KAFKA_RESP_ERR__TIMED_OUT);
  EXPECT_EQ(took_ms_, 5'000);
}

TEST_F(PatienceTest, WaitsAsLongAsItIsToldTo) {
  std::vector<milliseconds> pieces;
  const auto piece = [&](milliseconds most) {
    pieces.push_back(most);
    clock_.advance(most);
    return false;
  };
  EXPECT_FALSE(patience_.wait(1'200ms, piece));
  EXPECT_THAT(pieces, ElementsAre(500ms, 500ms, 200ms, 0ms));
  EXPECT_TRUE(patience_.wait(0ms, [](milliseconds) { return true; }));
}

TEST_F(PatienceTest, AfterAStopAllWaitsTogetherHaveTheTimeForAcknowledgements) {
  milliseconds waited = 0ms;
  const auto piece = [&](milliseconds most) {
    waited += most;
    clock_.advance(most);
    if (waited == 2s) patience_.end();
    return false;
  };
  EXPECT_FALSE(patience_.wait(60s, piece));
  EXPECT_EQ(waited, 5s);
  EXPECT_FALSE(patience_.wait(60s, piece));
  EXPECT_EQ(waited, 5s);
}

TEST_F(PatienceTest, OnlyTheFirstStopCounts) {
  patience_.end();
  clock_.advance(3s);
  patience_.end();
  std::vector<milliseconds> pieces;
  EXPECT_FALSE(patience_.wait(60s, [&](milliseconds most) {
    pieces.push_back(most);
    return false;
  }));
  EXPECT_THAT(pieces, ElementsAre(0ms));
}

}  // namespace
}  // namespace weir::processors::kafka
