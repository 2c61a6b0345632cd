#pragma once

#include <string>
#include <vector>

namespace weir::tools::testing {

// A line of the README that begins with "$ ", and what stands below it as its output.
struct Example {
  std::string command;
  std::string output;
};

// Those of one section of the top README, by its heading; or of all sections.
std::vector<Example> readme_examples(const std::string& section = {});

// Without what differs from run to run.
std::string normalized(std::string text);

// The program, its folder left out, and its arguments.
std::vector<std::string> words_of(const std::string& command);

}  // namespace weir::tools::testing
