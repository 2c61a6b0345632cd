#include "processors/json/json_flattener.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/json/write.h"
#include "engine/text/escape.h"

namespace weir::processors {
namespace {

using json::Member;
using json::Value;

constexpr std::string_view root_name = "root";

// Deep documents with many leaves have names of a length that multiplies.
constexpr std::size_t most_name_bytes = 256 * 1024 * 1024;

class Flattener {
 public:
  Flattener(const FlattenRules& rules, json::Arena& arena, std::size_t& name_bytes)
      : rules_(rules), arena_(arena), name_bytes_(name_bytes) {}

  bool run(const Value& root) {
    flat_ = Value::object(arena_);
    return reduce(root);
  }
  const Value& flat() const { return flat_; }
  const std::string& error() const { return error_; }

 private:
  bool reduce(const Value& value);
  bool reduce_members(const Value& object);
  bool reduce_items(const Value& array);
  bool put(const Value& value);
  // As it is put: with objects within arrays that are kept flattened on their own.
  bool kept(const Value& value, Value& made);
  bool append_name(std::string_view name);
  bool keeps(const Value& array) const;

  const FlattenRules& rules_;
  json::Arena& arena_;
  std::size_t& name_bytes_;
  Value flat_;
  std::string name_;  // of where we are; "" at the root
  bool is_at_root_ = true;
  std::string error_;
};

bool Flattener::keeps(const Value& array) const {
  if (rules_.mode == FlattenMode::keep_arrays) return true;
  return rules_.mode == FlattenMode::keep_primitive_arrays &&
         std::ranges::none_of(array.items(), &Value::is_container);
}

bool Flattener::reduce(const Value& value) {
  if (value.is_object() && value.size() > 0) return reduce_members(value);
  if (value.is_array() && value.size() > 0 && !keeps(value)) return reduce_items(value);
  return put(value);
}

bool Flattener::reduce_members(const Value& object) {
  const std::size_t length = name_.size();
  const bool was_at_root = is_at_root_;
  is_at_root_ = false;
  for (const Member& member : object.members()) {
    if (!append_name(member.name) || !reduce(member.value)) return false;
    name_.resize(length);
  }
  is_at_root_ = was_at_root;
  return true;
}

bool Flattener::reduce_items(const Value& array) {
  const std::size_t length = name_.size();
  const bool was_at_root = is_at_root_;
  const bool is_dotted = rules_.mode == FlattenMode::dot_notation;
  is_at_root_ = false;
  for (std::size_t i = 0; i < array.size(); ++i) {
    name_ += is_dotted ? rules_.separator : "[";
    name_ += std::to_string(i);
    if (!is_dotted) name_ += ']';
    if (!reduce(array.items()[i])) return false;
    name_.resize(length);
  }
  is_at_root_ = was_at_root;
  return true;
}

bool Flattener::append_name(std::string_view name) {
  if (!rules_.ignore_reserved_characters) {
    const bool has_separator = name.contains(rules_.separator);
    if (has_separator && rules_.mode == FlattenMode::dot_notation) {
      error_ = fmt::format("the name '{}' has the separator '{}', which dot notation cannot escape",
                           name, rules_.separator);
      return false;
    }
    if (has_separator || name.find_first_of("[]") != std::string_view::npos) {
      name_ += "[\"";
      text::escape_json(name, name_);
      name_ += "\"]";
      return true;
    }
  }
  if (!name_.empty()) name_ += rules_.separator;
  name_ += name;
  return true;
}

bool Flattener::put(const Value& value) {
  Value made;
  if (!kept(value, made)) return false;
  const std::string_view name = is_at_root_ ? root_name : std::string_view(name_);
  // An empty object at the root leaves nothing.
  if (name == root_name && made.is_object() && made.size() == 0) return true;
  name_bytes_ += name.size();
  if (name_bytes_ > most_name_bytes) {
    error_ = fmt::format("the flattened names have more than {} bytes", most_name_bytes);
    return false;
  }
  flat_.set(arena_, arena_.copy(name), made);
  return true;
}

bool Flattener::kept(const Value& value, Value& made) {
  made = value;
  if (!value.is_container() || value.size() == 0) return true;
  if (value.is_object()) {
    Flattener inner(rules_, arena_, name_bytes_);
    if (!inner.run(value)) {
      error_ = inner.error();
      return false;
    }
    made = inner.flat();
    return true;
  }
  made = Value::array(arena_, value.size());
  for (const Value& item : value.items()) {
    Value made_item;
    if (!kept(item, made_item)) return false;
    made.push_back(arena_, made_item);
  }
  return true;
}

void append_line(std::string& out, std::size_t indent) {
  out += '\n';
  out.append(indent * 2, ' ');
}

}  // namespace

std::expected<Value, std::string> flatten(const Value& root, const FlattenRules& rules,
                                          json::Arena& arena) {
  std::size_t name_bytes = 0;
  Flattener flattener(rules, arena, name_bytes);
  if (!flattener.run(root)) return std::unexpected(flattener.error());
  const Value* const whole = flattener.flat().find(root_name);
  const bool is_whole = !root.is_object() && (!root.is_array() || whole);
  if (!is_whole) return flattener.flat();
  return whole ? *whole : Value();
}

void write_escaped(const Value& value, std::string& out) {
  const auto write_string = [&](std::string_view text) {
    out += '"';
    text::escape_json(text, out);
    out += '"';
  };
  if (value.is_string()) {
    write_string(value.as_text());
  } else if (value.is_array()) {
    out += '[';
    for (const Value& item : value.items()) {
      write_escaped(item, out);
      out += ',';
    }
    if (value.size() > 0) out.pop_back();
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    for (const Member& member : value.members()) {
      write_string(member.name);
      out += ':';
      write_escaped(member.value, out);
      out += ',';
    }
    if (value.size() > 0) out.pop_back();
    out += '}';
  } else {
    json::write(value, out);
  }
}

std::string pretty_printed(std::string_view json) {
  std::string out;
  out.reserve(json.size() * 2);
  std::size_t indent = 0;
  bool is_in_array = false;
  bool is_in_string = false;
  bool is_escaped = false;
  for (const char c : json) {
    if (is_in_string) {
      out += c;
      if (c == '"' && !is_escaped) is_in_string = false;
      is_escaped = c == '\\' && !is_escaped;
      continue;
    }
    if (c == '}') append_line(out, --indent);
    if (c == ']' || c == ':') out += ' ';
    out += c;
    is_in_string = c == '"';
    if (c == '[') is_in_array = true;
    if (c == ']') is_in_array = false;
    if (c == '{') append_line(out, ++indent);
    if (c == '[' || c == ':' || (c == ',' && is_in_array)) out += ' ';
    if (c == ',' && !is_in_array) append_line(out, indent);
  }
  return out;
}

}  // namespace weir::processors
