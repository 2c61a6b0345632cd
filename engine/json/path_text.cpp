#include "engine/json/path_text.h"

#include <fmt/format.h>

#include "engine/json/parse.h"
#include "engine/json/write.h"

namespace weir::json {
namespace {

using Text = std::expected<std::string, std::string>;

// The memory of one call; it is warm from the second on.
Arena& fresh_arena() {
  thread_local Arena arena;
  arena.clear();
  return arena;
}

std::expected<Value, std::string> read_subject(std::string_view json, Arena& arena) {
  if (json.empty()) return std::unexpected("the subject is empty");
  const auto root = parse(json, arena);
  if (!root) {
    return std::unexpected(fmt::format("the subject is no JSON: {}", root.error().describe()));
  }
  if (root->is_null()) return std::unexpected("the subject is null");
  return *root;
}

Value value_of(const Scalar& scalar, Arena& arena) {
  struct Maker {
    Value operator()(std::monostate) const { return {}; }
    Value operator()(bool value) const { return Value::boolean(value); }
    Value operator()(std::int64_t value) const { return Value::integer(value); }
    Value operator()(double value) const { return Value::decimal(value, arena); }
    Value operator()(std::string_view value) const { return Value::string(value); }
    Arena& arena;
  };
  return std::visit(Maker{arena}, scalar);
}

// The document after a change. One that found nothing leaves it as it is.
Text written(const Value& root, const JsonPath::Changed& changed) {
  if (!changed && changed.error().reason != EvaluationError::Reason::not_found) return "";
  return to_json(root);
}

}  // namespace

Text path_text(std::string_view json, const JsonPath& path) {
  Arena& arena = fresh_arena();
  const auto root = read_subject(json, arena);
  if (!root) return std::unexpected(root.error());
  const auto found = path.read(*root, arena);
  if (!found) return "";
  Value value = *found;
  while (value.is_array() && value.size() == 1) value = value.items().front();
  std::string text;
  if (value.is_container()) {
    write(value, text);
  } else if (!value.is_null()) {
    append_java_text(value, text);
  }
  return text;
}

Text path_delete(std::string_view json, const JsonPath& path) {
  Arena& arena = fresh_arena();
  const auto root = read_subject(json, arena);
  if (!root) return std::unexpected(root.error());
  return written(*root, path.remove(*root, arena));
}

Text path_add(std::string_view json, const JsonPath& path, const Scalar& value) {
  Arena& arena = fresh_arena();
  const auto root = read_subject(json, arena);
  if (!root) return std::unexpected(root.error());
  return written(*root, path.add(*root, value_of(value, arena), arena));
}

Text path_set(std::string_view json, const JsonPath& path, const Scalar& value) {
  Arena& arena = fresh_arena();
  const auto root = read_subject(json, arena);
  if (!root) return std::unexpected(root.error());
  return written(*root, path.set(*root, value_of(value, arena), arena));
}

Text path_put(std::string_view json, const JsonPath& path, std::string_view key,
              std::optional<std::string_view> value) {
  Arena& arena = fresh_arena();
  const auto root = read_subject(json, arena);
  if (!root) return std::unexpected(root.error());
  const Value stored = value ? Value::string(*value) : Value();
  if (!path.put(*root, key, stored, arena)) return "";
  return to_json(*root);
}

}  // namespace weir::json
