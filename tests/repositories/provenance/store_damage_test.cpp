#include "tests/repositories/provenance/store_support.h"

namespace weir::provenance {
namespace {

using namespace test;

// Three files of several blocks each.
void fill(World& world) {
  world.config.rollover_bytes = 1200;
  world.open();
  for (std::uint64_t i = 1; i <= 15; ++i) {
    world.commit({simple(EventType::create, i), simple(EventType::drop, i)});
    world.flush();
  }
  world.store.reset();
}

// R028: damage in the first record of a file alone was handled; elsewhere it stopped the start.
TEST(StoreDamage, R028FlippedBitsInAnyRecordAreNamedAndTheRestIsSearchable) {
  World original;
  fill(original);
  const auto paths = original.event_files();
  ASSERT_GE(paths.size(), 3u);
  const auto start = seed(28);
  RecordProperty("seed", std::to_string(start));
  std::mt19937_64 random(start);
  for (const auto& path : paths) {
    const auto size = original.files.status(path)->size_bytes;
    for (std::uint64_t at = 32; at < size; at += 1 + random() % (7 / loops() + 1)) {
      SCOPED_TRACE(path.string() + " byte " + std::to_string(at));
      World world;
      world.journal = original.journal;
      world.config = original.config;
      world.journal_before = 0;
      world.files.create_directories(kEvents);
      for (const auto& other : paths) {
        world.files.replace_small(other, *original.files.read_small(other));
      }
      world.files.flip_bit(path, at * 8 + random() % 8);
      Findings checked;
      check_provenance(world.files, world.config, checked);
      EXPECT_GE(checked.size(), 1u);
      for (const auto& finding : checked.all) EXPECT_EQ(finding.file, path);

      world.store = open_provenance_repository(
          world.files, world.config, [] { return 0; }, world.findings);
      const auto found = world.all();
      // A flip costs one block at most; one in a frame's bytes costs none.
      EXPECT_GE(found.size(), path == paths.back() ? 20u : 28u);
      if (found.size() < 30) {
        ASSERT_GE(world.findings.size(), 1u);
        EXPECT_EQ(world.findings.all[0].file, path);
        EXPECT_GT(world.findings.all[0].offset, 0u);
        EXPECT_LE(world.findings.all[0].offset, size);
      }
      // What the journal has still comes again, once; then the flow goes on.
      for (const auto& commit : world.journal) world.give(commit);
      world.next_id = 31;
      world.commit({simple(EventType::create, 99)});
      world.flush();
      const auto after = world.all();
      EXPECT_EQ(after.back().flow_file, uuid(99));
      EXPECT_TRUE(std::ranges::is_sorted(after, {}, &StoredEvent::id));
      EXPECT_EQ(std::ranges::adjacent_find(after, {}, &StoredEvent::id), after.end());
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(StoreDamage, TruncatedFilesAreNamedAndTheRestIsSearchable) {
  for (std::size_t which = 0; which < 3; ++which) {
    for (const std::uint64_t size : {0u, 10u, 32u, 40u, 500u}) {
      World world;
      fill(world);
      const auto path = world.event_files()[which];
      const bool newest = path == world.event_files().back();
      world.files.damage_truncate(path, size);
      Findings checked;
      check_provenance(world.files, world.config, checked);
      if (!newest) {
        EXPECT_GE(checked.size(), 1u) << which << " " << size;
      }
      world.store = open_provenance_repository(
          world.files, world.config, [] { return 0; }, world.findings);
      EXPECT_GE(world.all().size(), 16u);
      if (!newest) {
        EXPECT_GE(world.findings.size(), 1u) << which << " " << size;
      }
    }
  }
}

TEST(StoreDamage, WholeStoresAreFoundWhole) {
  World world;
  fill(world);
  Findings checked;
  check_provenance(world.files, world.config, checked);
  EXPECT_EQ(checked.size(), 0u);
}

TEST(StoreDamage, AnUnreadableBatchIsToldAndStopsNothing) {
  World world;
  world.open();
  world.commit({simple(EventType::create, 1)});
  world.store->take(2, 2, 3, {std::byte{0xFF}, std::byte{1}});
  world.store->take(3, 5, 1, encode({"c", "n", "t"}, {simple(EventType::create, 9)}));
  EXPECT_EQ(world.all().size(), 2u);
  world.store->flush();
  EXPECT_EQ(world.all().size(), 2u);
  EXPECT_EQ(world.findings.size(), 1u);
  EXPECT_EQ(world.store->durable_sequence(), 3u);
  EXPECT_EQ(world.store->find(5)->flow_file, uuid(9));
  EXPECT_FALSE(world.store->find(3));
}

TEST(StoreDamage, EventsThatNeverComeAreTold) {
  World world;
  world.open();
  world.commit({simple(EventType::create, 1)});
  world.next_id += 5;
  world.commit({simple(EventType::create, 2)});
  world.flush();
  EXPECT_EQ(world.all().size(), 2u);
  ASSERT_EQ(world.findings.size(), 1u);
  EXPECT_NE(world.findings.all[0].what.find("2 to 6 are missing"), std::string::npos);
}

}  // namespace
}  // namespace weir::provenance
