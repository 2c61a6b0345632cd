#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/tools/engine_run.h"

namespace weir::tools::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<json> objects_of(const Result& result) {
  std::vector<json> objects;
  for (const std::string& line : lines_of(result.out)) objects.push_back(json::parse(line));
  return objects;
}

// Repositories of an engine that passed two files and was stopped.
class Weirctl : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    engine_ = new EngineRun;
    engine_->start();
    engine_->pass_file("a.txt", "one\ntwo\n");
    engine_->pass_file("b.txt", "three\n");
    ASSERT_EQ(engine_->stop().exit_code, 0);
  }
  static void TearDownTestSuite() {
    delete engine_;
    engine_ = nullptr;
  }

  static std::vector<json> events(std::vector<std::string> filters) {
    std::vector<std::string> arguments = {"provenance", "list", "--json"};
    arguments.insert(arguments.end(), filters.begin(), filters.end());
    const Result result = engine_->weirctl(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return objects_of(result);
  }

  static EngineRun* engine_;
};

EngineRun* Weirctl::engine_ = nullptr;

TEST_F(Weirctl, ProvenanceListFilters) {
  EXPECT_EQ(events({"--type", "receive"}).size(), 2u);
  EXPECT_EQ(events({"--type", "RECEIVE", "--attribute", "filename=a.txt"}).size(), 1u);
  EXPECT_EQ(events({"--component", "write", "--type", "SEND"}).size(), 2u);
  EXPECT_EQ(events({"--from", "2 hours"}).size(), events({}).size());
  EXPECT_EQ(events({"--to", "2020-01-01"}).size(), 0u);
  EXPECT_EQ(events({"--limit", "1"}).size(), 1u);
  const json received = events({"--type", "RECEIVE", "--attribute", "filename=a.txt"}).at(0);
  const std::string uuid = received.at("flow_file");
  for (const json& event : events({"--uuid", uuid})) EXPECT_THAT(event.dump(), HasSubstr(uuid));
  EXPECT_GE(events({"--uuid", uuid}).size(), 3u);
}

TEST_F(Weirctl, ProvenanceListIsATableWithoutColoursInAPipe) {
  const Result result = engine_->weirctl({"provenance", "list", "--oldest-first"});
  const auto lines = lines_of(result.out);
  ASSERT_GE(lines.size(), 3u);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("EVENT"), HasSubstr("FLOWFILE"), HasSubstr("FILENAME")));
  EXPECT_THAT(lines[1], AllOf(HasSubstr("RECEIVE"), HasSubstr("pick up"), HasSubstr("a.txt")));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

TEST_F(Weirctl, ProvenanceShowAndContent) {
  const json event = events({"--type", "RECEIVE", "--attribute", "filename=a.txt"}).at(0);
  const std::string id = std::to_string(event.at("id").get<std::uint64_t>());
  const Result shown = engine_->weirctl({"provenance", "show", id});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("RECEIVE"), HasSubstr("a.txt"), HasSubstr("pick up")));
  EXPECT_EQ(engine_->weirctl({"provenance", "content", id}).out, "one\ntwo\n");

  EXPECT_EQ(engine_->weirctl({"provenance", "content", id, "-o", "saved"}).exit_code, 0);
  EXPECT_EQ(read_file(engine_->folder() / "saved"), "one\ntwo\n");
  EXPECT_EQ(engine_->weirctl({"provenance", "content", id, "-o", "saved"}).exit_code, 1);

  const json compressed = events({"--type", "CONTENT_MODIFIED", "--component", "compress",
                                  "--attribute", "filename=a.txt.gz"})
                              .at(0);
  const std::string change = std::to_string(compressed.at("id").get<std::uint64_t>());
  EXPECT_EQ(engine_->weirctl({"provenance", "content", "--before", change}).out, "one\ntwo\n");
  EXPECT_THAT(engine_->weirctl({"provenance", "content", "--after", change}).out,
              StartsWith("\x1f\x8b"));

  const Result none = engine_->weirctl({"provenance", "show", "999999999"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.err, "weirctl: there is no event 999999999\n");
}

TEST_F(Weirctl, LineageShowsTheWholeWayOfAFile) {
  const Result tree = engine_->weirctl({"provenance", "lineage", "a.txt"});
  ASSERT_EQ(tree.exit_code, 0) << tree.err;
  EXPECT_THAT(tree.out,
              AllOf(StartsWith("RECEIVE  pick up"), HasSubstr("FORK  split into lines"),
                    HasSubstr("JOIN  join"), HasSubstr("SEND  write"), Not(HasSubstr("b.txt"))));
  std::size_t joins = 0;
  for (const std::string& line : lines_of(tree.out)) joins += line.find("JOIN  join") != line.npos;
  EXPECT_GE(joins, 1u);

  EXPECT_THAT(engine_->weirctl({"provenance", "lineage", "a.txt", "--dot"}).out,
              AllOf(StartsWith("digraph"), HasSubstr(" -> ")));
  EXPECT_THAT(engine_->weirctl({"provenance", "lineage", "a.txt", "--svg"}).out,
              AllOf(StartsWith("<svg"), HasSubstr("</svg>")));
  std::size_t edges = 0;
  for (const json& one :
       objects_of(engine_->weirctl({"provenance", "lineage", "a.txt", "--json"}))) {
    edges += one.contains("from");
  }
  EXPECT_GE(edges, 4u);
  EXPECT_EQ(engine_->weirctl({"provenance", "lineage", "unheard-of"}).exit_code, 1);
}

TEST_F(Weirctl, QueueListKnowsTheFlowsConnections) {
  const Result list = engine_->weirctl({"queue", "list"});
  EXPECT_THAT(list.out, AllOf(HasSubstr("CONNECTION"), HasSubstr("pick up -> split into lines")));
  EXPECT_EQ(objects_of(engine_->weirctl({"queue", "list", "--json"})).size(), 9u);
  EXPECT_EQ(engine_->weirctl({"queue", "show", "join -> compress"}).out, "nothing is queued\n");
  const Result wrong = engine_->weirctl({"queue", "show", "join -> compres"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean join -> compress?"));
}

TEST_F(Weirctl, StatsAndDump) {
  EXPECT_THAT(engine_->weirctl({"repo", "stats"}).out,
              AllOf(HasSubstr("stopped"), HasSubstr("FlowFiles"), HasSubstr("provenance")));
  const json stats = objects_of(engine_->weirctl({"repo", "stats", "--json"})).at(0);
  EXPECT_EQ(stats.at("flow_files"), 0);
  EXPECT_GT(stats.at("events"), 5);
  EXPECT_EQ(engine_->weirctl({"repo", "dump"}).exit_code, 0);
}

TEST_F(Weirctl, ChangesNothing) {
  const auto before = content_of(engine_->folder() / "weir-data");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"provenance", "list"},
                                             {"provenance", "lineage", "a.txt"},
                                             {"queue", "list"},
                                             {"repo", "check"},
                                             {"repo", "stats"},
                                             {"repo", "dump"}}) {
    EXPECT_EQ(engine_->weirctl(arguments).exit_code, 0) << ::testing::PrintToString(arguments);
  }
  EXPECT_EQ(content_of(engine_->folder() / "weir-data"), before);
}

TEST_F(Weirctl, CheckFindsAContentFileThatNobodyRefersTo) {
  EXPECT_THAT(engine_->weirctl({"repo", "check"}).out, HasSubstr("; 0 problems\n"));
  const std::string leaked = "weir-data/content_repository/7/1024007";
  engine_->folder().write(leaked, "nobody's");
  const Result found = engine_->weirctl({"repo", "check"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.out, AllOf(HasSubstr("leaked claim: " + leaked), HasSubstr("; 1 problem\n")));
  std::filesystem::remove(engine_->folder() / leaked);
}

TEST(WeirctlOnARunningEngine, SeesItsEventsAndLeavesItAlone) {
  EngineRun engine;
  engine.start();
  engine.pass_file("a.txt", "one\ntwo\n");
  const Result list = engine.weirctl({"provenance", "list", "--type", "RECEIVE"});
  EXPECT_THAT(list.out, HasSubstr("a.txt"));
  const Result lineage = engine.weirctl({"provenance", "lineage", "a.txt"});
  EXPECT_THAT(lineage.out, HasSubstr("SEND  write"));
  EXPECT_EQ(engine.weirctl({"repo", "check"}).exit_code, 0);
  EXPECT_THAT(engine.weirctl({"repo", "stats"}).out, HasSubstr("running"));
  engine.pass_file("b.txt", "three\n");
  const Result stopped = engine.stop();
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
}

// FlowFiles that wait in a queue, with the engine stopped.
class WeirctlOnQueues : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("stuck.json", R"({
      "processors": {
        "make": {"type": "GenerateFlowFile", "schedule": "1 hour", "properties": {
                  "Batch Size": "3", "Custom Text": "hello", "Unique FlowFiles": "false"}},
        "log": {"type": "LogAttribute", "state": "stopped", "autoTerminate": ["success"]}
      },
      "connections": ["make.success -> log"]
    })");
    Program engine(folder_.path(), {"weir", "run", "stuck.json", "--set",
                                    "nifi.flowcontroller.graceful.shutdown.period=0 sec"});
    ASSERT_TRUE(eventually([&] { return engine.err().find("queued 3 ") != std::string::npos; }))
        << engine.err();
    engine.signal(SIGTERM);
    ASSERT_EQ(engine.finish().exit_code, 0);
  }

  Result weirctl(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "weirctl");
    return run(folder_.path(), arguments);
  }

  Folder folder_;
};

TEST_F(WeirctlOnQueues, ListsShowsAndReads) {
  const json queue = objects_of(weirctl({"queue", "list", "--json"})).at(0);
  EXPECT_EQ(queue.at("name"), "make -> log");
  EXPECT_EQ(queue.at("count"), 3);
  EXPECT_EQ(queue.at("bytes"), 15);
  const auto shown = objects_of(weirctl({"queue", "show", "make -> log", "--json"}));
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[1].at("position"), 2);
  const std::string uuid = shown[1].at("uuid");
  EXPECT_EQ(weirctl({"queue", "content", uuid}).out, "hello");
  EXPECT_EQ(weirctl({"repo", "check"}).exit_code, 0);
  const Result limited = weirctl({"queue", "show", "make -> log", "--limit", "2"});
  EXPECT_THAT(limited.out, HasSubstr("there are more than 2"));
}

TEST_F(WeirctlOnQueues, CheckFindsContentThatIsGone) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_ / "content_repository")) {
    const bool in_section =
        entry.path().parent_path().parent_path().filename() == "content_repository";
    if (entry.is_regular_file() && in_section) std::filesystem::remove(entry.path());
  }
  const Result found = weirctl({"repo", "check"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.out, AllOf(HasSubstr("missing content: "), HasSubstr("in make -> log: is gone"),
                               HasSubstr("; 3 problems\n")));
}

TEST_F(WeirctlOnQueues, NoFlippedByteCrashesACheck) {
  const auto files = content_of(folder_.path());
  for (const auto& [file, content] : files) {
    if (content.empty() || file.ends_with("stuck.json")) continue;
    std::string damaged = content;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    std::ofstream(file, std::ios::binary) << damaged;
    const Result result = weirctl({"repo", "check"});
    EXPECT_LE(result.exit_code, 1) << file << result.err;
    std::ofstream(file, std::ios::binary) << content;
  }
}

}  // namespace
}  // namespace weir::tools::testing
