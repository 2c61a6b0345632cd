#include "processors/text/text_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/api/pattern.h"

namespace weir::processors {

Validator known_character_set() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (text::CharacterSet::find(value)) return std::nullopt;
    return fmt::format("\"{}\" is not a known character set", value);
  };
}

PropertyDescriptor character_set_property(std::string description) {
  return {.name = "Character Set",
          .description = std::move(description),
          .default_value = "UTF-8",
          .required = true,
          .validator = known_character_set()};
}

const text::CharacterSet& find_character_set(std::string_view name) {
  if (const text::CharacterSet* set = text::CharacterSet::find(name)) return *set;
  throw ProcessException(fmt::format("\"{}\" is not a known character set", name));
}

Validator existing_file() {
  return [](std::string_view value) -> std::optional<std::string> {
    std::error_code error;
    if (std::filesystem::is_regular_file(std::filesystem::path(value), error)) return std::nullopt;
    return fmt::format("\"{}\" is not a file that exists", value);
  };
}

std::optional<std::string> regex_problem(const PropertyValue& value, std::size_t least_groups,
                                         std::size_t most_groups) {
  std::string expression = value.text();
  if (value.has_expression()) {
    try {
      expression = value.evaluate();
    } catch (const ProcessException& error) {
      return error.what();
    }
  }
  const auto pattern = Pattern::compile(expression);
  if (!pattern) return pattern.error();
  const std::size_t groups = pattern->group_count();
  if (groups < least_groups) {
    return fmt::format("has {} capturing groups, {} are needed", groups, least_groups);
  }
  if (groups > most_groups) {
    return fmt::format("has {} capturing groups, {} are the most", groups, most_groups);
  }
  return std::nullopt;
}

std::string evaluate_quoted(const PropertyValue& value, const FlowFile& flow_file) {
  static const std::function<std::string(std::string)> quote = [](std::string text) {
    return Pattern::quote(text);
  };
  return value.evaluate(ExpressionInputs{.flow_file = &flow_file, .decorate = &quote});
}

std::string read_text(ProcessSession& session, const FlowFile& flow_file,
                      const text::CharacterSet& character_set, std::uint64_t most_bytes) {
  std::string bytes(std::min(flow_file.size(), most_bytes), '\0');
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  bytes.resize(in->read_fully(std::as_writable_bytes(std::span(bytes))));
  const bool is_plain =
      character_set.form() == text::CharacterSet::Form::utf8 && text::is_valid_utf8(bytes);
  return is_plain ? bytes : text::decode(bytes, character_set);
}

void note_failure(ProcessContext& context, ProcessSession& session, const FlowFile& flow_file,
                  std::string_view attribute, std::string_view reason) {
  context.log().error("{}: {}", flow_file.uuid(), reason);
  session.put_attribute(flow_file, attribute, reason);
}

}  // namespace weir::processors
