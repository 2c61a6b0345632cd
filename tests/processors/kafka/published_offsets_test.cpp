#include "processors/kafka/published_offsets.h"

#include <gtest/gtest.h>

namespace weir::processors::kafka {
namespace {

using Records = PublishedOffsets::Records;

Records one(std::int64_t offset, std::int64_t time_ms) {
  return {offset, offset, time_ms, time_ms};
}

TEST(PublishedOffsets, KnowWhatWasPublishedAndNothingElse) {
  PublishedOffsets offsets;
  for (int i = 10; i < 20; ++i) offsets.add(one(i, 1000 + i));
  offsets.add(one(25, 1025));
  EXPECT_TRUE(offsets.contains(one(10, 1010)));
  EXPECT_TRUE(offsets.contains(one(19, 1019)));
  EXPECT_TRUE(offsets.contains(one(25, 1025)));
  EXPECT_FALSE(offsets.contains(one(9, 1009)));
  EXPECT_FALSE(offsets.contains(one(22, 1022)));
  EXPECT_EQ(offsets.next(), 26);
}

// A record that waits while later ones are published is no duplicate, whatever was committed.
TEST(PublishedOffsets, LateRecordsAreNotTakenForPublishedOnes) {
  PublishedOffsets offsets;
  offsets.add(one(10, 1010));
  offsets.add(one(12, 1012));
  EXPECT_FALSE(offsets.contains(one(11, 1011)));
  offsets.add(one(11, 1011));
  EXPECT_TRUE(offsets.contains(one(11, 1011)));
  EXPECT_EQ(offsets.next(), 13) << "a group never goes back";
}

TEST(PublishedOffsets, AreTheSameFromTheirMetadata) {
  PublishedOffsets offsets;
  offsets.add({5, 9, 100, 200});
  offsets.add(one(12, 300));
  const auto again = PublishedOffsets::from_metadata(offsets.to_metadata(), 13);
  EXPECT_TRUE(again.contains({6, 8, 110, 190}));
  EXPECT_TRUE(again.contains(one(12, 300)));
  EXPECT_FALSE(again.contains(one(10, 150)));
  EXPECT_FALSE(again.contains(one(12, 301)));
  EXPECT_EQ(again.next(), 13);
  EXPECT_EQ(again.to_metadata(), offsets.to_metadata());
}

TEST(PublishedOffsets, ForgetTheOldestWhereRoomEnds) {
  PublishedOffsets offsets;
  for (std::int64_t i = 0; i < 1000; ++i) offsets.add(one(i * 2, 1'700'000'000'000 + i));
  EXPECT_LE(offsets.to_metadata().size(), PublishedOffsets::kMostMetadata_bytes);
  const auto again = PublishedOffsets::from_metadata(offsets.to_metadata(), 1999);
  EXPECT_TRUE(again.contains(one(1998, 1'700'000'000'999)));
  EXPECT_FALSE(again.contains(one(0, 1'700'000'000'000)));
}

TEST(PublishedOffsets, ClaimNothingOfForeignMetadata) {
  for (const char* text :
       {"", "by hand", "w1", "w1 1", "w1 x 1 1 1;", "w1 1 -1 1 1;", "w2 1 0 1 0;"}) {
    const auto offsets = PublishedOffsets::from_metadata(text, 7);
    EXPECT_FALSE(offsets.contains(one(1, 1))) << text;
    EXPECT_EQ(offsets.next(), 7);
  }
}

TEST(PublishedOffsets, ATopicMadeAnewIsNotTakenForTheOldOne) {
  PublishedOffsets offsets;
  for (int i = 0; i < 100; ++i) offsets.add(one(i, 1000 + i));
  EXPECT_FALSE(offsets.contains(one(50, 5000)));
  offsets.add(one(0, 5000));
  EXPECT_EQ(offsets.next(), 1);
  EXPECT_FALSE(offsets.contains(one(50, 1050)));
}

}  // namespace
}  // namespace weir::processors::kafka
