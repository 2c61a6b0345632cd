#pragma once

#include <algorithm>

#include "repositories/storage/fault_file_system.h"
#include "tests/repositories/provenance/test_support.h"

namespace weir::provenance::test {

inline const storage::Path kDirectory = "/provenance";
inline const storage::Path kEvents = kDirectory / "events";

// A store with the journal that stands behind it, and what it must hold.
class World {
 public:
  explicit World(std::uint64_t file_seed = 0) : files(file_seed) {
    config.directories = {{"default", kDirectory}};
    config.own_thread = false;
  }

  struct Commit {
    std::uint64_t sequence = 0;
    std::uint64_t first_id = 0;
    std::vector<Event> events;
    std::vector<std::byte> bytes;
    ComponentRef component;
  };

  void open() {
    store.reset();
    store = open_provenance_repository(
        files, config, [this] { return now_ms; }, findings);
    for (const auto& commit : journal) {
      // The journal keeps what was not durable once; more it need not have.
      if (commit.sequence > store->durable_sequence()) {
        EXPECT_GT(commit.sequence, journal_before) << "the journal had been cut already";
        give(commit);
      }
    }
  }
  // Into the journal, then into the store: what a commit does.
  void commit(std::vector<Event> events, ComponentRef component = {"c", "Component", "Type"}) {
    auto bytes = encode(component, events);
    Commit commit{journal.size() + 1, next_id, std::move(events), std::move(bytes),
                  std::move(component)};
    next_id += commit.events.size();
    journal.push_back(std::move(commit));
    give(journal.back());
  }
  void give(const Commit& commit) {
    store->take(commit.sequence, commit.first_id, static_cast<std::uint32_t>(commit.events.size()),
                commit.bytes);
  }
  void flush() {
    store->flush();
    checkpoint();
  }
  void checkpoint_if_open() {
    if (store) checkpoint();
  }
  void checkpoint() { journal_before = std::max(journal_before, store->durable_sequence()); }

  std::vector<StoredEvent> all(bool newest_first = false) {
    Query query;
    query.limit = 1'000'000;
    query.newest_first = newest_first;
    return store->query(query).events;
  }
  // Each event of each commit once, in order, from event `first` on.
  void expect_all(std::uint64_t first = 1) {
    const auto found = all();
    std::size_t at = 0;
    for (const auto& commit : journal) {
      for (std::size_t i = 0; i < commit.events.size(); ++i) {
        if (commit.first_id + i < first) continue;
        ASSERT_LT(at, found.size()) << "event " << commit.first_id + i << " is missing";
        ASSERT_EQ(found[at].id, commit.first_id + i);
        ASSERT_EQ(found[at].flow_file, commit.events[i].flow_file);
        ASSERT_EQ(found[at].component, commit.component);
        ++at;
      }
    }
    EXPECT_EQ(at, found.size());
  }
  std::vector<storage::Path> event_files() {
    std::vector<storage::Path> paths;
    for (const auto& entry : files.list(kEvents)) paths.push_back(kEvents / entry.name);
    std::ranges::sort(paths);
    return paths;
  }

  storage::FaultFileSystem files;
  Findings findings;
  ProvenanceRepositoryConfig config;
  std::int64_t now_ms = 1'000'000;
  std::vector<Commit> journal;
  std::uint64_t journal_before = 0;  // commits up to here may be gone from the journal
  std::uint64_t next_id = 1;
  std::unique_ptr<ProvenanceRepository> store;
};

}  // namespace weir::provenance::test
