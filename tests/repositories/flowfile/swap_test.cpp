#include "tests/repositories/flowfile/test_support.h"

namespace weir::flowfile {
namespace {

std::vector<FlowFilePtr> create_many(Engine& engine, int count, const std::string& text = "") {
  std::vector<FlowFilePtr> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(engine.create("queue", {{"filename", "f" + std::to_string(i)}},
                                text.empty() ? content::ContentClaim{} : engine.write(text)));
  }
  return all;
}

std::vector<std::uint64_t> ids_of(const std::vector<FlowFilePtr>& records) {
  std::vector<std::uint64_t> ids;
  for (const FlowFilePtr& record : records) ids.push_back(record->id);
  return ids;
}

std::vector<std::string> names_in(storage::FileSystem& files, const storage::Path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : files.list(folder)) names.push_back(entry.name);
  return names;
}

TEST(SwapTest, SwappedFlowFilesComeBackInOrderAtAnyTime) {
  for (int when = 0; when < 6; ++when) {
    storage::FaultFileSystem files;
    std::vector<std::uint64_t> expected;
    {
      Engine engine(files);
      auto all = create_many(engine, 10);
      std::reverse(all.begin() + 3, all.end());  // as a prioritizer may want it
      expected = ids_of(all);
      if (when == 0) engine.repository->checkpoint(0, true);
      const std::vector<FlowFilePtr> tail(all.begin() + 3, all.end());
      const SwapFilePtr swap_file = engine.repository->swap_out("queue", tail);
      EXPECT_EQ(swap_file->count, 7u);
      EXPECT_EQ(swap_file->first_order, all[9]->arrival());
      EXPECT_EQ(ids_of(engine.repository->peek(swap_file)), ids_of(tail));
      if (when == 1) engine.repository->checkpoint(0, true);
      if (when >= 2) {
        EXPECT_EQ(ids_of(engine.repository->swap_in(swap_file)), ids_of(tail));
        std::reverse(expected.begin() + 3, expected.end());  // by arrival again
      }
      if (when == 3) engine.repository->checkpoint(0, true);
      if (when == 4) {
        engine.repository->checkpoint(0, true);
        engine.drop(all[0]);
        expected.erase(expected.begin());
      }
      if (when == 5) {
        engine.drop(all[9]);
        std::erase(expected, all[9]->id);
        engine.repository->checkpoint(0, true);
      }
    }
    files.kill_process();
    Engine engine(files);
    EXPECT_TRUE(engine.recovered.findings.empty()) << when;
    EXPECT_EQ(engine.recovered.flow_file_count, expected.size()) << when;
    std::vector<std::uint64_t> ids = engine.ids("queue");
    if (when < 2) {
      ASSERT_EQ(engine.queue("queue")->swap_files.size(), 1u);
      const auto back = engine.repository->swap_in(engine.queue("queue")->swap_files[0]);
      for (const FlowFilePtr& record : back) ids.push_back(record->id);
    } else if (when >= 3) {
      EXPECT_TRUE(names_in(files, kDirectory / "swap").empty());
    }
    EXPECT_EQ(ids, expected) << when;
  }
}

TEST(SwapTest, SnapshotsAndRecoveryDoNotOpenSwapFiles) {
  storage::FaultFileSystem files;
  {
    Engine engine(files);
    engine.repository->swap_out("queue", create_many(engine, 50, "text"));
    engine.repository->checkpoint(engine.repository->last_sequence(), true);
  }
  files.kill_process();
  for (const auto& name : names_in(files, kDirectory / "swap")) {
    files.damage_truncate(kDirectory / "swap" / name, 3);
  }
  Engine engine(files);
  EXPECT_EQ(engine.recovered.flow_file_count, 50u);
  EXPECT_TRUE(engine.recovered.findings.empty());
}

TEST(SwapTest, R009_FailedSwapOutLeavesNoFileAndNoCount) {
  storage::FaultFileSystem files;
  std::vector<std::uint64_t> expected;
  {
    Engine engine(files);
    const auto all = create_many(engine, 5);
    expected = ids_of(all);
    using Operation = storage::FaultFileSystem::Operation;
    files.fail(Operation::create, EROFS);
    EXPECT_THROW(engine.repository->swap_out("queue", all), storage::IoError);
    files.fail(Operation::append, ENOSPC);
    EXPECT_THROW(engine.repository->swap_out("queue", all), storage::IoError);
    EXPECT_TRUE(names_in(files, kDirectory / "swap").empty());
  }
  files.kill_process();
  Engine engine(files);
  EXPECT_EQ(engine.ids("queue"), expected);
  EXPECT_TRUE(engine.queue("queue")->swap_files.empty());
}

TEST(SwapTest, R009_OrphanSwapFilesAreReportedAndNeverLoaded) {
  storage::FaultFileSystem files;
  std::string name;
  {
    Engine engine(files);
    const SwapFilePtr swap_file = engine.repository->swap_out("queue", create_many(engine, 5));
    name = swap_file->name;
    const auto text = files.read_small(kDirectory / "swap" / name);
    files.replace_small(kDirectory / "swap" / "copy.swap", *text);
    files.replace_small(kDirectory / "swap" / "README", "mine");
  }
  files.kill_process();
  Engine engine(files);
  EXPECT_EQ(engine.recovered.flow_file_count, 5u);
  EXPECT_EQ(engine.queue("queue")->swap_files.size(), 1u);
  EXPECT_EQ(engine.recovered.findings.size(), 2u);
  EXPECT_EQ(names_in(files, kDirectory / "swap").size(), 3u);
}

TEST(SwapTest, R009_OwnUnreferencedSwapFileIsRemoved) {
  storage::FaultFileSystem files;
  std::string content;
  std::string name;
  {
    Engine engine(files);
    const SwapFilePtr swap_file = engine.repository->swap_out("queue", create_many(engine, 5));
    name = swap_file->name;
    content = *files.read_small(kDirectory / "swap" / name);
    engine.repository->swap_in(swap_file);
    engine.repository->checkpoint(0, true);
    files.replace_small(kDirectory / "swap" / name, content);
  }
  files.kill_process();
  Engine engine(files);
  EXPECT_EQ(engine.recovered.flow_file_count, 5u);
  EXPECT_EQ(engine.recovered.findings.size(), 1u);
  EXPECT_TRUE(names_in(files, kDirectory / "swap").empty());
}

TEST(SwapTest, R011_SwapInTwiceIsRefusedAfterTheCheckpoint) {
  storage::FaultFileSystem files;
  Engine engine(files);
  const SwapFilePtr swap_file = engine.repository->swap_out("queue", create_many(engine, 5));
  EXPECT_EQ(engine.repository->swap_in(swap_file).size(), 5u);
  engine.repository->checkpoint(0, true);
  EXPECT_THROW(engine.repository->peek(swap_file), storage::DamagedError);
}

TEST(SwapTest, R011_EverySwapFileComesBackOnceAfterARestartDuringSwapping) {
  storage::FaultFileSystem files;
  std::vector<std::uint64_t> expected;
  {
    Engine engine(files);
    for (int i = 0; i < 5; ++i) {
      const auto part = create_many(engine, 10);
      for (const auto id : ids_of(part)) expected.push_back(id);
      engine.repository->swap_out("queue", part);
      if (i == 2) engine.repository->checkpoint(0, true);
    }
  }
  std::vector<std::uint64_t> drained;
  for (int start = 0; start < 5; ++start) {
    files.kill_process();
    Engine engine(files);
    for (const FlowFilePtr& record : engine.queue("queue")->flow_files) {
      drained.push_back(record->id);
      engine.drop(record);
    }
    const auto& swap_files = engine.queue("queue")->swap_files;
    ASSERT_EQ(swap_files.size(), static_cast<std::size_t>(5 - start));
    for (const FlowFilePtr& record : engine.repository->swap_in(swap_files[0])) {
      drained.push_back(record->id);
      engine.drop(record);
    }
  }
  EXPECT_EQ(drained, expected);
  files.kill_process();
  EXPECT_EQ(Engine(files).recovered.flow_file_count, 0u);
}

TEST(SwapTest, R012_KeptFlowFilesOfARewrittenSwapFileStayInPlace) {
  storage::FaultFileSystem files;
  std::vector<std::uint64_t> expected;
  {
    Engine engine(files);
    const auto first = create_many(engine, 6);
    const SwapFilePtr old = engine.repository->swap_out("queue", first);
    const auto second = create_many(engine, 6);
    engine.repository->swap_out("queue", second);
    // The command line drops some FlowFiles of the first file: in, drop, out.
    std::vector<FlowFilePtr> kept;
    for (const FlowFilePtr& record : engine.repository->swap_in(old)) {
      if (record->id % 2 == 0) {
        engine.drop(record);
      } else {
        kept.push_back(record);
      }
    }
    engine.repository->swap_out("queue", kept);
    expected = ids_of(kept);
    for (const auto id : ids_of(second)) expected.push_back(id);
  }
  files.kill_process();
  Engine engine(files);
  std::vector<std::uint64_t> ids;
  for (const SwapFilePtr& swap_file : engine.queue("queue")->swap_files) {
    for (const auto id : ids_of(engine.repository->swap_in(swap_file))) ids.push_back(id);
  }
  EXPECT_EQ(ids, expected);
}

TEST(SwapTest, R017_ContentOfSwappedFlowFilesOutlivesCleanUps) {
  storage::FaultFileSystem files;
  {
    Engine engine(files);
    const auto writer = engine.contents->writer();
    std::vector<FlowFilePtr> both;
    for (const std::string& text : {std::string("small"), std::string(50'000, 'x')}) {
      writer->begin();
      writer->append(bytes_of(text));
      both.push_back(engine.make({}, writer->finish()));
    }
    writer->flush();
    Commit commit;
    commit.connections = {"queue"};
    for (const FlowFilePtr& record : both) {
      commit.updates.push_back({.kind = FlowFileUpdate::Kind::create, .record = record});
    }
    engine.repository->commit(std::move(commit));
    engine.repository->swap_out("queue", {both[1]});
    engine.repository->checkpoint(0, true);
  }
  files.kill_process();
  Engine engine(files);
  const FlowFilePtr small = std::move(engine.recovered.queues[0].flow_files.at(0));
  const SwapFilePtr swap_file = engine.queue("queue")->swap_files.at(0);
  engine.recovered.queues[0].flow_files.clear();
  engine.drop(small);
  for (int i = 0; i < 3; ++i) engine.repository->checkpoint(0, true);
  const auto back = engine.repository->swap_in(swap_file);
  EXPECT_EQ(engine.text_of(*back.at(0)), std::string(50'000, 'x'));
}

TEST(SwapTest, R156_OneDamagedSwapFileIsSetAsideAndTheOthersWork) {
  for (const bool missing : {false, true}) {
    storage::FaultFileSystem files;
    std::string damaged;
    {
      Engine engine(files);
      for (int i = 0; i < 5; ++i) {
        const auto name =
            engine.repository->swap_out("queue", create_many(engine, 20, "text"))->name;
        if (i == 2) damaged = name;
      }
    }
    files.kill_process();
    const storage::Path path = kDirectory / "swap" / damaged;
    missing ? files.remove(path) : files.flip_bit(path, files.status(path)->size_bytes * 4);
    {
      Engine engine(files);
      EXPECT_EQ(engine.recovered.flow_file_count, 100u);
      std::size_t back = 0;
      int lost = 0;
      for (const SwapFilePtr& swap_file : engine.queue("queue")->swap_files) {
        try {
          back += engine.repository->swap_in(swap_file).size();
        } catch (const storage::DamagedError&) {
          ++lost;
          EXPECT_EQ(swap_file->name, damaged);
        }
      }
      EXPECT_EQ(back, 80u);
      EXPECT_EQ(lost, 1);
      EXPECT_FALSE(engine.findings.all.empty());
      EXPECT_EQ(static_cast<bool>(files.status(kDirectory / "damaged" / damaged)), !missing);
      engine.repository->checkpoint(0, true);
    }
    for (int start = 0; start < 2; ++start) {
      files.kill_process();
      Engine engine(files);
      EXPECT_EQ(engine.recovered.flow_file_count, 80u);
      EXPECT_EQ(engine.recovered.findings.size(), 1u);  // still named
    }
  }
}

TEST(SwapTest, R149_QueuedMillionsStayOutOfMemory) {
  storage::FaultFileSystem files;
  {
    Engine engine(files);
    for (int i = 0; i < 50; ++i) engine.repository->swap_out("queue", create_many(engine, 100));
    engine.repository->checkpoint(engine.repository->last_sequence(), true);
  }
  files.kill_process();
  // What a start reads is the summaries: far less than the swap files hold.
  std::uint64_t swapped_bytes = 0;
  for (const auto& name : names_in(files, kDirectory / "swap")) {
    swapped_bytes += files.status(kDirectory / "swap" / name)->size_bytes;
  }
  EXPECT_LT(files.status(kDirectory / "snapshot")->size_bytes, swapped_bytes / 5);
  Engine engine(files);
  EXPECT_EQ(engine.recovered.flow_file_count, 5000u);
  EXPECT_TRUE(engine.queue("queue")->flow_files.empty());
}

}  // namespace
}  // namespace weir::flowfile
