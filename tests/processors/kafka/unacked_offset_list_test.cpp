#include "processors/kafka/mirror/unacked_offset_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include "tests/engine/runtime/random_test.h"

namespace weir::processors::kafka {
namespace {

UnackedOffsetList::Entry& put(UnackedOffsetList& list, std::int64_t offset,
                              std::uint32_t parts = 1) {
  UnackedOffsetList::Entry& entry = list.add(offset, parts);
  list.sent(parts);
  list.publish();
  return entry;
}

TEST(UnackedOffsetList, IsAtItsPositionWhileNothingIsAcknowledged) {
  UnackedOffsetList list(7);
  EXPECT_EQ(list.advance(), 7);
  put(list, 7);
  EXPECT_EQ(list.advance(), 7);
  EXPECT_EQ(list.in_flight(), 1u);
  EXPECT_EQ(list.unacked(), 1u);
}

// R108: offsets were committed in order of completion, and a failed earlier record was skipped.
TEST(UnackedOffsetList, NeverPassesARecordThatIsNotAcknowledged) {
  UnackedOffsetList list(0);
  auto& first = put(list, 0);
  auto& second = put(list, 1);
  auto& third = put(list, 2);
  list.acknowledge(third);
  list.acknowledge(second);
  EXPECT_EQ(list.advance(), 0);
  list.acknowledge(first);
  EXPECT_EQ(list.advance(), 3);
  EXPECT_EQ(list.in_flight(), 0u);
}

TEST(UnackedOffsetList, StandsBeforeAGapUntilTheRecordBehindItIsAcknowledged) {
  UnackedOffsetList list(0);
  list.acknowledge(put(list, 4));
  EXPECT_EQ(list.advance(), 5);
  auto& behind = put(list, 90);
  EXPECT_EQ(list.advance(), 5);
  list.acknowledge(behind);
  EXPECT_EQ(list.advance(), 91);
}

TEST(UnackedOffsetList, AcknowledgesAFannedOutRecordWithItsLastPart) {
  UnackedOffsetList list(0);
  auto& entry = put(list, 0, 3);
  list.acknowledge(entry);
  list.acknowledge(entry);
  EXPECT_EQ(list.advance(), 0);
  list.acknowledge(entry);
  EXPECT_EQ(list.advance(), 1);
}

TEST(UnackedOffsetList, FilteredRecordsWaitForThoseBeforeThem) {
  UnackedOffsetList list(0);
  auto& sent = put(list, 0);
  put(list, 1, 0);
  EXPECT_EQ(list.advance(), 0);
  list.acknowledge(sent);
  EXPECT_EQ(list.advance(), 2);
}

TEST(UnackedOffsetList, AFailedRecordHoldsThePositionUntilItIsSettled) {
  UnackedOffsetList list(0);
  auto& failed = put(list, 0);
  list.acknowledge(put(list, 1));
  list.fail();
  EXPECT_EQ(list.in_flight(), 0u);
  EXPECT_EQ(list.advance(), 0);
  list.settle(failed);
  EXPECT_EQ(list.advance(), 2);
}

TEST(UnackedOffsetList, AnEntryThatWasNotPublishedIsReplaced) {
  UnackedOffsetList list(0);
  list.add(0, 1);
  EXPECT_EQ(list.advance(), 0);
  list.acknowledge(put(list, 0));
  EXPECT_EQ(list.advance(), 1);
  EXPECT_EQ(list.passed(), 1u);
}

// Beside a plain list of what was sent, over random acknowledgements, failures and gaps.
TEST(UnackedOffsetList, DoesWhatItsModelDoes) {
  struct Record {
    UnackedOffsetList::Entry* entry;
    std::int64_t offset;
    std::uint32_t open, in_flight;
  };
  std::mt19937_64 random(runtime::testing::test_seed(1));
  for (int loop = 0; loop < runtime::testing::test_loops(20); ++loop) {
    std::int64_t next = static_cast<std::int64_t>(random() % 1000), position = next;
    UnackedOffsetList list(next);
    std::deque<Record> records;
    std::vector<std::size_t> order;
    std::uint64_t passed = 0;
    for (int step = 0; step < 20'000; ++step) {
      const bool grows = random() % 100 < (step < 10'000 ? 60U : 40U);
      if (grows || records.empty()) {
        next += random() % 10 == 0 ? static_cast<std::int64_t>(random() % 50) : 0;
        const auto parts = static_cast<std::uint32_t>(random() % 8 == 0 ? random() % 4 : 1);
        records.push_back({&put(list, next, parts), next, parts, parts});
        ++next;
      } else {
        Record& record = records[random() % std::min<std::size_t>(records.size(), 3000)];
        if (record.open == 0) continue;
        if (record.in_flight == 0) {
          list.settle(*record.entry);
          --record.open;
        } else if (random() % 50 == 0) {
          list.fail();
          --record.in_flight;
        } else {
          list.acknowledge(*record.entry);
          --record.in_flight;
          --record.open;
        }
      }
      if (random() % 20 != 0) continue;
      while (!records.empty() && records.front().open == 0) {
        position = records.front().offset + 1;
        records.pop_front();
        ++passed;
      }
      ASSERT_EQ(list.advance(), position);
      ASSERT_EQ(list.passed(), passed);
      ASSERT_EQ(list.unacked(), records.size());
    }
  }
}

// A reader, a target that answers out of order, and a committer, each on its thread.
TEST(UnackedOffsetList, AdvancesInOrderUnderThreads) {
  constexpr std::int64_t kRecords = 200'000;
  UnackedOffsetList list(0);
  std::mutex mutex;
  std::deque<UnackedOffsetList::Entry*> sent;
  std::atomic<bool> done{false};
  std::thread reader([&] {
    for (std::int64_t offset = 0; offset < kRecords; ++offset) {
      UnackedOffsetList::Entry& entry = list.add(offset, 1);
      {
        const std::lock_guard lock(mutex);
        sent.push_back(&entry);
      }
      list.sent(1);
      list.publish();
    }
  });
  std::thread target([&] {
    std::mt19937_64 random(1);
    std::vector<UnackedOffsetList::Entry*> answers;
    for (std::int64_t answered = 0; answered < kRecords;) {
      {
        const std::lock_guard lock(mutex);
        answers.assign(sent.begin(), sent.end());
        sent.clear();
      }
      std::ranges::shuffle(answers, random);
      for (UnackedOffsetList::Entry* entry : answers) list.acknowledge(*entry);
      answered += static_cast<std::int64_t>(answers.size());
      std::this_thread::yield();
    }
    done = true;
  });
  std::int64_t last = 0;
  while (!done) {
    const std::int64_t position = list.advance();
    ASSERT_GE(position, last);
    last = position;
    std::this_thread::yield();
  }
  reader.join();
  target.join();
  EXPECT_EQ(list.advance(), kRecords);
  EXPECT_EQ(list.in_flight(), 0u);
}

}  // namespace
}  // namespace weir::processors::kafka
