#include "tests/repositories/provenance/store_support.h"

namespace weir::provenance {
namespace {

using namespace test;

std::vector<std::uint64_t> ids(const QueryResult& result) {
  std::vector<std::uint64_t> found;
  for (const auto& event : result.events) found.push_back(event.id);
  return found;
}
using Ids = std::vector<std::uint64_t>;

TEST(Store, EventsAreFoundBeforeAndAfterTheyAreOnDiskAndAfterARestart) {
  World world;
  world.open();
  world.commit({simple(EventType::create, 1), simple(EventType::drop, 1)});
  world.commit({simple(EventType::create, 2)});
  world.expect_all();
  EXPECT_EQ(world.store->durable_sequence(), 0u);
  world.flush();
  EXPECT_EQ(world.store->durable_sequence(), 2u);
  world.expect_all();
  world.commit({simple(EventType::drop, 2)});
  world.expect_all();
  world.open();
  world.expect_all();
  EXPECT_EQ(world.store->find(2)->type, EventType::drop);
  EXPECT_FALSE(world.store->find(0));
  EXPECT_FALSE(world.store->find(5));
  const auto statistics = world.store->statistics();
  EXPECT_EQ(statistics.events, 4u);
  EXPECT_EQ(statistics.first_event_id, 1u);
  EXPECT_EQ(statistics.last_event_id, 4u);
  EXPECT_EQ(world.findings.size(), 0u);
}

TEST(Store, WithoutEventsNothingIsWritten) {
  World world;
  world.open();
  const auto before = world.files.operations();
  for (int i = 0; i < 5; ++i) {
    world.store->take(static_cast<std::uint64_t>(i + 1), 1, 0, {});
    world.flush();
    world.store->maintain();
    world.now_ms += 3'600'000;
  }
  EXPECT_EQ(world.files.operations(), before);
}

TEST(Store, RefusesASecondProcess) {
  World world;
  world.open();
  EXPECT_THROW(open_provenance_repository(
                   world.files, world.config, [] { return 0; }, world.findings),
               storage::RefusedError);
}

TEST(Store, EveryConditionOfAQueryHolds) {
  for (const bool indexed : {false, true}) {
    World world;
    if (indexed) world.config.indexed_attributes = {"filename", "uuid"};
    world.open();
    for (std::uint64_t i = 1; i <= 40; ++i) {
      Event event = simple(i % 2 == 0 ? EventType::route : EventType::clone, i,
                           static_cast<std::int64_t>(i * 100));
      if (i % 2 == 0) event.relationship = i % 4 == 0 ? "matched" : "unmatched";
      if (i == 7) event.children = {uuid(700)};
      world.commit({event}, {"id" + std::to_string(i % 3), "name" + std::to_string(i % 3), "T"});
      if (i % 5 == 0) world.flush();
      if (i == 20) world.open();
    }
    auto ask = [&](auto set) {
      Query query;
      set(query);
      return ids(world.store->query(query));
    };
    EXPECT_EQ(ask([](Query& q) { q.flow_file = uuid(12); }), (Ids{12}));
    EXPECT_EQ(ask([](Query& q) { q.flow_file = uuid(700); }), (Ids{7}));
    EXPECT_EQ(ask([](Query& q) { q.flow_file = uuid(701); }), Ids{});
    EXPECT_EQ(ask([](Query& q) {
                q.component = "id1";
                q.limit = 2;
              }),
              (Ids{40, 37}));
    EXPECT_EQ(ask([](Query& q) {
                q.component = "name1";
                q.newest_first = false;
                q.limit = 2;
              }),
              (Ids{1, 4}));
    EXPECT_EQ(ask([](Query& q) {
                q.type = EventType::route;
                q.relationship = "matched";
                q.to_ms = 1200;
              }),
              (Ids{12, 8, 4}));
    EXPECT_EQ(ask([](Query& q) {
                q.from_ms = 900;
                q.to_ms = 1000;
              }),
              (Ids{10, 9}));
    EXPECT_EQ(ask([](Query& q) { q.after_event = 38; }), (Ids{40, 39}));
    EXPECT_EQ(ask([](Query& q) { q.before_event = 3; }), (Ids{2, 1}));
    EXPECT_EQ(ask([](Query& q) { q.attributes = {{"filename", "f33"}}; }), (Ids{33}));
    EXPECT_EQ(ask([](Query& q) { q.attributes = {{"filename", "f33"}, {"x", "y"}}; }), Ids{});
    EXPECT_EQ(ask([](Query& q) { q.attributes = {{"uuid", uuid(5).to_string()}}; }), (Ids{5}));
    Query limited;
    limited.limit = 39;
    EXPECT_TRUE(world.store->query(limited).truncated);
    limited.limit = 40;
    EXPECT_FALSE(world.store->query(limited).truncated);
  }
}

TEST(Store, ABurstMakesManyBlocksByItself) {
  World world;
  world.open();
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::vector<Event> events;
    for (std::uint64_t n = 0; n < 100; ++n)
      events.push_back(simple(EventType::create, i * 100 + n));
    world.commit(std::move(events));
  }
  EXPECT_GT(world.store->statistics().bytes, 20'000u);
  world.flush();
  world.expect_all();
  Query one;
  one.flow_file = uuid(12'345);
  EXPECT_EQ(ids(world.store->query(one)), (Ids{12'346}));
}

TEST(Store, RandomActionsBesideAModel) {
  const auto start = seed(11);
  RecordProperty("seed", std::to_string(start));
  for (std::uint64_t round = 0; round < 20 * loops(); ++round) {
    SCOPED_TRACE("seed " + std::to_string(start + round));
    std::mt19937_64 random(start + round);
    World world(start + round);
    world.config.rollover_bytes = 1500;
    world.config.indexed_attributes = {"filename"};
    world.open();
    for (int step = 0; step < 120; ++step) {
      const auto choice = random() % 20;
      if (choice < 12) {
        std::vector<Event> events;
        for (auto n = 1 + random() % 4; n > 0; --n) events.push_back(random_event(random));
        world.commit(std::move(events), {std::to_string(random() % 3), "n", "T"});
      } else if (choice < 15) {
        world.flush();
      } else if (choice < 16) {
        world.files.kill_process();
        world.open();
      } else if (choice < 17) {
        world.files.restart(storage::UnsyncedFate::mixed);
        world.open();
      } else if (choice < 18) {
        world.now_ms += 700'000;
        world.store->maintain();
      } else {
        Query query;
        const auto type = static_cast<EventType>(1 + random() % 17);
        if (random() % 2 == 0) query.type = type;
        if (random() % 2 == 0) query.component = std::to_string(random() % 3);
        if (random() % 2 == 0) query.flow_file = uuid(random() % 1000);
        query.newest_first = false;
        query.limit = 100'000;
        Ids expected;
        for (const auto& commit : world.journal) {
          for (std::size_t i = 0; i < commit.events.size(); ++i) {
            const auto& event = commit.events[i];
            const auto in = [&](const auto& list) {
              return std::ranges::find(list, *query.flow_file) != list.end();
            };
            if (query.type && event.type != *query.type) continue;
            if (query.component && commit.component.id != *query.component) continue;
            if (query.flow_file && event.flow_file != *query.flow_file && !in(event.parents) &&
                !in(event.children)) {
              continue;
            }
            expected.push_back(commit.first_id + i);
          }
        }
        ASSERT_EQ(ids(world.store->query(query)), expected);
      }
    }
    world.expect_all();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(Store, RetentionBySizeDeletesTheOldestFiles) {
  World world;
  world.config.rollover_bytes = 1000;
  world.config.max_storage_bytes = 5000;
  world.open();
  for (std::uint64_t i = 1; i <= 100; ++i) {
    world.commit({simple(EventType::create, i)});
    world.flush();
    world.store->maintain();
  }
  const auto statistics = world.store->statistics();
  EXPECT_LT(statistics.bytes, 7000u);
  EXPECT_GT(statistics.first_event_id, 50u);
  world.expect_all(statistics.first_event_id);
  world.open();
  world.expect_all(statistics.first_event_id);
}

TEST(Store, RetentionByAgeGoesByTheEventsTimes) {
  World world;
  world.config.rollover_time = std::chrono::seconds(10);
  world.config.max_storage_time = std::chrono::seconds(60);
  world.open();
  for (std::uint64_t i = 1; i <= 30; ++i) {
    world.commit({simple(EventType::create, i, world.now_ms)});
    world.flush();
    world.now_ms += 10'000;
    world.store->maintain();
  }
  auto first = world.store->statistics().first_event_id;
  EXPECT_GE(first, 23u);
  EXPECT_LE(first, 25u);
  world.expect_all(first);
  // The last file goes as well, though nothing new ever comes; ids go on.
  world.now_ms += 1'000'000;
  world.store->maintain();
  EXPECT_TRUE(world.all().empty());
  EXPECT_TRUE(world.event_files().empty());
  world.commit({simple(EventType::create, 31)});
  world.flush();
  world.expect_all(31);
  EXPECT_EQ(world.findings.size(), 0u);
}

// R029: a roll-over by time of a file without events gave two writers the same file.
TEST(Store, R029IdleRollOverThenABurstKeepsEveryEvent) {
  World world;
  world.config.rollover_time = std::chrono::seconds(1);
  world.open();
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (int idle = 0; idle < 5; ++idle) {
      world.now_ms += 1000;
      world.flush();
      world.store->maintain();
    }
    for (std::uint64_t i = 0; i < 20; ++i) {
      std::vector<Event> events;
      for (std::uint64_t n = 0; n < 50; ++n) events.push_back(simple(EventType::create, n));
      world.commit(std::move(events));
    }
    world.flush();
  }
  world.expect_all();
  EXPECT_EQ(world.event_files().size(), 20u);
  world.open();
  world.expect_all();
}

TEST(Store, SeveralDirectoriesShareTheFiles) {
  World world;
  world.config.directories = {{"a", "/one"}, {"b", "/two"}};
  world.config.rollover_bytes = 500;
  world.open();
  for (std::uint64_t i = 1; i <= 20; ++i) {
    world.commit({simple(EventType::create, i)});
    world.flush();
  }
  EXPECT_FALSE(world.files.list("/one/events").empty());
  EXPECT_FALSE(world.files.list("/two/events").empty());
  world.open();
  world.expect_all();
}

TEST(Store, ReadOnlySeesFilesAndWhatItIsGiven) {
  World world;
  world.open();
  auto reader = open_provenance_read_only(world.files, world.config, world.findings);
  EXPECT_TRUE(reader->query({}).events.empty());
  world.commit({simple(EventType::create, 1)});
  world.commit({simple(EventType::route, 1)});
  world.flush();
  world.commit({simple(EventType::drop, 1)});
  const auto before = world.files.operations();
  reader = open_provenance_read_only(world.files, world.config, world.findings);
  EXPECT_EQ(ids(reader->query({})), (Ids{2, 1}));
  EXPECT_EQ(reader->durable_sequence(), 2u);
  for (const auto& commit : world.journal) {
    reader->take(commit.sequence, commit.first_id, 1, commit.bytes);
  }
  EXPECT_EQ(ids(reader->query({})), (Ids{3, 2, 1}));
  EXPECT_EQ(reader->lineage(uuid(1), 10).events.size(), 3u);
  EXPECT_EQ(reader->find(3)->type, EventType::drop);
  EXPECT_EQ(reader->statistics().events, 3u);
  EXPECT_EQ(world.files.operations(), before);
}

TEST(Store, LineageGoesThroughBlocksOnDiskAndMemory) {
  World world;
  world.open();
  Event fork = simple(EventType::fork, 1);
  fork.parents = {uuid(1)};
  fork.children = {uuid(2), uuid(3)};
  world.commit({simple(EventType::receive, 1)});
  world.flush();
  world.commit({fork, simple(EventType::drop, 1)});
  world.flush();
  world.commit({simple(EventType::send, 2), simple(EventType::drop, 3)});
  EXPECT_EQ(world.store->lineage(uuid(1), 100).events.size(), 5u);
  EXPECT_EQ(world.store->lineage(uuid(2), 100).events.size(), 4u);
}

}  // namespace
}  // namespace weir::provenance
