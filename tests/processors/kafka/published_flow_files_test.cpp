#include "processors/kafka/records/published_flow_files.h"

#include <gtest/gtest.h>

namespace weir::processors::kafka {
namespace {

TEST(PublishedFlowFiles, KnowThoseOfTheLastTransactionAndNoOthers) {
  PublishedFlowFiles known("e");
  known.replace({17, 4, 9}, 100, 1);
  EXPECT_TRUE(known.contains(4));
  EXPECT_TRUE(known.contains(17));
  EXPECT_FALSE(known.contains(5));
  EXPECT_EQ(known.next(), 101);
  known.replace({20}, 101, 2);
  EXPECT_FALSE(known.contains(4));
  EXPECT_TRUE(known.contains(20));
}

TEST(PublishedFlowFiles, AreTheSameFromTheirMetadata) {
  PublishedFlowFiles known("engine-1");
  known.replace({5, 1'000'000'000'000, 7}, 41, 1);
  EXPECT_EQ(known.to_metadata(), "w1 engine-1 5 2 999999999993");
  const auto again = PublishedFlowFiles::from_metadata("engine-1", known.to_metadata(), 42);
  for (const std::uint64_t id : {5ull, 7ull, 1'000'000'000'000ull}) EXPECT_TRUE(again.contains(id));
  EXPECT_FALSE(again.contains(6));
  EXPECT_EQ(again.next(), 42);
}

// Ids are an engine's own: another one's FlowFile with the same id is another one.
TEST(PublishedFlowFiles, ClaimNothingOfAnotherEngine) {
  PublishedFlowFiles known("engine-1");
  known.replace({5}, 41, 1);
  EXPECT_FALSE(PublishedFlowFiles::from_metadata("engine-2", known.to_metadata(), 42).contains(5));
  EXPECT_FALSE(PublishedFlowFiles::from_metadata("engine", known.to_metadata(), 42).contains(5));
  for (const char* text :
       {"", "by hand", "w1", "w1 engine-1 x", "w1 engine-1 5 ", "w2 engine-1 5", "w1 engine-15"}) {
    const auto other = PublishedFlowFiles::from_metadata("engine-1", text, 7);
    EXPECT_FALSE(other.contains(5)) << text;
    EXPECT_EQ(other.next(), 7);
  }
}

TEST(PublishedFlowFiles, FitWhatABrokerTakes) {
  PublishedFlowFiles known("11111111-2222-3333-4444-555555555555");
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < PublishedFlowFiles::kMostFlowFiles; ++i) {
    ids.push_back((i + 1) * (UINT64_MAX / PublishedFlowFiles::kMostFlowFiles));
  }
  known.replace(ids, 1, 1);
  EXPECT_LE(known.to_metadata().size(), 4'096u);
}

// R103: a group's committed offset moved back.
TEST(PublishedFlowFiles, ARecordThatComesLateDoesNotMoveTheGroupBack) {
  PublishedFlowFiles known("e");
  known.replace({1}, 100, 1'000);
  known.replace({2}, 90, 900);
  EXPECT_EQ(known.next(), 101);
  known.replace({3}, 0, 5'000);
  EXPECT_EQ(known.next(), 1) << "the topic was made anew";
}

}  // namespace
}  // namespace weir::processors::kafka
