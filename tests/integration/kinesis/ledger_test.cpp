#include "tests/integration/kinesis/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// The judge of the other tests sees what is wrong.
namespace weir::kinesis_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LedgerTest : public ::testing::Test {
 protected:
  // A FlowFile with these records, the n-th of the shard's sequence numbers, at this time.
  void deliver(const std::string& sequence_number, std::int64_t time_ms, const std::string& lines) {
    const std::string uuid = "flow-file-" + std::to_string(deliveries_.size());
    if (!lines.empty()) folder_.write(uuid, lines);
    deliveries_.push_back({.event = deliveries_.size() + 1,
                           .time_ms = time_ms,
                           .uuid = uuid,
                           .shard = "shard",
                           .first = {sequence_number, 0},
                           .last = {sequence_number, 0},
                           .attributes = {}});
  }
  Ledger ledger() { return Ledger(deliveries_, sink_); }

  tools::testing::Folder folder_;
  Sink sink_{folder_.path()};
  std::vector<Delivery> deliveries_;
};

TEST_F(LedgerTest, FindsNothingWhereAllCameInOrder) {
  deliver("1", 10, "0/0\n0/1");
  deliver("3", 20, "0/1\n0/2 padding");
  EXPECT_THAT(ledger().check_complete({3}), IsEmpty());
  EXPECT_THAT(ledger().check_order(), IsEmpty());
  EXPECT_EQ(ledger().duplicates(), 1u);
  EXPECT_EQ(ledger().records(), 4u);
  EXPECT_TRUE(sink_.holds({3}));
  EXPECT_EQ(sink_.files(), 2u);
}

TEST_F(LedgerTest, NamesWhatIsLost) {
  deliver("1", 10, "0/0\n0/2");
  EXPECT_THAT(ledger().check_complete({3, 1}), ElementsAre("0/1 is lost", "1/0 is lost"));
  EXPECT_FALSE(sink_.holds({3, 1}));
  EXPECT_THAT(sink_.missing({3, 1}), ElementsAre(RecordName{0, 1}, RecordName{1, 0}));
}

TEST_F(LedgerTest, NamesFlowFilesThatNobodyWrote) {
  deliver("1", 10, "");
  EXPECT_THAT(ledger().check_complete({0}), ElementsAre(HasSubstr("was not written")));
}

TEST_F(LedgerTest, NamesFirstOccurrencesOutOfOrder) {
  deliver("1", 10, "0/0");
  deliver("3", 20, "0/2");
  deliver("2", 30, "0/1");
  EXPECT_THAT(ledger().check_order(),
              ElementsAre(HasSubstr("0/2 came where 0/1"), HasSubstr("0/1 came where 0/3")));
}

TEST_F(LedgerTest, NamesWhatCameAgainThoughItWasCheckpointed) {
  deliver("4", 10, "0/0");
  deliver("4", 20, "0/0");
  deliver("10", 30, "0/1");
  LeaseRow row{.owner = "", .counter = 0, .checkpoint = {"9", 0}};
  EXPECT_THAT(ledger().check_behind({{"shard", row}}, 20),
              ElementsAre(HasSubstr("4 of shard came again though 9")));
  EXPECT_THAT(ledger().check_behind({{"shard", row}}, 21), IsEmpty());
  row.checkpoint.sequence_number = "TRIM_HORIZON";
  EXPECT_THAT(ledger().check_behind({{"shard", row}}, 0), IsEmpty());
}

}  // namespace
}  // namespace weir::kinesis_testing
