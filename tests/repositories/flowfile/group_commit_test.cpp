#include "repositories/flowfile/group_commit.h"

#include "tests/repositories/flowfile/test_support.h"

namespace weir::flowfile {
namespace {

TEST(GroupCommitTest, WaitersAreWrittenTogetherAndErrorsReachAllOfAGroup) {
  GroupCommit group;
  std::mutex mutex;
  std::condition_variable changed;
  bool entered = false;
  bool go = false;
  std::vector<std::size_t> sizes;
  const auto write = [&](std::span<GroupCommit::Item* const> items) {
    std::unique_lock lock(mutex);
    sizes.push_back(items.size());
    entered = true;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(30), [&] { return go; });
    if (sizes.size() == 2) throw storage::IoError("append to", "journal", ENOSPC);
  };
  std::atomic<int> failed{0};
  std::atomic<int> waiting{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    GroupCommit::Item item;
    group.submit(item, write);
  });
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return entered; }));
  }
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      GroupCommit::Item item;
      ++waiting;
      try {
        group.submit(item, write);
      } catch (const storage::IoError&) {
        ++failed;
      }
    });
  }
  while (waiting < 4) std::this_thread::yield();
  {
    const std::lock_guard lock(mutex);
    go = true;
    changed.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_GE(sizes.size(), 2u);
  EXPECT_EQ(sizes[0], 1u);
  EXPECT_EQ(static_cast<std::size_t>(failed), sizes[1]);
}

TEST(GroupCommitTest, ConcurrentCommitsKeepOrderAndAllSurvive) {
  for (const bool always_sync : {false, true}) {
    storage::FaultFileSystem files;
    Sink sink;
    constexpr int kThreads = 4;
    const int commits = loops(300);
    {
      Engine engine(files,
                    {.directory = kDirectory, .always_sync = always_sync, .segment_bytes = 8000});
      engine.repository->set_event_sink(&sink);
      std::atomic<bool> done{false};
      std::thread background([&] {
        while (!done) {
          engine.repository->flush();
          engine.repository->checkpoint(0, true);
        }
      });
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&engine, t, commits] {
          UuidGenerator uuids(static_cast<std::uint64_t>(t), static_cast<std::uint64_t>(t) << 40);
          const std::string connection = "queue " + std::to_string(t);
          for (int i = 0; i < commits; ++i) {
            boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord());
            record->id = engine.repository->next_id();
            record->uuid = uuids.next(kNow_ms);
            engine.commit(FlowFileUpdate::Kind::create, record, connection);
            if (i % 3 == 0) engine.drop(record);
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      done = true;
      background.join();
    }
    std::uint64_t next_event = 1;
    std::uint64_t sequence = 0;
    for (const Sink::Taken& taken : sink.taken) {
      EXPECT_EQ(taken.first_event_id, next_event++);
      EXPECT_GT(taken.sequence, sequence);
      sequence = taken.sequence;
    }
    files.kill_process();
    Engine engine(files, {.directory = kDirectory, .always_sync = always_sync});
    EXPECT_TRUE(engine.recovered.findings.empty());
    const int dropped = (commits + 2) / 3;
    EXPECT_EQ(engine.recovered.flow_file_count,
              static_cast<std::uint64_t>(kThreads * (commits - dropped)));
    for (int t = 0; t < kThreads; ++t) {
      const auto ids = engine.ids("queue " + std::to_string(t));
      EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    }
    Sink replayed;
    engine.repository->replay_events(0, replayed);
    ASSERT_EQ(replayed.taken.size(), sink.taken.size());
    for (std::size_t i = 0; i < sink.taken.size(); ++i) {
      EXPECT_EQ(replayed.taken[i].sequence, sink.taken[i].sequence);
      EXPECT_EQ(replayed.taken[i].events, sink.taken[i].events);
    }
  }
}

}  // namespace
}  // namespace weir::flowfile
