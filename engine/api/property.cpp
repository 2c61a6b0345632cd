#include "engine/api/property.h"

#include <fmt/format.h>
#include <iconv.h>

#include <charconv>
#include <cmath>

#include "engine/api/error.h"
#include "engine/api/flow_file.h"
#include "engine/api/pattern.h"
#include "engine/api/units.h"
#include "engine/text/java_case.h"

namespace weir {
namespace {

const std::string& empty_text() {
  static const std::string empty;
  return empty;
}

// Takes a parser's result apart: the value, or a ProcessException naming property and value.
template <typename T>
T need(const std::expected<T, std::string>& parsed, const std::string* name,
       const std::string& text) {
  if (parsed) return *parsed;
  throw ProcessException(fmt::format("property \"{}\": \"{}\": {}", name ? *name : empty_text(),
                                     text, parsed.error()));
}

bool is_decimal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

const std::string& PropertyValue::text() const {
  return text_ ? *text_ : empty_text();
}

std::string PropertyValue::evaluate(const FlowFile& flow_file) const {
  return evaluate(ExpressionInputs{.flow_file = &flow_file});
}

std::string PropertyValue::evaluate() const {
  return evaluate(ExpressionInputs{});
}

std::string PropertyValue::evaluate(const ExpressionInputs& inputs) const {
  if (!expression_) return text();
  std::string out;
  expression_->evaluate(inputs, out);
  return out;
}

void PropertyValue::evaluate(const ExpressionInputs& inputs, std::string& out) const {
  if (!expression_) {
    out = text();
    return;
  }
  out.clear();
  expression_->evaluate(inputs, out);
}

ExpressionResult PropertyValue::expression_result() const {
  return expression_ ? expression_->result() : ExpressionResult::string;
}

std::int64_t PropertyValue::integer() const {
  const std::string value = evaluate();
  return need(parse_integer(text::trim(value)), name_, value);
}

bool PropertyValue::boolean() const {
  const std::string value = evaluate();
  return need(parse_boolean(text::trim(value)), name_, value);
}

std::uint64_t PropertyValue::data_size() const {
  const std::string value = evaluate();
  return need(parse_data_size(text::trim(value)), name_, value);
}

std::chrono::nanoseconds PropertyValue::duration() const {
  const std::string value = evaluate();
  return need(parse_duration(text::trim(value)), name_, value);
}

std::int64_t PropertyValue::integer(const FlowFile& flow_file) const {
  const std::string value = evaluate(flow_file);
  return need(parse_integer(text::trim(value)), name_, value);
}

std::uint64_t PropertyValue::data_size(const FlowFile& flow_file) const {
  const std::string value = evaluate(flow_file);
  return need(parse_data_size(text::trim(value)), name_, value);
}

std::chrono::nanoseconds PropertyValue::duration(const FlowFile& flow_file) const {
  const std::string value = evaluate(flow_file);
  return need(parse_duration(text::trim(value)), name_, value);
}

namespace validators {

Validator non_empty() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (value.empty()) return "must not be empty";
    return std::nullopt;
  };
}

Validator boolean() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (parse_boolean(value)) return std::nullopt;
    return "must be \"true\" or \"false\"";
  };
}

Validator integer(std::int64_t least, std::int64_t most) {
  return [least, most](std::string_view value) -> std::optional<std::string> {
    if (const auto parsed = parse_integer(value, least, most); !parsed) return parsed.error();
    return std::nullopt;
  };
}

Validator number() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (is_decimal(value)) return std::nullopt;
    return fmt::format("\"{}\" is not a number", value);
  };
}

Validator data_size(std::uint64_t least, std::uint64_t most) {
  return [least, most](std::string_view value) -> std::optional<std::string> {
    const auto parsed = parse_data_size(value);
    if (!parsed) return parsed.error();
    if (*parsed < least) return fmt::format("must be at least {}", format_data_size(least));
    if (*parsed > most) return fmt::format("must be at most {}", format_data_size(most));
    return std::nullopt;
  };
}

Validator duration(std::chrono::nanoseconds least) {
  return [least](std::string_view value) -> std::optional<std::string> {
    const auto parsed = parse_duration(value);
    if (!parsed) return parsed.error();
    if (*parsed < least) return fmt::format("must be at least {}", format_duration(least));
    return std::nullopt;
  };
}

Validator regular_expression() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (const auto compiled = Pattern::compile(value); !compiled) return compiled.error();
    return std::nullopt;
  };
}

Validator character_set() {
  return [](std::string_view value) -> std::optional<std::string> {
    const std::string name(value);
    const iconv_t converter = name.empty() ? iconv_t(-1) : iconv_open("UTF-8", name.c_str());
    if (converter == iconv_t(-1)) return fmt::format("\"{}\" is not a known character set", value);
    iconv_close(converter);
    return std::nullopt;
  };
}

}  // namespace validators
}  // namespace weir
