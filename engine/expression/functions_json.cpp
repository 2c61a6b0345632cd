#include <fmt/format.h>

#include <array>

#include "engine/expression/functions.h"
#include "engine/json/parse.h"
#include "engine/json/path_text.h"
#include "engine/text/java_case.h"

// Functions on JSON texts.
namespace weir::expression {
namespace {

using Kind = Value::Kind;
using Made = std::expected<std::unique_ptr<const PreparedData>, std::string>;
using Changed = std::expected<std::string, std::string>;

struct PreparedPath final : PreparedData {
  explicit PreparedPath(json::JsonPath compiled) : path(std::move(compiled)) {}
  const json::JsonPath path;
};

Made prepare_path(const Value& argument) {
  if (argument.is_null()) return std::unexpected("null is no JSON path");
  auto compiled = json::JsonPath::compile(argument.text());
  if (!compiled) return std::unexpected(std::move(compiled.error().message));
  return std::make_unique<PreparedPath>(*std::move(compiled));
}

// The subject and the path, which both must be there.
struct Document {
  std::string_view text;
  json::JsonPath path;
};

Document document_of(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) call.fail("there is no JSON to read");
  if (const auto* prepared = call.prepared<PreparedPath>(0)) return {*subject, prepared->path};
  const std::string_view written = call.required_text(0, evaluation);
  auto path = json::JsonPath::compile(written);
  if (!path) call.fail(fmt::format("'{}' is no JSON path: {}", written, path.error().message));
  return {*subject, *std::move(path)};
}

Value given(const Call& call, Evaluation& evaluation, const Changed& text) {
  if (!text) call.fail(text.error());
  return evaluation.text(*text);
}

json::Scalar scalar(const Value& value) {
  switch (value.kind()) {
    case Kind::text:
      return value.text();
    case Kind::whole:
      return value.whole();
    case Kind::decimal:
      return value.decimal();
    case Kind::boolean:
      return value.boolean();
    default:
      return std::monostate();
  }
}

Value json_path(const Call& call, Evaluation& evaluation) {
  const Document document = document_of(call, evaluation);
  return given(call, evaluation, json::path_text(document.text, document.path));
}

Value json_path_delete(const Call& call, Evaluation& evaluation) {
  const Document document = document_of(call, evaluation);
  return given(call, evaluation, json::path_delete(document.text, document.path));
}

Value json_path_add(const Call& call, Evaluation& evaluation) {
  const Document document = document_of(call, evaluation);
  const Value value = call.argument_value(1, evaluation);
  return given(call, evaluation, json::path_add(document.text, document.path, scalar(value)));
}

Value json_path_set(const Call& call, Evaluation& evaluation) {
  const Document document = document_of(call, evaluation);
  const Value value = call.argument_value(1, evaluation);
  return given(call, evaluation, json::path_set(document.text, document.path, scalar(value)));
}

Value json_path_put(const Call& call, Evaluation& evaluation) {
  const Document document = document_of(call, evaluation);
  const Value key = call.argument_value(1, evaluation);
  if (key.is_null()) call.fail("the key has no value");
  const std::string_view key_text = evaluation.text_of(key);
  const Value value = call.argument_value(2, evaluation);
  std::optional<std::string_view> value_text;
  if (!value.is_null()) value_text = evaluation.text_of(value);
  return given(call, evaluation,
               json::path_put(document.text, document.path, key_text, value_text));
}

// Only the ends and the beginning count: what follows the first value may be anything that ends
// with its closing bracket.
Value is_json(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return Value::of_boolean(false);
  const std::string_view trimmed = text::trim(*subject);
  const bool braces = trimmed.starts_with('{') && trimmed.ends_with('}');
  const bool brackets = trimmed.starts_with('[') && trimmed.ends_with(']');
  return Value::of_boolean((braces || brackets) && json::is_json(trimmed));
}

Function with_path(std::string_view name, Value (*run)(const Call&, Evaluation&),
                   std::size_t arguments) {
  return {.name = name,
          .result = Type::string,
          .run = run,
          .least = arguments,
          .most = arguments,
          .arguments = {As::text, As::json, As::json},
          .prepare = {prepare_path},
          .checks_literals = true};
}

const std::array all = {
    Function{"isJson", Type::boolean, is_json}, with_path("jsonPath", json_path, 1),
    with_path("jsonPathAdd", json_path_add, 2), with_path("jsonPathDelete", json_path_delete, 1),
    with_path("jsonPathPut", json_path_put, 3), with_path("jsonPathSet", json_path_set, 2),
};

}  // namespace

std::span<const Function> json_functions() {
  return all;
}

}  // namespace weir::expression
