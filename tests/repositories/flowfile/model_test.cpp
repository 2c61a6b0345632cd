#include <filesystem>

#include "tests/repositories/flowfile/test_support.h"

namespace weir::flowfile {
namespace {

using Kind = FlowFileUpdate::Kind;

enum class Which { write_ahead, rocksdb, none };

// The repository under test with what it needs, restarted at will.
class Subject {
 public:
  Subject(Which which, std::uint64_t seed) : which_(which) {
    folder_ = std::filesystem::temp_directory_path() /
              ("weir-flowfile-model-" + std::to_string(::getpid()) + "-" + std::to_string(seed));
    open();
  }
  ~Subject() {
    repository.reset();
    contents.reset();
    std::filesystem::remove_all(folder_);
  }

  bool survives() const { return which_ != Which::none; }
  void restart() {
    recovered = {};
    repository.reset();
    contents.reset();
    files_.kill_process();
    open();
  }

  std::unique_ptr<content::ContentRepository> contents;
  std::unique_ptr<FlowFileRepository> repository;
  Recovered recovered;
  Findings findings;

 private:
  void open() {
    contents = content::open_volatile_content_repository(1 << 20);
    const auto now_ms = [] { return kNow_ms; };
    switch (which_) {
      case Which::write_ahead:
        repository = open_write_ahead_repository(
            files_, {.directory = kDirectory, .segment_bytes = 3000}, now_ms, ++opened_, findings);
        break;
      case Which::rocksdb:
        repository = open_rocksdb_repository({.directory = folder_}, now_ms, findings);
        break;
      case Which::none:
        repository = open_volatile_repository();
        break;
    }
    recovered = repository->recover(*contents);
  }

  const Which which_;
  std::uint64_t opened_ = 0;
  storage::FaultFileSystem files_;
  std::filesystem::path folder_;
};

// Queues in memory: what the repository must bring back.
struct ModelQueue {
  std::vector<FlowFilePtr> flow_files;
  std::vector<std::pair<SwapFilePtr, std::vector<FlowFilePtr>>> swapped;
};

class ModelTest : public testing::TestWithParam<Which> {
 protected:
  static std::string connection(std::uint64_t n) {
    return n % 2 == 0 ? "0d6c1f0e-018b-1000-5a7e-00000000000" + std::to_string(n)
                      : "queue " + std::to_string(n);
  }

  FlowFilePtr random_record(Subject& subject) {
    boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord());
    record->id = subject.repository->next_id();
    EXPECT_TRUE(ids_.insert(record->id).second) << "an id was given twice";
    record->uuid = random_() % 3 == 0 ? Uuid{random_(), random_()} : uuids_.next(kNow_ms);
    record->entry_ms = static_cast<std::int64_t>(random_() % 1000) - 500;
    record->lineage_start_ms = record->entry_ms - static_cast<std::int64_t>(random_() % 100);
    change(*record);
    return record;
  }
  void change(FlowFileRecord& record) {
    record.attributes = Attributes::make(
        {{"filename", record.uuid.to_string()}, {"n", std::to_string(random_() % 1000)}});
    record.penalty_until_ms = random_() % 4 == 0 ? kNow_ms : 0;
  }

  void commit(Subject& subject) {
    Commit commit;
    for (std::uint64_t i = 0; i < 4; ++i) commit.connections.push_back(connection(i));
    std::vector<std::pair<std::uint32_t, FlowFilePtr>> entering;
    for (std::uint64_t n = random_() % 5 + 1; n > 0; --n) {
      const auto to = static_cast<std::uint32_t>(random_() % 4);
      ModelQueue& from = model_[connection(random_() % 4)];
      if (from.flow_files.empty() || random_() % 3 == 0) {
        entering.emplace_back(to, random_record(subject));
        commit.updates.push_back(
            {.kind = Kind::create, .record = entering.back().second, .connection = to});
        continue;
      }
      const auto at =
          from.flow_files.begin() + static_cast<std::ptrdiff_t>(random_() % from.flow_files.size());
      const FlowFilePtr taken = *at;
      from.flow_files.erase(at);
      if (random_() % 2 == 0) {
        commit.updates.push_back({.kind = Kind::drop, .record = taken});
        continue;
      }
      const bool changed = random_() % 2 == 0;
      boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord(*taken));
      if (changed) change(*record);
      entering.emplace_back(to, record);
      commit.updates.push_back({.kind = Kind::change,
                                .attributes_changed = changed,
                                .record = record,
                                .connection = to});
    }
    subject.repository->commit(std::move(commit));
    for (const auto& [to, record] : entering) {
      model_[connection(to)].flow_files.push_back(record);
    }
  }

  void swap_out(Subject& subject) {
    const std::string name = connection(random_() % 4);
    ModelQueue& queue = model_[name];
    if (queue.flow_files.size() < 3) return;
    const auto from = queue.flow_files.begin() + 1;
    const std::vector<FlowFilePtr> tail(from, queue.flow_files.end());
    queue.flow_files.erase(from, queue.flow_files.end());
    queue.swapped.emplace_back(subject.repository->swap_out(name, tail), tail);
  }
  void swap_in(Subject& subject) {
    ModelQueue& queue = model_[connection(random_() % 4)];
    if (queue.swapped.empty()) return;
    const auto& [swap_file, expected] = queue.swapped.front();
    const auto back = subject.repository->swap_in(swap_file);
    expect_equal(back, expected);
    queue.flow_files.insert(queue.flow_files.end(), back.begin(), back.end());
    queue.swapped.erase(queue.swapped.begin());
    std::sort(queue.flow_files.begin(), queue.flow_files.end(),
              [](const auto& a, const auto& b) { return a->arrival() < b->arrival(); });
  }

  void expect_equal(const std::vector<FlowFilePtr>& found,
                    const std::vector<FlowFilePtr>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(Values(*found[i]), Values(*expected[i]));
    }
  }

  void restart(Subject& subject) {
    subject.restart();
    ids_.clear();
    EXPECT_TRUE(subject.findings.all.empty());
    std::erase_if(model_, [](const auto& entry) {
      return entry.second.flow_files.empty() && entry.second.swapped.empty();
    });
    ASSERT_EQ(subject.recovered.queues.size(), model_.size());
    for (RecoveredQueue& queue : subject.recovered.queues) {
      ModelQueue& model = model_.at(queue.connection);
      expect_equal(queue.flow_files, model.flow_files);
      ASSERT_EQ(queue.swap_files.size(), model.swapped.size());
      std::sort(model.swapped.begin(), model.swapped.end(), [](const auto& a, const auto& b) {
        return a.first->first_order < b.first->first_order;
      });
      for (std::size_t i = 0; i < queue.swap_files.size(); ++i) {
        expect_equal(subject.repository->peek(queue.swap_files[i]), model.swapped[i].second);
        model.swapped[i].first = queue.swap_files[i];
      }
      model.flow_files = std::move(queue.flow_files);
      for (const FlowFilePtr& record : model.flow_files) ids_.insert(record->id);
    }
  }

  std::mt19937_64 random_{seed_of_run()};
  UuidGenerator uuids_{random_(), random_()};
  std::map<std::string, ModelQueue> model_;
  std::set<std::uint64_t> ids_;  // alive, or given in this run
};

TEST_P(ModelTest, RandomActionsLeaveWhatTheModelHolds) {
  Subject subject(GetParam(), random_());
  for (int i = 0; i < loops(GetParam() == Which::rocksdb ? 400 : 2000); ++i) {
    switch (random_() % 16) {
      case 0:
        swap_out(subject);
        break;
      case 1:
      case 2:
        swap_in(subject);
        break;
      case 3:
        subject.repository->checkpoint(random_() % (subject.repository->last_sequence() + 1),
                                       random_() % 2 == 0);
        break;
      case 4:
        subject.repository->flush();
        break;
      case 5:
        if (subject.survives() && random_() % 3 == 0) restart(subject);
        break;
      default:
        commit(subject);
    }
    if (HasFatalFailure() || HasFailure()) break;
  }
  model_.clear();
}

std::string name_of(const testing::TestParamInfo<Which>& test) {
  constexpr std::array<const char*, 3> kNames{"writeAhead", "rocksdb", "volatile"};
  return kNames[static_cast<std::size_t>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(Implementations, ModelTest,
                         testing::Values(Which::write_ahead, Which::rocksdb, Which::none), name_of);

}  // namespace
}  // namespace weir::flowfile
