#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "repositories/storage/file_system.h"
#include "tools/common/terminal.h"
#include "tools/common/text.h"
#include "tools/flow_test/coverage.h"
#include "tools/flow_test/junit.h"
#include "tools/flow_test/run.h"
#include "tools/weirctl/command.h"
#include "tools/weirctl/output.h"

namespace weir::tools {
namespace {

namespace fs = std::filesystem;
using flow_test::FlowCoverage;
using flow_test::FlowTest;
using flow_test::TestResult;
using nlohmann::ordered_json;

struct TestOptions {
  std::vector<std::string> files;
  std::string only;
  std::string junit_file;
  std::string coverage_file;
  bool coverage = false;
  double coverage_min = 0;
  std::uint64_t seed = 1;
};

// Files as they are; of a folder every *.test in it.
std::vector<std::string> test_files(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& name : given) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    fs::directory_iterator entries(name, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      const fs::path& path = entries->path();
      if (path.extension() == ".test") found.push_back(path.string());
    }
    if (error) throw UsageError(fmt::format("cannot list {}: {}", name, error.message()));
    if (found.empty()) throw UsageError(name + " holds no *.test file");
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::string read_test_file(const std::string& file) {
  try {
    return read_whole_file(file);
  } catch (const storage::IoError& error) {
    throw UsageError(error.what());
  }
}

// All tests of all files; nullopt where one of them has mistakes, which are printed.
std::optional<std::vector<FlowTest>> read_tests(const Output& output, const TestOptions& options) {
  std::vector<FlowTest> tests;
  bool fine = true;
  for (const std::string& file : test_files(options.files)) {
    auto parsed = flow_test::parse_flow_tests(read_test_file(file), file);
    if (parsed) {
      std::ranges::move(*parsed, std::back_inserter(tests));
      continue;
    }
    fine = false;
    for (const auto& mistake : parsed.error()) {
      if (output.json()) {
        ordered_json object = {{"severity", "error"},
                               {"file", mistake.file},
                               {"line", mistake.line},
                               {"message", mistake.what}};
        if (!mistake.nearest.empty()) object["nearest"] = mistake.nearest;
        output.object(object);
      } else {
        output.line(output.paint(colour::red, printable(mistake.to_string())));
      }
    }
  }
  if (!fine) return std::nullopt;
  if (!options.only.empty()) {
    std::erase_if(tests, [&](const FlowTest& test) { return !test.name.contains(options.only); });
    if (tests.empty()) throw UsageError("no test's name contains '" + options.only + "'");
  }
  return tests;
}

void print_result(const Output& output, const TestResult& result) {
  const bool passed = result.failures.empty();
  if (output.json()) {
    ordered_json failures = ordered_json::array();
    for (const auto& failure : result.failures) {
      ordered_json object = {
          {"file", failure.file}, {"line", failure.line}, {"message", failure.message}};
      if (!failure.expected.empty()) object["expected"] = failure.expected;
      if (!failure.got.empty()) object["got"] = failure.got;
      failures.push_back(std::move(object));
    }
    output.object({{"test", result.name},
                   {"file", result.file},
                   {"line", result.line},
                   {"passed", passed},
                   {"seconds", result.seconds},
                   {"failures", failures}});
    return;
  }
  output.line(
      fmt::format("{}  {}: {}",
                  passed ? output.paint(colour::green, "pass") : output.paint(colour::red, "FAIL"),
                  printable(result.file), printable(result.name)));
  for (const auto& failure : result.failures) {
    output.line("  " + flow_test::failure_text(failure, "    "));
  }
}

void print_coverage(const Output& output, const FlowCoverage& flow) {
  if (output.json()) {
    for (const auto& one : flow.processors) {
      for (const auto& [name, count] : one.relationships) {
        output.object({{"flow", flow.flow},
                       {"processor", one.path},
                       {"type", one.type},
                       {"relationship", name},
                       {"flow_files", count}});
      }
    }
    return;
  }
  output.line("");
  output.line(
      output.paint(colour::bold, fmt::format("{}: {} of {} taken, {:.0f} %", printable(flow.flow),
                                             flow.taken(), counted(flow.total(), "relationship"),
                                             flow_test::percent(flow.taken(), flow.total()))));
  Table table({{"PROCESSOR"}, {"RELATIONSHIP"}, {"FLOWFILES", true}, {""}});
  std::string untested;
  for (const auto& one : flow.processors) {
    if (!one.tested) untested += (untested.empty() ? "" : ", ") + printable(one.path);
    for (const auto& [name, count] : one.relationships) {
      table.add({printable(one.path), printable(name), with_thousands(count),
                 count == 0 ? output.paint(colour::yellow, "never taken") : ""});
    }
  }
  if (!table.empty()) table.print(output);
  if (!untested.empty()) output.line("not run by any test: " + untested);
}

void write_file(const std::string& file, std::string_view text) {
  storage::real_file_system().replace_small(file, text);
}

void test(CommandLine& line, const TestOptions& options) {
  const Output output(line.json);
  const auto tests = read_tests(output, options);
  if (!tests) {
    line.exit_code = kWrongUsage;
    return;
  }
  spdlog::set_level(spdlog::level::off);  // what a flow logs is no part of the result
  std::vector<TestResult> results;
  std::size_t failed = 0;
  for (const FlowTest& one : *tests) {
    results.push_back(flow_test::run_flow_test(one, options.seed));
    print_result(output, results.back());
    failed += results.back().failures.empty() ? 0 : 1;
  }
  const auto flows = flow_test::merge_coverage(results);
  const double percent = flow_test::percent(flows);
  const bool covered = percent >= options.coverage_min;
  if (options.coverage || !covered) {
    for (const FlowCoverage& flow : flows) print_coverage(output, flow);
    if (!output.json()) output.line("");
  }
  if (output.json()) {
    output.object({{"tests", results.size()},
                   {"passed", results.size() - failed},
                   {"failed", failed},
                   {"coverage_percent", percent}});
  } else {
    if (!covered) {
      output.line(output.paint(colour::red,
                               fmt::format("{:.1f} % of the relationships were taken, {} % are "
                                           "asked for",
                                           percent, options.coverage_min)));
    }
    output.line(fmt::format("{}: {} passed, {} failed", counted(results.size(), "test"),
                            results.size() - failed, failed));
  }
  if (!options.junit_file.empty()) write_file(options.junit_file, flow_test::junit_xml(results));
  if (!options.coverage_file.empty()) {
    const auto json = flow_test::coverage_json(flows);
    write_file(options.coverage_file,
               json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  }
  if (failed > 0 || !covered) line.exit_code = kFoundProblem;
}

}  // namespace

void add_flow_test_command(CLI::App& flow, CommandLine& line) {
  CLI::App& command = *flow.add_subcommand(
      "test", "Runs text tests of flows: what is sent in, in simulated time, and what comes out");
  const auto options = std::make_shared<TestOptions>();
  command.add_option("FILE", options->files, "Test files, or folders with *.test files")
      ->required();
  command.add_option("--only", options->only, "Only tests whose name contains this")
      ->option_text("NAME");
  command.add_option("--junit", options->junit_file, "Writes the results as JUnit XML")
      ->option_text("FILE");
  command.add_flag("--coverage", options->coverage,
                   "How many FlowFiles took each relationship, and which were never taken");
  command.add_option("--coverage-json", options->coverage_file, "Writes the coverage as JSON")
      ->option_text("FILE");
  command
      .add_option("--coverage-min", options->coverage_min,
                  "Exit code 1 where less of the relationships was taken")
      ->option_text("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  command.add_option("--seed", options->seed, "Gives the order in which components take turns")
      ->option_text("N")
      ->envname("WEIR_SEED");
  add_json_option(command, line);
  command.callback([&line, options] { test(line, *options); });
}

}  // namespace weir::tools
