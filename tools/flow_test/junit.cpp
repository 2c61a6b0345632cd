#include "tools/flow_test/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/common/text.h"

namespace weir::flow_test {
namespace {

std::string xml_text(std::string_view text) {
  std::string result;
  std::string_view rest = text;
  for (bool first = true; first || !rest.empty(); first = false) {
    const auto end = rest.find('\n');
    for (const char c : tools::printable(rest.substr(0, end))) {
      switch (c) {
        case '&':
          result += "&amp;";
          break;
        case '<':
          result += "&lt;";
          break;
        case '>':
          result += "&gt;";
          break;
        case '"':
          result += "&quot;";
          break;
        default:
          result += c;
      }
    }
    if (end == std::string_view::npos) break;
    result += "&#10;";
    rest.remove_prefix(end + 1);
  }
  return result;
}

struct Suite {
  std::string file;
  std::vector<const TestResult*> tests;
  std::size_t failed = 0;
  double seconds = 0;
};

std::string test_case(const TestResult& test) {
  std::string text = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.3f}\"",
      xml_text(test.file), xml_text(test.name), xml_text(test.file), test.line, test.seconds);
  if (test.failures.empty()) return text + "/>\n";
  text += ">\n";
  std::string all;
  for (const Failure& failure : test.failures) {
    all += (all.empty() ? "" : "\n") + failure_text(failure, "  ");
  }
  text += fmt::format("      <failure message=\"{}\" type=\"failure\">{}</failure>\n",
                      xml_text(test.failures.front().message), xml_text(all));
  return text + "    </testcase>\n";
}

void indented(std::string& text, std::string_view indent, std::string_view label,
              std::string_view value) {
  std::string_view rest = value;
  for (bool first = true; first || !rest.empty(); first = false) {
    const auto end = std::min(rest.find('\n'), rest.size());
    text += fmt::format("\n{}{:<10}{}", indent, first ? label : "",
                        tools::printable(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

std::string failure_text(const Failure& failure, std::string_view indent) {
  std::string text =
      tools::printable(fmt::format("{}:{}: {}", failure.file, failure.line, failure.message));
  if (!failure.expected.empty()) indented(text, indent, "expected", failure.expected);
  if (!failure.got.empty()) indented(text, indent, "got", failure.got);
  return text;
}

std::string junit_xml(std::span<const TestResult> results) {
  std::vector<Suite> suites;
  std::size_t failed = 0;
  double seconds = 0;
  for (const TestResult& test : results) {
    auto suite = std::ranges::find(suites, test.file, &Suite::file);
    if (suite == suites.end()) suite = suites.insert(suites.end(), {test.file, {}, 0, 0});
    suite->tests.push_back(&test);
    suite->failed += test.failures.empty() ? 0 : 1;
    suite->seconds += test.seconds;
    failed += test.failures.empty() ? 0 : 1;
    seconds += test.seconds;
  }
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"weirctl flow test\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "time=\"{:.3f}\">\n",
      results.size(), failed, seconds);
  for (const Suite& suite : suites) {
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" "
        "time=\"{:.3f}\">\n",
        xml_text(suite.file), suite.tests.size(), suite.failed, suite.seconds);
    for (const TestResult* test : suite.tests) text += test_case(*test);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace weir::flow_test
