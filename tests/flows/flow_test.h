#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::flows {

// A FlowFile as a flow test sends or expects it.
struct FlowFileText {
  int line = 0;
  std::uint64_t times = 1;
  std::optional<std::string> content;
  std::optional<std::string> content_pattern;
  std::optional<std::uint64_t> size_bytes;
  std::vector<std::pair<std::string, std::string>> attributes;  // a value /.../ is a pattern
  std::vector<std::string> absent;                              // attributes it must not have

  // With {{n}} in contents and values replaced.
  FlowFileText numbered(std::uint64_t number) const;
};

struct Step {
  enum class Kind {
    send,
    run,
    restart,
    start,
    stop,
    write_file,
    expect_flow_files,
    expect_count,
    expect_bulletin,
    expect_no_bulletin,
    expect_provenance,
    expect_file,
    expect_no_file,
  };
  Kind kind = Kind::run;
  int line = 0;
  std::string target;  // a connection, component or file
  std::string text;    // of a file, or a pattern
  std::uint64_t count = 0;
  std::chrono::nanoseconds duration{0};
  std::vector<FlowFileText> flow_files;
  std::vector<std::pair<std::string, std::uint64_t>> events;  // type and how often
};

// What a *.test file says. README.md describes the format.
struct FlowTest {
  std::string flow;
  int flow_line = 0;  // of the flow's first line
  std::string properties;
  std::vector<Step> steps;
};

// The error is "line: sentence" of the first mistake.
std::expected<FlowTest, std::string> parse_flow_test(std::string_view text);

}  // namespace weir::flows
