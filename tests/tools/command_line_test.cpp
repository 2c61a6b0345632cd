#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/program.h"

namespace weir::tools::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CommandLine, TellsItsVersionAndHelp) {
  const Folder folder;
  for (const std::string program : {"weir", "weirctl"}) {
    const Result version = run(folder.path(), {program, "--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_THAT(version.out, StartsWith(program + " 0."));
    const Result help = run(folder.path(), {program, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: " + program));
  }
}

TEST(CommandLine, WrongUsageEndsWith2AndTouchesNothing) {
  const Folder folder;
  const std::vector<std::vector<std::string>> wrong = {
      {"weir"},
      {"weir", "go"},
      {"weir", "run"},
      {"weir", "run", "--no-such-option", "x.json"},
      {"weir", "run", "missing.json"},
      {"weir", "run", "x.json", "--log-level", "loud"},
      {"weirctl"},
      {"weirctl", "provenance"},
      {"weirctl", "provenance", "list", "--limit", "many"},
      {"weirctl", "provenance", "list", "--type", "NOTHING"},
      {"weirctl", "provenance", "list"},
      {"weirctl", "queue", "show"},
      {"weirctl", "queue", "list", "--data", "nowhere"},
      {"weirctl", "repo", "check", "--data", "nowhere"},
      {"weirctl", "repo", "check", "--set", "novalue"},
      {"weirctl", "flow", "check", "missing.json"},
      {"weirctl", "processors", "describe", "NoSuchProcessor"},
  };
  for (const auto& arguments : wrong) {
    const Result result = run(folder.path(), arguments);
    EXPECT_EQ(result.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(result.err, Not(IsEmpty())) << ::testing::PrintToString(arguments);
  }
  EXPECT_THAT(content_of(folder.path()), IsEmpty());
}

TEST(CommandLine, NamesAllProblemsOfPropertiesAndFlowAtOnce) {
  const Folder folder;
  folder.write("bad.properties",
               "nifi.queue.swap.treshold=1\nnifi.flowfile.repository.always.sync=maybe\n");
  folder.write("bad.json", "{ \"processors\": { \"a\" }");
  const Result result =
      run(folder.path(), {"weir", "run", "bad.json", "-c", "bad.properties", "--set", "weir.x=1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("bad.properties:1: error: nifi.queue.swap.treshold"),
                    HasSubstr("did you mean nifi.queue.swap.threshold?"),
                    HasSubstr("bad.properties:2: error: nifi.flowfile.repository.always.sync"),
                    HasSubstr("error: weir.x"), HasSubstr("bad.json:1:")));
  EXPECT_EQ(content_of(folder.path()).size(), 2u) << "no repository was made";
}

TEST(CommandLine, AFlowOfWhichNothingCanRunTouchesNothing) {
  const Folder folder;
  folder.write("flow.json", R"({"processors": {"a": {"type": "GetFil"}}})");
  const Result result = run(folder.path(), {"weir", "run", "flow.json", "--data", "data"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("flow.json:1:17: error: a: "), HasSubstr("'GetFile'"),
                                HasSubstr("no processor of the flow can run")));
  EXPECT_THAT(content_of(folder.path()), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace weir::tools::testing
