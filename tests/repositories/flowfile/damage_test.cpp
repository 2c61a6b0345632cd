#include "tests/repositories/flowfile/test_support.h"

namespace weir::flowfile {
namespace {

std::vector<storage::Path> files_below(storage::FileSystem& files, const storage::Path& folder) {
  std::vector<storage::Path> paths;
  for (const auto& entry : files.list(folder)) {
    const storage::Path path = folder / entry.name;
    if (entry.type == storage::FileStatus::Type::directory) {
      for (auto& below : files_below(files, path)) paths.push_back(below);
    } else {
      paths.push_back(path);
    }
  }
  return paths;
}

// A journal of `count` commits of one FlowFile each; returns where each record ends.
std::vector<std::uint64_t> write_commits(Engine& engine, int count) {
  std::vector<std::uint64_t> ends;
  for (int i = 0; i < count; ++i) {
    engine.create("queue");
    const auto names = engine.files.list(kDirectory / "journal");
    ends.push_back(engine.files.status(kDirectory / "journal" / names.back().name)->size_bytes);
  }
  return ends;
}

TEST(DamageTest, R001_NothingIsAppliedBehindADamagedRecord) {
  for (const int damaged : {0, 1, 499, 900, 998}) {
    storage::FaultFileSystem files;
    std::vector<std::uint64_t> ends;
    {
      Engine engine(files);
      ends = write_commits(engine, 1000);
    }
    files.kill_process();
    const storage::Path segment = kDirectory / "journal" / "00000000000000000001";
    files.flip_bit(segment, (ends[static_cast<std::size_t>(damaged)] - 3) * 8);
    std::vector<std::uint64_t> expected;
    for (int i = 0; i < damaged; ++i) expected.push_back(static_cast<std::uint64_t>(i) + 1);
    {
      Engine engine(files);
      EXPECT_EQ(engine.ids("queue"), expected);
      EXPECT_TRUE(engine.recovered.unreadable_records);
      ASSERT_EQ(engine.recovered.findings.size(), 1u);
      EXPECT_EQ(engine.recovered.findings[0].file, segment);
      if (damaged > 0) {
        EXPECT_EQ(engine.recovered.findings[0].offset, ends[static_cast<std::size_t>(damaged) - 1]);
      }
      EXPECT_EQ(files.status(kDirectory / "damaged" / "00000000000000000001")->size_bytes,
                ends.back());
      engine.create("queue");
    }
    for (int start = 0; start < 2; ++start) {
      files.kill_process();
      Engine engine(files);
      EXPECT_EQ(engine.recovered.flow_file_count, expected.size() + 1);
      EXPECT_TRUE(engine.recovered.findings.empty());
    }
  }
}

TEST(DamageTest, R001_LaterSegmentsAreSetAsideAsWell) {
  storage::FaultFileSystem files;
  std::size_t segments;
  {
    Engine engine(files, {.directory = kDirectory, .segment_bytes = 1000});
    write_commits(engine, 100);
    segments = files.list(kDirectory / "journal").size();
    ASSERT_GT(segments, 4u);
  }
  files.kill_process();
  const auto names = files.list(kDirectory / "journal");
  files.remove(kDirectory / "journal" / names[2].name);
  Engine engine(files);
  EXPECT_TRUE(engine.recovered.unreadable_records);
  EXPECT_EQ(files.list(kDirectory / "damaged").size(), segments - 3);
  const auto ids = engine.ids("queue");
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], i + 1);
  EXPECT_LT(ids.size(), 100u);
}

TEST(DamageTest, R003_CutSnapshotIsRefusedWithItsOffset) {
  std::mt19937_64 random(seed_of_run());
  for (int i = 0; i < loops(50); ++i) {
    storage::FaultFileSystem files;
    {
      Engine engine(files);
      Commit commit;
      commit.connections = {"queue"};
      for (int n = 0; n < 3000; ++n) {
        commit.updates.push_back(
            {.kind = FlowFileUpdate::Kind::create, .record = engine.make({{"n", "value"}})});
      }
      engine.repository->commit(std::move(commit));
      engine.repository->checkpoint(engine.repository->last_sequence(), true);
      engine.create("queue");
    }
    files.kill_process();
    const storage::Path snapshot = kDirectory / "snapshot";
    files.damage_truncate(snapshot, random() % files.status(snapshot)->size_bytes);
    try {
      Engine engine(files);
      ADD_FAILURE() << "started with " << engine.recovered.flow_file_count << " FlowFiles";
    } catch (const storage::RefusedError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(snapshot.string()));
    }
    EXPECT_TRUE(files.status(snapshot));
    files.kill_process();
  }
}

TEST(DamageTest, R146_MissingFilesOfFinishedWorkAreTolerated) {
  storage::FaultFileSystem files;
  {
    Engine engine(files, {.directory = kDirectory, .segment_bytes = 500});
    write_commits(engine, 30);
    engine.repository->checkpoint(0, true);  // segments stay for provenance
    engine.create("queue");
  }
  files.kill_process();
  const auto names = files.list(kDirectory / "journal");
  ASSERT_GT(names.size(), 3u);
  files.remove(kDirectory / "journal" / names[0].name);
  files.remove(kDirectory / "journal" / names[2].name);
  Engine engine(files);
  EXPECT_EQ(engine.recovered.flow_file_count, 31u);
  Sink sink;
  engine.repository->replay_events(0, sink);
  EXPECT_GT(sink.taken.size(), 10u);
}

// Any damage of any file: a start succeeds or is refused, at once, and what is missing is named.
TEST(DamageTest, R145_AnyDamageIsNamedAndNeverCrashes) {
  std::mt19937_64 random(seed_of_run());
  for (int i = 0; i < loops(300); ++i) {
    storage::FaultFileSystem files;
    std::vector<FlowFilePtr> all;
    {
      Engine engine(files, {.directory = kDirectory, .segment_bytes = 600});
      for (int n = 0; n < 8; ++n) all.push_back(engine.create("queue"));
      engine.repository->swap_out("queue", {all[2], all[3]});
      engine.repository->checkpoint(0, true);
      engine.repository->swap_out("queue", {all[4], all[5]});
      for (int n = 0; n < 8; ++n) all.push_back(engine.create("queue"));
    }
    files.kill_process();
    auto paths = files_below(files, kDirectory);
    std::erase_if(paths, [](const storage::Path& path) { return path.filename() == "lock"; });
    const storage::Path path = paths[random() % paths.size()];
    const std::uint64_t size = files.status(path)->size_bytes;
    if (size == 0) continue;
    const bool cut = random() % 2 == 0;
    const std::uint64_t at = random() % size;
    cut ? files.damage_truncate(path, at) : files.flip_bit(path, at * 8 + random() % 8);
    SCOPED_TRACE(path.string() + (cut ? " cut at " : " flipped at ") + std::to_string(at));

    std::vector<std::string> lines;
    dump_repository(files, kDirectory, [&](const std::string& line) { lines.push_back(line); });
    EXPECT_FALSE(lines.empty());
    try {
      Engine engine(files);
      std::size_t found = 0;
      for (const RecoveredQueue& queue : engine.recovered.queues) {
        found += queue.flow_files.size();
        for (const SwapFilePtr& swap_file : queue.swap_files) {
          try {
            found += engine.repository->swap_in(swap_file).size();
          } catch (const storage::DamagedError&) {
            EXPECT_FALSE(engine.findings.all.empty());
          }
        }
      }
      // A journal cut exactly where a record ends shows nothing: only of the last segment.
      const bool last_segment = path.parent_path() == kDirectory / "journal" && cut;
      if (found != all.size() && !last_segment) {
        EXPECT_FALSE(engine.findings.all.empty()) << found;
      }
    } catch (const storage::RefusedError& error) {
      EXPECT_NE(std::string(error.what()), "");
    } catch (const storage::StorageError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(DamageTest, ImageOfARunningRepositoryChangesNothing) {
  storage::FaultFileSystem files;
  Engine engine(files);
  const FlowFilePtr record = engine.create("queue", {}, engine.write("text"));
  engine.repository->swap_out("queue", {engine.create("queue")});
  engine.repository->checkpoint(0, true);
  engine.move(record, "other");
  engine.repository->flush();
  const auto before = files.operations();
  const auto contents =
      content::open_content_repository_read_only(files, {{"default", "/content"}});
  const RepositoryImage image = read_repository_image(files, kDirectory, *contents);
  std::vector<std::string> lines;
  dump_repository(files, kDirectory, [&](const std::string& line) { lines.push_back(line); });
  EXPECT_EQ(files.operations(), before);
  EXPECT_EQ(image.state.flow_file_count, 2u);
  EXPECT_EQ(image.last_sequence, engine.repository->last_sequence());
  EXPECT_EQ(image.durable_mark, image.last_sequence - 1);
  EXPECT_THAT(lines, testing::Contains(testing::HasSubstr("change id=1 connection=\"other\"")));
}

}  // namespace
}  // namespace weir::flowfile
