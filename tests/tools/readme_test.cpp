#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/tools/engine_run.h"

namespace weir::tools::testing {
namespace {

struct Example {
  std::string command;
  std::string output;
};

// Lines of the README that begin with "$ ", each with what stands below it as its output.
std::vector<Example> examples_of(const std::string& text) {
  std::vector<Example> examples;
  bool in_output = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("$ ")) {
      examples.push_back({line.substr(2), ""});
      in_output = true;
    } else if (line.empty() || line.starts_with("```")) {
      in_output = false;
    } else if (in_output) {
      examples.back().output += line + "\n";
    }
  }
  return examples;
}

// What differs from run to run.
std::string normalized(std::string text) {
  static const std::regex kUuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const std::regex kTime("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\\.[0-9]{3}");
  // How sessions share content files depends on which of them run at the same time.
  static const std::regex kFiles("[0-9]+ content files?, [0-9]+ of them archived");
  text = std::regex_replace(text, kUuid, "UUID");
  text = std::regex_replace(text, kFiles, "CONTENT FILES");
  return std::regex_replace(text, kTime, "TIME");
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  constexpr std::string_view kPrograms = "build/release/bin/";
  if (words[0].starts_with(kPrograms)) words[0].erase(0, kPrograms.size());
  return words;
}

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
  for (const Example& example : examples_of(read_file(WEIR_SOURCE "/README.md"))) {
    const std::vector<std::string> words = words_of(example.command);
    if (words[0].starts_with("tools/dev")) continue;  // builds, or runs this very test
    const Result result = run(engine.folder().path(), words);
    EXPECT_EQ(result.exit_code, 0) << example.command << "\n" << result.err;
    EXPECT_EQ(normalized(result.out), normalized(example.output)) << example.command;
    ++checked;
  }
  EXPECT_GE(checked, 5);
}

}  // namespace
}  // namespace weir::tools::testing
