#include "engine/runtime/flow_file_queue.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <list>
#include <random>

#include "engine/api/flow_file.h"
#include "tests/engine/runtime/queue_fixture.h"
#include "tests/engine/runtime/random_test.h"

namespace weir::runtime::testing {
namespace {

using flowfile::Attributes;
using flowfile::FlowFilePtr;
using flowfile::FlowFileRecord;

FlowFilePtr make_flow_file(std::uint64_t id, std::int64_t penalty_until_ms = 0,
                           std::int64_t entry_ms = 0) {
  auto record = std::make_unique<FlowFileRecord>();
  record->id = id;
  record->penalty_until_ms = penalty_until_ms;
  record->entry_ms = entry_ms;
  return FlowFilePtr(record.release());
}

std::vector<std::uint64_t> ids(const std::vector<FlowFilePtr>& flow_files) {
  std::vector<std::uint64_t> all;
  for (const auto& flow_file : flow_files) all.push_back(flow_file->id);
  return all;
}

// What a queue is meant to do, in the simplest words: FlowFiles by rank, the penalized passed over.
class ModelQueue {
 public:
  void put(std::uint64_t id, std::int64_t penalty_until_ms) {
    waiting_.push_back({id, next_back_++, penalty_until_ms});
  }
  // `ids` in the order they were polled: they stand before all others again.
  void put_back(const std::vector<std::uint64_t>& ids, std::int64_t penalty_until_ms) {
    std::int64_t rank = next_front_ -= static_cast<std::int64_t>(ids.size());
    for (const std::uint64_t id : ids) waiting_.push_back({id, rank++, penalty_until_ms});
  }
  std::vector<std::uint64_t> poll(std::size_t most, std::int64_t now_ms,
                                  const std::function<bool(std::uint64_t)>& accept) {
    waiting_.sort([](const Item& a, const Item& b) { return a.rank < b.rank; });
    std::vector<std::uint64_t> given;
    for (auto item = waiting_.begin(); item != waiting_.end() && given.size() < most;) {
      if (item->penalty_until_ms > now_ms || !accept(item->id)) {
        ++item;
        continue;
      }
      given.push_back(item->id);
      item = waiting_.erase(item);
    }
    return given;
  }
  std::size_t ready(std::int64_t now_ms) const {
    return static_cast<std::size_t>(
        std::count_if(waiting_.begin(), waiting_.end(),
                      [&](const Item& item) { return item.penalty_until_ms <= now_ms; }));
  }

 private:
  struct Item {
    std::uint64_t id;
    std::int64_t rank;
    std::int64_t penalty_until_ms;
  };
  std::list<Item> waiting_;
  std::int64_t next_back_ = 0;
  std::int64_t next_front_ = 0;
};

struct RandomRun {
  explicit RandomRun(std::uint64_t seed, bool with_swap) : random(seed), swaps(with_swap) {
    FlowFileQueue::Config config;
    config.id = config.name = "q";
    config.swap_threshold = with_swap ? 40 : 1'000'000;
    config.swap_file_flow_files = 25;
    queue = std::make_unique<FlowFileQueue>(config, *repository, clock, [](const auto&) {});
  }

  std::size_t below(std::size_t bound) { return random() % bound; }

  void put() {
    std::vector<FlowFilePtr> batch;
    for (std::size_t n = below(60); n > 0; --n) {
      // Penalized FlowFiles wait beside the queue: with swap files their rank is not kept.
      const bool penalized = !swaps && below(5) == 0;
      const std::int64_t until_ms =
          penalized ? clock.time_ms + static_cast<std::int64_t>(below(50)) : 0;
      batch.push_back(make_flow_file(next_id, until_ms));
      model.put(next_id++, until_ms);
    }
    queue->put(std::move(batch));
  }

  void poll() {
    FlowFileQueue::Polled polled;
    const std::size_t most = below(50) + 1;
    std::vector<std::uint64_t> expected;
    if (!swaps && below(3) == 0) {
      const std::uint64_t divisor = below(3) + 2;
      std::size_t left = most;
      queue->poll(
          [&](const FlowFileRecord& record) {
            if (record.id % divisor != 0) return FilterDecision::reject;
            return --left == 0 ? FilterDecision::accept_and_stop : FilterDecision::accept;
          },
          polled);
      expected =
          model.poll(most, clock.time_ms, [&](std::uint64_t id) { return id % divisor == 0; });
    } else {
      queue->poll(most, polled);
      if (swaps && polled.flow_files.size() < most) {  // ends where a swap file begins
        EXPECT_TRUE(!polled.flow_files.empty() || model.ready(clock.time_ms) == 0);
        expected =
            model.poll(polled.flow_files.size(), clock.time_ms, [](std::uint64_t) { return true; });
      } else {
        expected = model.poll(most, clock.time_ms, [](std::uint64_t) { return true; });
      }
    }
    EXPECT_EQ(ids(polled.flow_files), expected);
    for (const auto& flow_file : polled.flow_files) held.push_back(flow_file);
  }

  void settle() {
    if (held.empty()) return;
    if (below(3) == 0) {  // all come back, as a rollback gives them, perhaps penalized
      const std::int64_t until_ms = !swaps && below(2) == 0 ? clock.time_ms + 30 : 0;
      model.put_back(ids(held), until_ms);
      std::vector<FlowFilePtr> back;
      for (const auto& flow_file : held) back.push_back(make_flow_file(flow_file->id, until_ms));
      queue->put_back(std::move(back));
    } else {
      queue->acknowledge(held.size(), 0);
      gone += held.size();
    }
    held.clear();
  }

  void step() {
    switch (below(4)) {
      case 0:
        put();
        break;
      case 1:
        poll();
        break;
      case 2:
        settle();
        break;
      default:
        clock.time_ms += static_cast<std::int64_t>(below(20));
        break;
    }
    ASSERT_EQ(queue->count(), next_id - 1 - gone);
    ASSERT_EQ(queue->available(), model.ready(clock.time_ms));
  }

  std::mt19937_64 random;
  const bool swaps;
  TestClock clock;
  std::unique_ptr<flowfile::FlowFileRepository> repository =
      flowfile::open_volatile_repository(0, 0);
  std::unique_ptr<FlowFileQueue> queue;
  ModelQueue model;
  std::vector<FlowFilePtr> held;
  std::uint64_t next_id = 1;
  std::uint64_t gone = 0;
};

class QueueModel : public ::testing::TestWithParam<bool> {};

TEST_P(QueueModel, DoesWhatAModelDoes) {
  const std::uint64_t seed = test_seed(20);
  for (int loop = 0; loop < test_loops(20); ++loop) {
    SCOPED_TRACE("seed " + std::to_string(seed + static_cast<std::uint64_t>(loop)));
    RandomRun run(seed + static_cast<std::uint64_t>(loop), GetParam());
    for (int i = 0; i < 500 && !HasFatalFailure() && !HasNonfatalFailure(); ++i) run.step();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(InMemoryAndSwapped, QueueModel, ::testing::Bool());

// The rules of NiFi's prioritizers, said once more and otherwise.
int rule(const std::string& name, const FlowFileRecord& a, const FlowFileRecord& b) {
  const auto order = [](auto x, auto y) { return x < y ? -1 : (y < x ? 1 : 0); };
  if (name == "NewestFlowFileFirstPrioritizer") {
    const int by_entry = order(b.entry_ms, a.entry_ms);
    return by_entry != 0 ? by_entry : order(b.id, a.id);
  }
  if (name == "OldestFlowFileFirstPrioritizer")
    return order(a.lineage_start_ms, b.lineage_start_ms);
  if (name == "PriorityAttributePrioritizer") {
    const std::string* pa = a.attributes->find("priority");
    const std::string* pb = b.attributes->find("priority");
    const auto group = [](const std::string* text) {
      if (text == nullptr) return 2;
      return text->find_first_not_of("-0123456789") == std::string::npos ? 0 : 1;
    };
    if (group(pa) != group(pb)) return order(group(pa), group(pb));
    if (group(pa) == 2) return 0;
    return group(pa) == 0 ? order(std::stoll(*pa), std::stoll(*pb)) : order(*pa, *pb);
  }
  return order(a.id, b.id);  // arrival
}

TEST(Prioritizers, OrderAsNiFiInEveryCombination) {
  std::mt19937_64 random(test_seed(3));
  std::vector<std::string> names = {"FirstInFirstOutPrioritizer", "NewestFlowFileFirstPrioritizer",
                                    "OldestFlowFileFirstPrioritizer",
                                    "PriorityAttributePrioritizer"};
  std::sort(names.begin(), names.end());
  const std::vector<std::string> priorities = {"1", "10", "2", "-3", "a", "b", "Z"};
  const auto repository = flowfile::open_volatile_repository(0, 0);
  TestClock clock;
  do {
    for (std::size_t count = 1; count <= names.size(); ++count) {
      FlowFileQueue::Config config;
      config.id = "q";
      config.prioritizers.assign(names.begin(), names.begin() + static_cast<long>(count));
      FlowFileQueue queue(config, *repository, clock, [](const auto&) {});
      std::vector<FlowFilePtr> all;
      for (std::uint64_t id = 1; id <= 100; ++id) {
        auto record = std::make_unique<FlowFileRecord>();
        record->id = id;
        record->entry_ms = static_cast<std::int64_t>(random() % 5);
        record->lineage_start_ms = static_cast<std::int64_t>(random() % 5);
        const std::size_t priority = random() % (priorities.size() + 1);
        if (priority < priorities.size()) {
          record->attributes = Attributes::make({{"priority", priorities[priority]}});
        }
        all.emplace_back(record.release());
      }
      queue.put(all);
      std::stable_sort(all.begin(), all.end(), [&](const FlowFilePtr& a, const FlowFilePtr& b) {
        for (const std::string& name : config.prioritizers) {
          if (const int order = rule(name, *a, *b); order != 0) return order < 0;
        }
        return a->id < b->id;
      });
      FlowFileQueue::Polled polled;
      queue.poll(1000, polled);
      ASSERT_EQ(ids(polled.flow_files), ids(all)) << ::testing::PrintToString(config.prioritizers);
    }
  } while (std::next_permutation(names.begin(), names.end()));
}

struct SmallQueue {
  explicit SmallQueue(FlowFileQueue::Config config) {
    config.id = config.name = "q";
    queue = std::make_unique<FlowFileQueue>(config, *repository, clock, [](const auto&) {});
    queue->connect(&producer, &consumer);
  }
  TestClock clock;
  CountingWakeable producer;
  CountingWakeable consumer;
  std::unique_ptr<flowfile::FlowFileRepository> repository =
      flowfile::open_volatile_repository(0, 0);
  std::unique_ptr<FlowFileQueue> queue;
};

TEST(Queue, ExpiredFlowFilesAreGivenApartAndBounded) {
  FlowFileQueue::Config config;
  config.expiration_ms = 1000;
  SmallQueue small(config);
  const std::int64_t now_ms = small.clock.time_ms;
  std::vector<FlowFilePtr> many;
  for (std::uint64_t i = 0; i < 10005; ++i) many.push_back(make_flow_file(i, 0, now_ms - 1001));
  many.push_back(make_flow_file(77777, 0, now_ms - 1000));
  small.queue->put(many);
  FlowFileQueue::Polled polled;
  small.queue->poll(1, polled);
  EXPECT_EQ(polled.expired.size(), 10000u);
  EXPECT_TRUE(polled.flow_files.empty());
  FlowFileQueue::Polled rest;
  small.queue->poll([](const FlowFileRecord&) { return FilterDecision::accept; }, rest);
  EXPECT_EQ(rest.expired.size(), 5u);
  EXPECT_EQ(ids(rest.flow_files), std::vector<std::uint64_t>{77777});
  EXPECT_EQ(small.queue->count(), 10006u);  // until the commit that drops them
}

TEST(Queue, PenalizedFlowFilesHoldNobodyUp) {
  SmallQueue small({});
  small.queue->put({make_flow_file(1, small.clock.time_ms + 10), make_flow_file(2)});
  EXPECT_EQ(small.queue->available(), 1u);
  EXPECT_EQ(small.queue->next_penalty_end_ms(), small.clock.time_ms + 10);
  FlowFileQueue::Polled polled;
  small.queue->poll(10, polled);
  EXPECT_EQ(ids(polled.flow_files), std::vector<std::uint64_t>{2});
  small.clock.time_ms += 10;
  FlowFileQueue::Polled later;
  small.queue->poll(10, later);
  EXPECT_EQ(ids(later.flow_files), std::vector<std::uint64_t>{1});
}

TEST(Queue, BackpressureCountsWhatASessionHas) {
  FlowFileQueue::Config config;
  config.backpressure_count = 2;
  SmallQueue small(config);
  small.queue->put({make_flow_file(1), make_flow_file(2)});
  EXPECT_TRUE(small.queue->full());
  FlowFileQueue::Polled polled;
  small.queue->poll(2, polled);
  EXPECT_TRUE(small.queue->full());
  EXPECT_EQ(small.producer.wakes, 0);
  small.queue->acknowledge(1, 0);
  EXPECT_FALSE(small.queue->full());
  EXPECT_EQ(small.producer.wakes, 1);
  small.queue->acknowledge(1, 0);
  EXPECT_EQ(small.producer.wakes, 1) << "it was not full before";
}

TEST(Queue, AFilterThatThrowsLosesNothing) {
  SmallQueue small({});
  small.queue->put({make_flow_file(1), make_flow_file(2), make_flow_file(3), make_flow_file(4)});
  FlowFileQueue::Polled polled;
  EXPECT_THROW(small.queue->poll(
                   [](const FlowFileRecord& record) {
                     if (record.id == 3) throw ProcessException("cannot decide");
                     return record.id == 1 ? FilterDecision::reject : FilterDecision::accept;
                   },
                   polled),
               ProcessException);
  EXPECT_TRUE(polled.flow_files.empty());
  small.queue->poll(10, polled);
  EXPECT_EQ(ids(polled.flow_files), (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace weir::runtime::testing
