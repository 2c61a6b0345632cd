#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/program.h"

namespace weir::tools::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kBadFlow = R"({
  "processors": {
    "make": {"type": "SplitText", "properties": {"Line Split Cuont": "1"}},
    "odd": {"type": "NoSuchProcessor"}
  },
  "connections": ["make.spilts -> odd"]
})";

TEST(FlowCommand, CheckNamesEveryProblemWithItsPlaceAndCountsTypes) {
  const Folder folder;
  folder.write("bad.json", kBadFlow);
  const Result result = run(folder.path(), {"weirctl", "flow", "check", "bad.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("bad.json:3:"), HasSubstr("Line Split Count"),
                                HasSubstr("bad.json:4:"), HasSubstr("NoSuchProcessor"),
                                HasSubstr("bad.json:6:"), HasSubstr("splits")));
  EXPECT_THAT(lines_of(result.out).back(),
              HasSubstr("1 component of known type, 1 of unknown type; "));
}

TEST(FlowCommand, CheckSpeaksJson) {
  const Folder folder;
  folder.write("bad.json", kBadFlow);
  const Result result = run(folder.path(), {"weirctl", "flow", "check", "bad.json", "--json"});
  EXPECT_EQ(result.exit_code, 1);
  const auto lines = lines_of(result.out);
  ASSERT_GE(lines.size(), 2u);
  std::size_t errors = 0;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const json problem = json::parse(lines[i]);
    EXPECT_EQ(problem.at("file"), "bad.json");
    EXPECT_GT(problem.at("line"), 0);
    errors += problem.at("severity") == "error";
  }
  const json totals = json::parse(lines.back());
  EXPECT_EQ(totals.at("known_types"), 1);
  EXPECT_EQ(totals.at("unknown_types"), 1);
  EXPECT_EQ(totals.at("errors"), errors);
}

TEST(FlowCommand, AFileThatIsNoFlowIsAProblem) {
  const Folder folder;
  folder.write("no.json", "{\n  \"processors\": {,}\n}");
  const Result result = run(folder.path(), {"weirctl", "flow", "check", "no.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("no.json:2:"));
}

TEST(FlowCommand, TheExampleFlowIsFine) {
  const Folder folder;
  std::filesystem::create_directories(folder / "weir-data/in");
  const Result result =
      run(folder.path(), {"weirctl", "flow", "check", WEIR_SOURCE "/conf/quickstart.json"});
  EXPECT_EQ(result.out, "6 components of known type, 0 of unknown type; 0 errors, 0 warnings\n");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(FlowCommand, FormattingTwiceChangesNothing) {
  const Folder folder;
  folder.write("flow.json", read_file(WEIR_SOURCE "/conf/quickstart.json"));
  const Result once = run(folder.path(), {"weirctl", "flow", "fmt", "flow.json"});
  EXPECT_EQ(once.exit_code, 0);
  EXPECT_EQ(run(folder.path(), {"weirctl", "flow", "fmt", "-w", "flow.json"}).exit_code, 0);
  EXPECT_EQ(read_file(folder / "flow.json"), once.out);
  EXPECT_EQ(run(folder.path(), {"weirctl", "flow", "fmt", "flow.json"}).out, once.out);

  const Result nifi = run(folder.path(), {"weirctl", "flow", "fmt", "--nifi", "flow.json"});
  EXPECT_TRUE(json::parse(nifi.out).contains("rootGroup"));
}

TEST(FlowCommand, EncryptsSensitiveParameters) {
  const Folder folder;
  folder.write("flow.json", R"({
    "parameters": {"password": {"value": "swordfish", "sensitive": true}, "host": "here"},
    "processors": {"make": {"type": "GenerateFlowFile", "autoTerminate": ["success"]}}})");
  const std::string key = "nifi.sensitive.props.key=a long password";
  EXPECT_EQ(run(folder.path(), {"weirctl", "flow", "fmt", "--encrypt", "flow.json"}).exit_code, 2);
  EXPECT_EQ(
      run(folder.path(), {"weirctl", "flow", "fmt", "--encrypt", "-w", "flow.json", "--set", key})
          .exit_code,
      0);
  const std::string written = read_file(folder / "flow.json");
  EXPECT_THAT(written, AllOf(Not(HasSubstr("swordfish")), HasSubstr("enc{"), HasSubstr("here")));
  EXPECT_EQ(run(folder.path(), {"weirctl", "flow", "check", "flow.json", "--set", key}).exit_code,
            0);
  EXPECT_THAT(run(folder.path(), {"weirctl", "flow", "check", "flow.json"}).out,
              HasSubstr("parameter 'password': it is encrypted, and there is no key"));
}

TEST(FlowCommand, SchemaIsJson) {
  const Folder folder;
  const Result result = run(folder.path(), {"weirctl", "flow", "schema"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(json::parse(result.out).contains("$schema"));
}

TEST(ProcessorsCommand, ListsAndDescribes) {
  const Folder folder;
  const Result list = run(folder.path(), {"weirctl", "processors", "list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("TYPE"), HasSubstr("GetFile"), HasSubstr("MergeContent")));
  for (const std::string& line :
       lines_of(run(folder.path(), {"weirctl", "processors", "list", "--json"}).out)) {
    EXPECT_TRUE(json::parse(line).contains("properties"));
  }
  const Result page = run(folder.path(), {"weirctl", "processors", "describe", "PutFile"});
  EXPECT_THAT(page.out, HasSubstr("Conflict Resolution Strategy"));
  const Result wrong = run(folder.path(), {"weirctl", "processors", "describe", "PutFiel"});
  EXPECT_THAT(wrong.err, HasSubstr("did you mean PutFile?"));
}

}  // namespace
}  // namespace weir::tools::testing
