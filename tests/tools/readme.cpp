#include "tests/tools/readme.h"

#include <regex>
#include <sstream>

#include "tests/tools/program.h"

namespace weir::tools::testing {

std::vector<Example> readme_examples(const std::string& section) {
  std::vector<Example> examples;
  bool in_section = section.empty();
  bool in_output = false;
  for (const std::string& line : lines_of(read_file(WEIR_SOURCE "/README.md"))) {
    if (line.starts_with("## ") && !section.empty()) in_section = line == "## " + section;
    if (!in_section) continue;
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

std::string normalized(std::string text) {
  static const std::regex kUuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const std::regex kTime("[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}\\.[0-9]{3}");
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

}  // namespace weir::tools::testing
