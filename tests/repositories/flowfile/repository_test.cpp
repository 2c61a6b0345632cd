#include "tests/repositories/flowfile/test_support.h"

namespace weir::flowfile {
namespace {

using Kind = FlowFileUpdate::Kind;

TEST(WriteAheadTest, EmptyDirectoryRecoversEmpty) {
  storage::FaultFileSystem files;
  Engine engine(files);
  EXPECT_TRUE(engine.recovered.queues.empty());
  EXPECT_TRUE(engine.recovered.findings.empty());
  EXPECT_EQ(engine.repository->last_sequence(), 0u);
  EXPECT_EQ(engine.repository->next_id(), 1u);
}

TEST(WriteAheadTest, CreatedChangedMovedAndDroppedComeBack) {
  storage::FaultFileSystem files;
  const std::string uuid_connection = "0d6c1f0e-018b-1000-5a7e-1c8a5f3b2d11";
  std::optional<Values> expected_changed;
  std::optional<Values> expected_moved;
  {
    Engine engine(files);
    const FlowFilePtr first = engine.create("a", {{"n", "1"}}, engine.write("one"));
    const FlowFilePtr moved = engine.create("a", {{"n", "2"}}, engine.write("two"));
    const FlowFilePtr dropped = engine.create("b");
    boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord(*first));
    record->attributes = Attributes::make({{"n", "changed"}});
    record->claim = engine.write("changed");
    record->penalty_until_ms = kNow_ms + 30'000;
    expected_changed.emplace(*record);
    expected_moved.emplace(*moved);
    engine.commit(Kind::change, record, "b", true, true);
    engine.move(moved, uuid_connection);
    engine.drop(dropped);
  }
  for (int start = 0; start < 3; ++start) {
    files.kill_process();
    Engine engine(files);
    EXPECT_EQ(engine.recovered.flow_file_count, 2u);
    EXPECT_EQ(*expected_changed, Values(*engine.queue("b")->flow_files.at(0)));
    EXPECT_EQ(engine.text_of(*engine.queue("b")->flow_files.at(0)), "changed");
    EXPECT_EQ(*expected_moved, Values(*engine.queue(uuid_connection)->flow_files.at(0)));
    EXPECT_EQ(engine.queue("a"), nullptr);
    EXPECT_GT(engine.repository->next_id(), 3u);
    // The second start reads a snapshot, the third a snapshot alone.
    engine.repository->checkpoint(engine.repository->last_sequence(), true);
  }
}

TEST(WriteAheadTest, QueuesKeepTheOrderOfArrival) {
  storage::FaultFileSystem files;
  std::vector<std::uint64_t> expected;
  {
    Engine engine(files);
    std::vector<FlowFilePtr> all;
    for (int i = 0; i < 6; ++i) all.push_back(engine.create("a"));
    for (const int i : {3, 1, 5}) {
      engine.move(all[static_cast<std::size_t>(i)], "b");
      expected.push_back(all[static_cast<std::size_t>(i)]->id);
      if (i == 1) engine.repository->checkpoint(0, true);
    }
    engine.move(all[3], "b");  // back into its own queue: behind the others
    expected.erase(expected.begin());
    expected.push_back(all[3]->id);
  }
  files.kill_process();
  Engine engine(files);
  EXPECT_EQ(engine.ids("b"), expected);
  EXPECT_EQ(engine.ids("a"), (std::vector<std::uint64_t>{1, 3, 5}));
}

TEST(WriteAheadTest, PureMoveTakesFewBytes) {
  storage::FaultFileSystem files;
  Engine engine(files);
  Commit create;
  Commit move;
  create.connections = {"0d6c1f0e-018b-1000-5a7e-1c8a5f3b2d11"};
  move.connections = {"0d6c1f0e-018b-1000-5a7e-1c8a5f3b2d12"};
  for (int i = 0; i < 100; ++i) {
    const auto record = engine.make({{"filename", "a"}, {"path", "./"}});
    create.updates.push_back({.kind = Kind::create, .record = record, .connection = 0});
    move.updates.push_back({.kind = Kind::change, .record = record, .connection = 0});
  }
  engine.repository->commit(std::move(create));
  const auto created = engine.repository->statistics().bytes_written;
  engine.repository->commit(std::move(move));
  const auto moved = engine.repository->statistics().bytes_written - created;
  EXPECT_LT(created, 100u * 24);
  EXPECT_LT(moved, 100u * 2);
}

TEST(WriteAheadTest, EventsReachTheSinkInOrderAndAreReplayed) {
  storage::FaultFileSystem files;
  Sink live;
  {
    Engine engine(files);
    engine.repository->set_event_sink(&live);
    const FlowFilePtr record = engine.create("a");
    engine.move(record, "b");
    engine.repository->checkpoint(live.taken[0].sequence, true);
    engine.drop(record);
  }
  ASSERT_EQ(live.taken.size(), 3u);
  EXPECT_EQ(live.taken[2].first_event_id, live.taken[0].first_event_id + 2);
  files.kill_process();
  Engine engine(files);
  Sink replayed;
  engine.repository->replay_events(live.taken[0].sequence, replayed);
  ASSERT_EQ(replayed.taken.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(replayed.taken[i].sequence, live.taken[i + 1].sequence);
    EXPECT_EQ(replayed.taken[i].first_event_id, live.taken[i + 1].first_event_id);
    EXPECT_EQ(replayed.taken[i].events, live.taken[i + 1].events);
  }
  Sink after;
  engine.repository->set_event_sink(&after);
  engine.create("a");
  EXPECT_EQ(after.taken.at(0).first_event_id, live.taken[2].first_event_id + 1);
  EXPECT_GT(after.taken.at(0).sequence, live.taken[2].sequence);
}

TEST(WriteAheadTest, CheckpointsRemoveSegmentsThatNobodyNeeds) {
  storage::FaultFileSystem files;
  Engine engine(files, {.directory = kDirectory, .segment_bytes = 2000});
  std::vector<FlowFilePtr> all;
  for (int i = 0; i < 100; ++i) all.push_back(engine.create("a"));
  const auto segments = files.list(kDirectory / "journal").size();
  EXPECT_GT(segments, 3u);
  engine.repository->checkpoint(0, true);
  EXPECT_EQ(files.list(kDirectory / "journal").size(), segments);  // provenance needs them
  engine.repository->checkpoint(engine.repository->last_sequence(), true);
  EXPECT_EQ(files.list(kDirectory / "journal").size(), 0u);
  engine.drop(all[0]);
  engine.repository.reset();
  files.kill_process();
  Engine again(files);
  EXPECT_EQ(again.recovered.flow_file_count, 99u);
}

TEST(WriteAheadTest, SnapshotIsNotRewrittenForAFewCommits) {
  storage::FaultFileSystem files;
  Engine engine(files);
  engine.create("a");
  engine.repository->checkpoint(0, false);
  EXPECT_EQ(engine.repository->statistics().snapshots, 0u);
  engine.repository->checkpoint(0, true);
  EXPECT_EQ(engine.repository->statistics().snapshots, 1u);
  engine.repository->checkpoint(0, true);  // nothing new
  EXPECT_EQ(engine.repository->statistics().snapshots, 1u);
}

TEST(WriteAheadTest, WhatARestartFoundGoesIntoTheNextSnapshot) {
  storage::FaultFileSystem files;
  { Engine(files).create("a"); }
  files.kill_process();
  Engine engine(files);
  engine.repository->checkpoint(engine.repository->last_sequence(), true);
  EXPECT_TRUE(files.status(kDirectory / "snapshot"));
  EXPECT_TRUE(files.list(kDirectory / "journal").empty());
}

TEST(WriteAheadTest, IdleRepositoryWritesNothing) {
  storage::FaultFileSystem files;
  Engine engine(files);
  engine.create("a");
  engine.repository->flush();
  engine.repository->checkpoint(0, false);
  const auto before = files.operations();
  for (int i = 0; i < 5; ++i) {
    engine.repository->flush();
    engine.repository->checkpoint(0, false);
  }
  EXPECT_EQ(files.operations(), before);
}

TEST(WriteAheadTest, StartAndStopWithoutCommitsLeaveTheJournalAlone) {
  storage::FaultFileSystem files;
  { Engine(files).create("a"); }
  for (int i = 0; i < 3; ++i) {
    files.kill_process();
    Engine engine(files);
    EXPECT_EQ(engine.recovered.flow_file_count, 1u);
  }
  const auto names = files.list(kDirectory / "journal").size();
  for (int i = 0; i < 3; ++i) {
    files.kill_process();
    Engine engine(files);
    EXPECT_EQ(files.list(kDirectory / "journal").size(), names);
  }
}

TEST(WriteAheadTest, SecondEngineIsRefused) {
  storage::FaultFileSystem files;
  Engine engine(files);
  Findings findings;
  EXPECT_THROW(open_write_ahead_repository(
                   files, {.directory = kDirectory}, [] { return kNow_ms; }, 1, findings),
               storage::RefusedError);
}

TEST(WriteAheadTest, AnotherVersionIsRefusedUntouched) {
  storage::FaultFileSystem files;
  { Engine engine(files); }
  files.kill_process();
  files.replace_small(kDirectory / "version", "weir flowfile repository 2\n");
  Findings findings;
  EXPECT_THROW(open_write_ahead_repository(
                   files, {.directory = kDirectory}, [] { return kNow_ms; }, 1, findings),
               storage::RefusedError);
}

TEST(WriteAheadTest, FullDiskFailsTheCommitAndGoesOnWhenThereIsRoom) {
  for (const std::uint64_t room : {0, 1, 20, 60}) {
    storage::FaultFileSystem files;
    std::vector<std::uint64_t> expected;
    {
      Engine engine(files);
      expected.push_back(engine.create("a")->id);
      std::uint64_t used = 0;
      for (const char* folder : {"journal"}) {
        for (const auto& entry : files.list(kDirectory / folder)) {
          used += files.status(kDirectory / folder / entry.name)->size_bytes;
        }
      }
      used += files.status(kDirectory / "version")->size_bytes;
      files.set_capacity(used + room);
      for (int i = 0; i < 3; ++i) {
        const FlowFilePtr record = engine.make({{"large", std::string(200, 'x')}});
        try {
          engine.commit(Kind::create, record, "a");
          ADD_FAILURE() << "there was no room";
        } catch (const storage::IoError& error) {
          EXPECT_TRUE(error.disk_full()) << error.what();
        }
      }
      if (room != 20) {
        files.set_capacity(1 << 30);
        expected.push_back(engine.create("a")->id);
      }
    }
    files.set_capacity(1 << 30);
    files.kill_process();
    Engine engine(files);
    EXPECT_EQ(engine.ids("a"), expected);
  }
}

TEST(WriteAheadTest, FailedSyncStopsCommitsUntilRestart) {
  storage::FaultFileSystem files;
  {
    Engine engine(files, {.directory = kDirectory, .always_sync = true});
    engine.create("a");
    files.fail(storage::FaultFileSystem::Operation::sync, EIO);
    EXPECT_THROW(engine.create("a"), storage::IoError);
    EXPECT_THROW(engine.create("a"), storage::IoError);
    EXPECT_THROW(engine.repository->flush(), storage::IoError);
  }
  files.kill_process();
  Engine engine(files, {.directory = kDirectory, .always_sync = true});
  EXPECT_EQ(engine.recovered.flow_file_count, 1u);
  engine.create("a");
}

TEST(WriteAheadTest, FailedSyncOfAFlushStopsCommits) {
  storage::FaultFileSystem files;
  Engine engine(files);
  engine.create("a");
  files.fail(storage::FaultFileSystem::Operation::sync, ENOSPC);
  EXPECT_THROW(engine.repository->flush(), storage::IoError);
  EXPECT_THROW(engine.create("a"), storage::IoError);
}

TEST(WriteAheadTest, FailedSnapshotLeavesEverythingAsItWas) {
  storage::FaultFileSystem files;
  {
    Engine engine(files);
    engine.create("a");
    engine.repository->flush();
    files.fail(storage::FaultFileSystem::Operation::create, ENOSPC);
    EXPECT_THROW(engine.repository->checkpoint(0, true), storage::IoError);
    engine.create("a");
    files.fail(storage::FaultFileSystem::Operation::rename, EIO);
    EXPECT_THROW(engine.repository->checkpoint(0, true), storage::IoError);
    engine.create("a");
    engine.repository->checkpoint(0, true);
  }
  files.kill_process();
  Engine engine(files);
  EXPECT_EQ(engine.recovered.flow_file_count, 3u);
}

TEST(WriteAheadTest, NewestCompletePartialBecomesTheSnapshot) {
  storage::FaultFileSystem files;
  {
    Engine engine(files);
    engine.create("a");
    engine.repository->checkpoint(engine.repository->last_sequence(), true);
  }
  files.kill_process();
  files.rename(kDirectory / "snapshot", kDirectory / "00000000000000000002.partial");
  files.open_append(kDirectory / "00000000000000000009.partial",
                    storage::FileSystem::Create::must_not_exist);
  {
    Engine engine(files);
    EXPECT_EQ(engine.recovered.flow_file_count, 1u);
    EXPECT_TRUE(files.status(kDirectory / "snapshot"));
    EXPECT_FALSE(files.status(kDirectory / "00000000000000000009.partial"));
    engine.create("a");
  }
  files.kill_process();
  // Newer than the snapshot: never used.
  files.open_append(kDirectory / "00000000000000000003.partial",
                    storage::FileSystem::Create::must_not_exist);
  Engine engine(files);
  EXPECT_EQ(engine.recovered.flow_file_count, 2u);
  EXPECT_FALSE(files.status(kDirectory / "00000000000000000003.partial"));
}

TEST(WriteAheadTest, MissingSnapshotIsRefused) {
  storage::FaultFileSystem files;
  {
    Engine engine(files);
    engine.create("a");
    engine.repository->checkpoint(engine.repository->last_sequence(), true);
    engine.create("a");
  }
  files.kill_process();
  files.remove(kDirectory / "snapshot");
  EXPECT_THROW(Engine{files}, storage::RefusedError);
}

}  // namespace
}  // namespace weir::flowfile
