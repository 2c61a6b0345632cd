#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/runtime/flow_file_queue.h"
#include "repositories/content/content_repository.h"
#include "repositories/storage/fault_file_system.h"

namespace weir::runtime::testing {

struct TestClock : Clock {
  std::int64_t time_ms = 1'700'000'000'000;
  std::int64_t now_ms() const override { return time_ms; }
  std::int64_t steady_ns() const override { return time_ms * 1'000'000; }
};

struct CountingWakeable : Wakeable {
  int wakes = 0;
  void wake() override { ++wakes; }
};

struct IgnoreFindings : storage::FindingReporter {
  void report(const storage::Finding& finding) override { findings.push_back(finding); }
  std::vector<storage::Finding> findings;
};

// A write-ahead repository over the fault-injecting file system with one queue, as an engine
// would have it: what is put was committed before, what is acknowledged was dropped.
class QueueOnDisk {
 public:
  explicit QueueOnDisk(FlowFileQueue::Config queue_config) : config(std::move(queue_config)) {
    open();
  }

  // Another process starts on what is there, perhaps with another configuration.
  void kill_and_open() {
    close();
    files.kill_process();
    open();
  }
  void close() {
    queue.reset();
    repository.reset();
    contents.reset();
  }

  void put(int from, int to) {
    std::vector<flowfile::FlowFilePtr> made;
    flowfile::Commit commit;
    commit.connections = {config.id};
    for (int i = from; i < to; ++i) {
      auto record = std::make_unique<flowfile::FlowFileRecord>();
      record->id = repository->next_id();
      record->uuid = {1, static_cast<std::uint64_t>(i)};
      record->entry_ms = record->lineage_start_ms = clock.time_ms;
      record->attributes = flowfile::Attributes::make({{"n", std::to_string(i)}});
      flowfile::FlowFileUpdate update;
      update.record = flowfile::FlowFilePtr(record.release());
      made.push_back(update.record);
      commit.updates.push_back(std::move(update));
    }
    repository->commit(std::move(commit));
    queue->put(std::move(made));
  }

  void drop(const std::vector<flowfile::FlowFilePtr>& flow_files) {
    flowfile::Commit commit;
    for (const auto& flow_file : flow_files) {
      flowfile::FlowFileUpdate update;
      update.kind = flowfile::FlowFileUpdate::Kind::drop;
      update.record = flow_file;
      commit.updates.push_back(std::move(update));
    }
    repository->commit(std::move(commit));
    queue->acknowledge(flow_files.size(), 0);
  }

  // Takes and drops FlowFiles until none is given; their numbers in order.
  std::vector<int> drain() {
    std::vector<int> numbers;
    for (;;) {
      FlowFileQueue::Polled polled;
      queue->poll(1000, polled);
      if (polled.flow_files.empty()) return numbers;
      for (const auto& flow_file : polled.flow_files) numbers.push_back(number(*flow_file));
      drop(polled.flow_files);
    }
  }

  static int number(const flowfile::FlowFileRecord& record) {
    return std::stoi(*record.attributes->find("n"));
  }

  FlowFileQueue::Config config;
  storage::FaultFileSystem files;
  TestClock clock;
  IgnoreFindings findings;
  std::vector<std::string> troubles;
  std::unique_ptr<content::ContentRepository> contents;
  std::unique_ptr<flowfile::FlowFileRepository> repository;
  std::unique_ptr<FlowFileQueue> queue;

 private:
  void open() {
    contents = content::open_volatile_content_repository(1u << 20);
    flowfile::FlowFileRepositoryConfig disk;
    disk.directory = "/data/flowfile_repository";
    repository = flowfile::open_write_ahead_repository(
        files, disk, [this] { return clock.time_ms; }, 7, findings);
    flowfile::Recovered recovered = repository->recover(*contents);
    queue = std::make_unique<FlowFileQueue>(
        config, *repository, clock,
        [this](const std::string& message) { troubles.push_back(message); });
    for (flowfile::RecoveredQueue& found : recovered.queues) {
      ASSERT_EQ(found.connection, config.id);
      queue->recover(std::move(found));
    }
  }
};

inline std::vector<int> numbers_from_to(int from, int to) {
  std::vector<int> all;
  for (int i = from; i < to; ++i) all.push_back(i);
  return all;
}

}  // namespace weir::runtime::testing
