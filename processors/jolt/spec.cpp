#include "processors/jolt/spec.h"

#include <fmt/format.h>

#include "engine/json/parse.h"

namespace weir::jolt {

std::string Place::text() const {
  if (!parent) return std::string(key);
  return fmt::format("{}/{}", parent->text(), key);
}

const json::Value& object_spec(const Place& place, const json::Value& spec) {
  if (!spec.is_object()) throw SpecError(place, "the specification must be an object");
  return spec;
}

std::vector<std::string_view> alternatives(std::string_view key) {
  std::vector<std::string_view> keys;
  for (std::size_t from = 0;;) {
    const std::size_t at = key.find('|', from);
    keys.push_back(key.substr(from, at - from));
    if (at == std::string_view::npos) break;
    from = at + 1;
  }
  if (keys.size() > 1) {
    while (!keys.empty() && keys.back().empty()) keys.pop_back();
  }
  return keys;
}

TransformPtr compile_operation(Operation operation, const Place& place, const json::Value& spec) {
  switch (operation) {
    case Operation::shift:
      return compile_shift(place, spec);
    case Operation::chain:
      return compile_chain(place, spec);
    case Operation::default_values:
      return compile_default(place, spec);
    case Operation::remove:
      return compile_remove(place, spec);
    case Operation::cardinality:
      return compile_cardinality(place, spec);
    case Operation::sort:
      return compile_sort();
    case Operation::modify_default:
    case Operation::modify_overwrite:
    case Operation::modify_define:
      break;
  }
  return compile_modify(operation, place, spec);
}

std::string without_comments(std::string_view text) {
  std::string out(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at) {
      if (out[at] != '\n') out[at] = ' ';
    }
  };
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted) {
      if (text[at] == '\\')
        ++at;
      else if (text[at] == '"')
        quoted = false;
    } else if (text[at] == '"') {
      quoted = true;
    } else if (text.substr(at, 2) == "//") {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      blank(at, end);
      at = end;
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t close = text.find("*/", at + 2);
      if (close == std::string_view::npos) break;  // the parser says what is wrong
      blank(at, close + 2);
      at = close + 1;
    }
  }
  return out;
}

std::expected<std::shared_ptr<const Program>, SpecProblem> Program::compile(Operation operation,
                                                                            std::string text) {
  std::shared_ptr<Program> program(new Program(without_comments(text)));
  json::Value spec;
  if (operation != Operation::sort) {
    const auto parsed = json::parse(program->text_, program->arena_, {.most_nesting = 500});
    if (!parsed) {
      return std::unexpected(
          SpecProblem{fmt::format("line {}, column {}", parsed.error().line, parsed.error().column),
                      parsed.error().message});
    }
    spec = *parsed;
  }
  if (operation == Operation::chain && spec.is_array()) program->steps_ = spec.size();
  try {
    program->transform_ = compile_operation(operation, Place{}, spec);
  } catch (const SpecError& error) {
    return std::unexpected(SpecProblem{error.place(), error.what()});
  }
  return program;
}

namespace {

std::uint64_t count_values(const json::Value& value) {
  std::uint64_t count = 1;
  if (value.is_array()) {
    for (const json::Value& item : value.items()) count += count_values(item);
  } else if (value.is_object()) {
    for (const json::Member& member : value.members()) count += count_values(member.value);
  }
  return count;
}

}  // namespace

void Program::apply(json::Value& document, json::Arena& arena) const {
  Run run{arena, free_values + count_values(document) * (values_a_value + 4 * steps_)};
  transform_->apply(document, run);
}

}  // namespace weir::jolt
