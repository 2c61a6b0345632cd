#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::flow_test {

// A value that an attribute must have: this text, or the whole of it matches this pattern.
struct ExpectedValue {
  std::string text;
  bool pattern = false;
};

// A FlowFile as a test sends or expects it.
struct FlowFileText {
  int line = 0;
  std::uint64_t times = 1;
  std::optional<std::string> content;
  bool json = false;  // the content is compared as JSON
  std::optional<std::string> content_pattern;
  std::vector<std::string> contained;
  std::optional<std::uint64_t> size_bytes;
  std::vector<std::pair<std::string, ExpectedValue>> attributes;
  std::vector<std::string> absent;  // attributes it must not have
  std::string relationship;         // of a mocked sink: where it sends this one

  // With {{n}} in contents and values replaced.
  FlowFileText numbered(std::uint64_t number) const;
};

// What stands for a processor of the flow that is not to run.
struct Mock {
  int line = 0;
  std::string name;
  bool source = false;  // gives the FlowFiles of the test; else a sink, which takes what arrives
  std::string relationship;  // by which it sends; a sink without one ends what arrives
  std::vector<FlowFileText> flow_files;
};

struct Named {
  int line = 0;
  std::string name;
};

struct Parameter {
  int line = 0;
  std::string name;
  std::string value;
};

struct Step {
  enum class Kind {
    send,
    run,
    run_until_idle,
    restart,
    start,
    stop,
    write_file,
    expect_flow_files,
    expect_count,
    expect_queued,
    expect_bulletin,
    expect_no_bulletin,
    expect_provenance,
    expect_file,
    expect_no_file,
  };
  Kind kind = Kind::run;
  int line = 0;
  std::string target;  // a component, relationship, connection or file, as written
  std::string text;    // of a file, or a pattern
  std::uint64_t count = 0;
  bool any_order = false;
  std::chrono::nanoseconds duration{0};
  std::vector<FlowFileText> flow_files;
  std::vector<std::pair<std::string, std::uint64_t>> events;  // type and how often

  bool expects() const { return kind >= Kind::expect_flow_files; }
};

// One test: a flow, how it is cut out of its surroundings, and what happens to it. README.md
// describes the format.
struct FlowTest {
  std::string file;  // the *.test file, as it was named
  std::string name;
  int line = 1;

  std::string flow;                 // the flow itself
  int flow_line = 0;                // of its first line, or of the statement that names `flow_file`
  std::filesystem::path flow_file;  // empty: the flow stands in the test
  std::string properties;
  std::vector<int> property_lines;  // where each of them stands
  std::optional<std::int64_t> start_ms;
  std::uint64_t most_steps = 1'000'000;  // of work without time passing
  std::vector<Named> only;
  std::vector<Named> real;
  std::vector<Mock> mocks;
  std::vector<Parameter> parameters;
  std::vector<Step> steps;
};

// Something that a test file says wrong. `to_string`: "file:line: what (did you mean nearest?)".
struct Mistake {
  std::string file;
  int line = 0;
  std::string what;
  std::string nearest;

  std::string to_string() const;
};

// All tests of a file, or every mistake in it. Files that it names are read from beside it.
std::expected<std::vector<FlowTest>, std::vector<Mistake>> parse_flow_tests(
    std::string_view text, const std::string& file);

}  // namespace weir::flow_test
