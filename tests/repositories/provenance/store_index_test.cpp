#include <fstream>

#include "tests/repositories/provenance/store_support.h"

namespace weir::provenance {
namespace {

using namespace test;
namespace fs = std::filesystem;

// On the machine's own file system, where RocksDB is the index.
class StoreIndex : public testing::Test {
 protected:
  StoreIndex() {
    std::string name = (fs::temp_directory_path() / "weir-provenance-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    config_.directories = {{"default", directory_}};
    config_.rollover_bytes = 2000;
  }
  ~StoreIndex() override {
    store_.reset();
    fs::remove_all(directory_);
  }

  void open() {
    store_.reset();
    store_ = open_provenance_repository(
        storage::real_file_system(), config_, [] { return 1000; }, findings_);
  }
  void add(std::uint64_t count) {
    for (; count > 0; --count) {
      ++last_;
      store_->take(last_, last_, 1, encode({"c", "n", "T"}, {simple(EventType::create, last_)}));
      if (last_ % 3 == 0) store_->flush();
    }
    store_->flush();
  }
  void expect_all() {
    Query query;
    query.limit = 100'000;
    query.newest_first = false;
    const auto events = store_->query(query).events;
    ASSERT_EQ(events.size(), last_);
    for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].id, i + 1);
    query.flow_file = uuid(last_ / 2);
    EXPECT_EQ(store_->query(query).events.size(), 1u);
    EXPECT_EQ(store_->find(last_ / 2)->flow_file, uuid(last_ / 2));
  }

  fs::path directory_;
  ProvenanceRepositoryConfig config_;
  Findings findings_;
  std::unique_ptr<ProvenanceRepository> store_;
  std::uint64_t last_ = 0;
};

TEST_F(StoreIndex, GoesOnAfterARestart) {
  open();
  add(50);
  expect_all();
  open();
  expect_all();
  add(20);
  expect_all();
  EXPECT_EQ(findings_.size(), 0u);
}

TEST_F(StoreIndex, DeletedItIsBuiltAgain) {
  open();
  add(50);
  store_.reset();
  EXPECT_GT(fs::remove_all(directory_ / "index"), 1u);
  open();
  expect_all();
  EXPECT_EQ(findings_.size(), 0u);
  EXPECT_TRUE(fs::exists(directory_ / "index"));
}

TEST_F(StoreIndex, AnOldOneCatchesUp) {
  open();
  add(20);
  store_.reset();
  fs::copy(directory_ / "index", directory_ / "old", fs::copy_options::recursive);
  open();
  add(40);
  store_.reset();
  fs::remove_all(directory_ / "index");
  fs::rename(directory_ / "old", directory_ / "index");
  open();
  expect_all();
}

TEST_F(StoreIndex, DamagedItIsBuiltAgain) {
  open();
  add(50);
  store_.reset();
  int damaged = 0;
  for (const auto& entry : fs::directory_iterator(directory_ / "index")) {
    std::ofstream(entry.path(), std::ios::trunc) << "damaged";
    ++damaged;
  }
  EXPECT_GT(damaged, 2);
  open();
  expect_all();
  EXPECT_GE(findings_.size(), 1u);
  add(10);
  expect_all();
}

TEST_F(StoreIndex, WhereItCannotBeTheQueriesWorkWithoutIt) {
  std::ofstream(directory_ / "index") << "a file in the way";
  fs::permissions(directory_ / "index", fs::perms::none);
  open();
  add(30);
  expect_all();
}

TEST_F(StoreIndex, RetentionTakesItsEntriesWithIt) {
  config_.max_storage_bytes = 5000;
  open();
  add(100);
  store_->maintain();
  const auto statistics = store_->statistics();
  EXPECT_GT(statistics.first_event_id, 10u);
  EXPECT_EQ(store_->query({}).events.size(), statistics.events);
  open();
  EXPECT_EQ(store_->query({}).events.size(), statistics.events);
  EXPECT_FALSE(store_->find(1));
  EXPECT_EQ(findings_.size(), 0u);
}

TEST_F(StoreIndex, ReadOnlyBesideARunningEngine) {
  open();
  add(30);
  auto reader = open_provenance_read_only(storage::real_file_system(), config_, findings_);
  EXPECT_EQ(reader->query({}).events.size(), 30u);
  EXPECT_EQ(reader->durable_sequence(), 30u);
  add(5);
  EXPECT_EQ(reader->query({}).events.size(), 30u);
}

}  // namespace
}  // namespace weir::provenance
