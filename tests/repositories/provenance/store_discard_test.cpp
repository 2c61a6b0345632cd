#include <filesystem>

#include "tests/repositories/provenance/store_support.h"

namespace weir::provenance {
namespace {

using namespace test;
using storage::UnsyncedFate;

// The journal ends behind `commits` commits: those after it never happened.
void cut_journal(World& world, std::size_t commits) {
  world.journal.resize(commits);
  world.next_id = 1;
  if (commits > 0) {
    world.next_id = world.journal.back().first_id + world.journal.back().events.size();
  }
}

// As an engine starts: what the journal does not have goes, then it is replayed.
void start(World& world) {
  world.store.reset();
  world.store = open_provenance_repository(
      world.files, world.config, [&world] { return world.now_ms; }, world.findings);
  world.store->discard_after(world.next_id - 1, world.journal.size());
  for (const auto& commit : world.journal) {
    if (commit.sequence > world.store->durable_sequence()) world.give(commit);
  }
}

// Three commits a flush, so that a cut meets both blocks' insides and their borders.
void fill(World& world) {
  world.config.rollover_bytes = 700;
  start(world);
  for (std::uint64_t i = 1; i <= 14; ++i) {
    world.commit({simple(EventType::create, i), simple(EventType::drop, i)});
    if (i % 3 == 0) world.store->flush();
  }
  world.store->flush();
}

void expect_goes_on(World& world) {
  world.expect_all();
  world.commit({simple(EventType::create, 100), simple(EventType::send, 100)});
  world.commit({simple(EventType::create, 101)});
  world.expect_all();
  world.store->flush();
  world.expect_all();
  EXPECT_EQ(world.store->durable_sequence(), world.journal.size());
  world.store.reset();
  world.files.restart(UnsyncedFate::lost);
  start(world);
  world.expect_all();
  for (const auto& finding : world.findings.all) {
    EXPECT_EQ(finding.what.find("missing"), std::string::npos) << finding.what;
    EXPECT_EQ(finding.what.find("cannot be read"), std::string::npos) << finding.what;
  }
}

TEST(StoreDiscard, EveryLengthOfTheJournal) {
  for (std::size_t commits = 0; commits <= 14; ++commits) {
    SCOPED_TRACE(commits);
    World world(commits);
    fill(world);
    cut_journal(world, commits);
    start(world);
    EXPECT_LE(world.store->durable_sequence(), commits);
    expect_goes_on(world);
  }
}

TEST(StoreDiscard, SeveralCutsOneAfterTheOther) {
  for (std::size_t second = 0; second <= 9; ++second) {
    SCOPED_TRACE(second);
    World world;
    fill(world);
    cut_journal(world, 10);
    start(world);
    world.expect_all();
    cut_journal(world, second);
    start(world);
    expect_goes_on(world);
  }
}

// The power goes again at every operation of the discarding.
TEST(StoreDiscard, PowerCutAtEveryOperation) {
  const auto first_seed = seed(7);
  RecordProperty("seed", std::to_string(first_seed));
  for (const auto fate :
       {UnsyncedFate::kept, UnsyncedFate::lost, UnsyncedFate::garbage, UnsyncedFate::mixed}) {
    for (const std::size_t commits : {0u, 1u, 2u, 3u, 7u, 8u, 13u}) {
      for (std::uint64_t cut = 1, finished = 0; finished == 0; ++cut) {
        SCOPED_TRACE("fate " + std::to_string(static_cast<int>(fate)) + ", " +
                     std::to_string(commits) + " commits, cut at " + std::to_string(cut));
        World world(first_seed + cut);
        fill(world);
        cut_journal(world, commits);
        world.store.reset();
        world.files.cut_power_at(world.files.operations() + cut);
        try {
          start(world);
          finished = 1;
        } catch (const storage::PowerLost&) {
        }
        world.store.reset();
        world.files.restart(fate);
        start(world);
        expect_goes_on(world);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// An entry of the index that outlived its block would point into the file that follows it.
TEST(StoreDiscard, TheIndexOnDiskForgetsAsWell) {
  std::string name = (std::filesystem::temp_directory_path() / "weir-discard-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const auto config = [&] {
    ProvenanceRepositoryConfig made;
    made.directories = {{"default", name}};
    made.own_thread = false;
    made.rollover_bytes = 700;
    return made;
  }();
  Findings findings;
  const auto now_ms = [] { return std::int64_t{1000}; };
  const auto give = [](ProvenanceRepository& store, std::uint64_t sequence,
                       std::uint64_t flow_file) {
    store.take(sequence, sequence, 1,
               encode({"c", "n", "t"}, {simple(EventType::send, flow_file)}));
  };
  std::map<std::uint64_t, std::uint64_t> given;
  for (std::uint64_t last = 12; last >= 4; --last) {
    auto store = open_provenance_repository(storage::real_file_system(), config, now_ms, findings);
    store->discard_after(last - 1, last - 1);
    for (std::uint64_t sequence = store->durable_sequence() + 1; sequence <= 12; ++sequence) {
      given[sequence] = sequence * 100 + last;
      give(*store, sequence, given[sequence]);
      if (sequence % 3 == 0) store->flush();
    }
    store.reset();
    store = open_provenance_repository(storage::real_file_system(), config, now_ms, findings);
    Query all;
    all.newest_first = false;
    const auto events = store->query(all).events;
    ASSERT_EQ(events.size(), 12u) << last;
    for (std::uint64_t id = 1; id <= 12; ++id) {
      EXPECT_EQ(events[id - 1].id, id);
      EXPECT_EQ(events[id - 1].flow_file, uuid(given[id])) << "event " << id << ", cut at " << last;
    }
  }
  EXPECT_EQ(given[3], 312u);
  std::filesystem::remove_all(name);
}

TEST(StoreDiscard, AReaderHidesWhatTheJournalDoesNotHave) {
  for (std::size_t commits = 0; commits <= 14; ++commits) {
    World world;
    fill(world);
    const auto whole = world.journal;
    cut_journal(world, commits);
    const auto reader = open_provenance_read_only(world.files, world.config, world.findings);
    reader->discard_after(world.next_id - 1, commits);
    for (const auto& commit : whole) {
      reader->take(commit.sequence, commit.first_id,
                   static_cast<std::uint32_t>(commit.events.size()), commit.bytes);
    }
    EXPECT_EQ(reader->query({}).events.size(), 2 * commits);
    EXPECT_EQ(reader->statistics().last_event_id, 2 * commits);
    EXPECT_EQ(reader->lineage(uuid(14)).events.size(), commits == 14 ? 2u : 0u);
  }
}

}  // namespace
}  // namespace weir::provenance
