#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/engine_run.h"
#include "tests/tools/readme.h"

namespace weir::tools::testing {
namespace {

// The file that `tools/dev run` drops in.
constexpr const char* kSample =
    "Every line of this file becomes a FlowFile of its own.\n"
    "The lines are put together again, compressed, and written.\n"
    "Each step is recorded as a provenance event.\n";

TEST(Readme, ItsCommandsPrintWhatItSays) {
  EngineRun engine;
  engine.start();
  engine.pass_file("sample.txt", kSample);
  ASSERT_EQ(engine.stop().exit_code, 0);
  std::filesystem::create_directory_symlink(WEIR_SOURCE "/conf", engine.folder() / "conf");

  int checked = 0;
  for (const Example& example : readme_examples()) {
    const std::vector<std::string> words = words_of(example.command);
    if (words[0].starts_with("tools/dev")) continue;  // builds, or runs this very test
    if (example.command.find("kafka-data") != std::string::npos) continue;  // has a test of its own
    const Result result = run(engine.folder().path(), words);
    EXPECT_EQ(result.exit_code, 0) << example.command << "\n" << result.err;
    EXPECT_EQ(normalized(result.out), normalized(example.output)) << example.command;
    ++checked;
  }
  EXPECT_GE(checked, 5);
}

}  // namespace
}  // namespace weir::tools::testing
