#include "processors/text/line_conditions.h"

#include <algorithm>
#include <array>

#include "engine/text/java_case.h"
#include "engine/text/utf16.h"

namespace weir::processors {
namespace {

// Trimming a line cannot take part of it away, and it cannot reach over a line end.
bool stays_within_a_line(const std::string& text, bool trim) {
  if (text.empty() || text.find_first_of("\r\n") != std::string::npos) return false;
  return !trim || trim_line(text).size() == text.size();
}

void lower_ascii(std::string_view text, std::string& out) {
  out.resize(text.size());
  std::ranges::transform(text, out.begin(), [](char c) {
    return static_cast<char>(c + (static_cast<unsigned char>(c - 'A') < 26 ? 'a' - 'A' : 0));
  });
}

}  // namespace

LineConditions::LineConditions(LineTest test, bool trim, bool ignore_case,
                               std::vector<LineCondition> conditions, const FlowFile& flow_file)
    : test_(test),
      trim_(trim),
      ignore_case_(ignore_case),
      conditions_(std::move(conditions)),
      flow_file_(flow_file),
      line_value_(variables_["line"]),
      number_value_(variables_["lineNo"]) {
  if (ignore_case_ && test_ != LineTest::equals) {
    for (LineCondition& condition : conditions_) condition.text = text::to_lower(condition.text);
  }
  can_search_ = test_ == LineTest::contains &&
                std::ranges::all_of(conditions_, [&](const LineCondition& condition) {
                  return stays_within_a_line(condition.text, trim_);
                });
}

std::optional<std::string_view> LineConditions::searchable(std::string_view text) {
  if (!ignore_case_) return text;
  // Beyond ASCII a text may change its length with its case.
  if (!text::is_ascii(text)) return std::nullopt;
  lower_ascii(text, lower_);
  return lower_;
}

void LineConditions::set_line(const TextLine& line) {
  if (test_ == LineTest::expression) {
    line_value_.assign(line.text);
    number_value_ = std::to_string(++line_number_);
  }
  if (trim_) {
    seen_ = trim_line(line.text);
  } else {
    seen_ = line.body();
    // NiFi takes nothing from a line that is nothing but its end, apart from the LF of a CRLF.
    if (seen_.empty()) seen_ = line.text.substr(0, 1);
  }
  compared_ = seen_;
  const bool is_literal =
      test_ == LineTest::starts_with || test_ == LineTest::ends_with || test_ == LineTest::contains;
  if (!ignore_case_ || !is_literal) return;
  lower_.clear();
  text::append_lower(lower_, seen_);
  compared_ = lower_;
}

bool LineConditions::holds_literally(const LineCondition& condition) {
  const std::string& text = condition.text;
  switch (test_) {
    case LineTest::starts_with:
      return compared_.starts_with(text);
    case LineTest::ends_with:
      return compared_.ends_with(text);
    case LineTest::contains:
      return text.empty() || find_bytes(compared_, text) != std::string_view::npos;
    default:
      return ignore_case_ ? text::equals_ignore_case(seen_, text) : seen_ == text;
  }
}

bool LineConditions::fulfils_expression(const LineCondition& condition) {
  condition.value.evaluate(ExpressionInputs{.flow_file = &flow_file_, .variables = &variables_},
                           result_);
  return text::equals_ignore_case(result_, "true");
}

bool LineConditions::holds(std::size_t index) {
  const LineCondition& condition = conditions_[index];
  switch (test_) {
    case LineTest::expression:
      return fulfils_expression(condition);
    case LineTest::matches:
      return condition.pattern->matches(seen_, match_);
    case LineTest::finds:
      return condition.pattern->find(seen_, 0, match_);
    default:
      return holds_literally(condition);
  }
}

}  // namespace weir::processors
