#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "processors/json/json_flattener.h"

namespace weir::processors {
namespace {

using json::Kind;
using json::Member;
using json::Value;

constexpr std::size_t most_parts = 1000;         // of one name: how deep the result nests
constexpr std::uint64_t most_index = 1'000'000;  // an array is filled up with nulls
constexpr std::size_t most_filled = 16'000'000;  // in all

// One step of a flattened name.
struct Part {
  std::string_view name;               // of a member
  std::optional<std::uint64_t> index;  // of an item
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && std::string_view(" \t\n\r\f\v").contains(text[at])) ++at;
  return at;
}

std::optional<std::uint64_t> to_index(std::string_view digits) {
  if (digits.size() > 10) return most_index + 1;
  std::uint64_t index = 0;
  for (const char c : digits) index = index * 10 + static_cast<std::uint64_t>(c - '0');
  return index;
}

// "[ 12 ]" at `at`; nullopt where it is none. `end` is moved behind it.
std::optional<Part> index_part(std::string_view name, std::size_t at, std::size_t& end) {
  const std::size_t first = skip_space(name, at + 1);
  std::size_t last = first;
  while (last < name.size() && is_digit(name[last])) ++last;
  const std::size_t close = skip_space(name, last);
  if (last == first || close >= name.size() || name[close] != ']') return std::nullopt;
  end = close + 1;
  return Part{.name = {}, .index = to_index(name.substr(first, last - first))};
}

// "["any text"]" at `at`: up to the first quote that a bracket follows.
std::optional<Part> quoted_part(std::string_view name, std::size_t at, std::size_t& end) {
  const std::size_t open = skip_space(name, at + 1);
  if (open >= name.size() || name[open] != '"') return std::nullopt;
  for (std::size_t quote = name.find('"', open + 2); quote != std::string_view::npos;
       quote = name.find('"', quote + 1)) {
    const std::size_t close = skip_space(name, quote + 1);
    if (close >= name.size() || name[close] != ']') continue;
    end = close + 1;
    return Part{.name = name.substr(open + 1, quote - open - 1), .index = {}};
  }
  return std::nullopt;
}

std::vector<Part> parts_of(std::string_view name, const FlattenRules& rules) {
  const bool is_dotted = rules.mode == FlattenMode::dot_notation;
  std::vector<Part> parts;
  bool may_be_quoted = true;
  for (std::size_t at = 0; at < name.size();) {
    if (name.substr(at).starts_with(rules.separator)) {
      at += rules.separator.size();
      continue;
    }
    std::size_t end = at;
    if (!is_dotted && name[at] == '[') {
      auto part = index_part(name, at, end);
      if (!part && may_be_quoted) {
        part = quoted_part(name, at, end);
        // Where nothing ends such a part here, nothing does further on.
        if (name.substr(skip_space(name, at + 1)).starts_with('"'))
          may_be_quoted = part.has_value();
      }
      if (part) parts.push_back(*part);
      at = part ? end : at + 1;
      continue;
    }
    if (!is_dotted && name[at] == ']') {
      ++at;
      continue;
    }
    while (end < name.size() && !name.substr(end).starts_with(rules.separator) &&
           (is_dotted || (name[end] != '[' && name[end] != ']'))) {
      ++end;
    }
    const std::string_view text = name.substr(at, end - at);
    Part part{.name = text, .index = {}};
    if (is_dotted && std::ranges::all_of(text, is_digit)) part.index = to_index(text);
    parts.push_back(part);
    at = end;
  }
  return parts;
}

class Unflattener {
 public:
  Unflattener(const FlattenRules& rules, json::Arena& arena) : rules_(rules), arena_(arena) {}

  std::optional<Value> run(const Value& root);
  const std::string& error() const { return error_; }

 private:
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }
  bool put(std::string_view name, const Value& value, std::optional<Value>& root);
  // The container that `part` of `parent` holds, made where there is none.
  bool descend(Value& parent, const Part& part, bool to_array);
  bool store(Value& parent, const Part& part, const Value& value);
  bool fill(Value& array, std::uint64_t index);
  std::optional<Value> unflatten_items(const Value& array);

  const FlattenRules& rules_;
  json::Arena& arena_;
  std::size_t filled_ = 0;
  std::string error_;
};

std::optional<Value> Unflattener::run(const Value& root) {
  if (root.is_array()) return unflatten_items(root);
  if (!root.is_object()) return root;
  std::optional<Value> made;
  if (root.size() == 0) made = Value::object(arena_);
  for (const Member& member : root.members()) {
    Value value = member.value;
    if (value.is_array()) {
      const auto items = unflatten_items(value);
      if (!items) return std::nullopt;
      value = *items;
    }
    if (!put(member.name, value, made)) return std::nullopt;
  }
  return made;
}

std::optional<Value> Unflattener::unflatten_items(const Value& array) {
  Value made = Value::array(arena_, array.size());
  for (const Value& item : array.items()) {
    const auto made_item = run(item);
    if (!made_item) return std::nullopt;
    made.push_back(arena_, *made_item);
  }
  return made;
}

bool Unflattener::put(std::string_view name, const Value& value, std::optional<Value>& root) {
  const std::vector<Part> parts = parts_of(name, rules_);
  if (parts.empty()) return fail(fmt::format("the name '{}' has no parts", name));
  if (parts.size() > most_parts) return fail("a name nests too deep");
  if (!root) root = parts[0].index ? Value::array(arena_) : Value::object(arena_);
  Value at = *root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (!descend(at, parts[i], parts[i + 1].index.has_value())) {
      return fail(fmt::format("'{}' contradicts the names before it: {}", name, error_));
    }
  }
  if (!store(at, parts.back(), value)) {
    return fail(fmt::format("'{}' contradicts the names before it: {}", name, error_));
  }
  return true;
}

bool Unflattener::fill(Value& array, std::uint64_t index) {
  if (index > most_index) return fail(fmt::format("an index past {}", most_index));
  while (array.size() <= index) {
    if (++filled_ > most_filled) return fail("too many items");
    array.push_back(arena_, Value());
  }
  return true;
}

bool Unflattener::descend(Value& parent, const Part& part, bool to_array) {
  if (part.index ? !parent.is_array() : !parent.is_object()) {
    return fail(part.index ? "no array there" : "no object there");
  }
  const auto make = [&] { return to_array ? Value::array(arena_) : Value::object(arena_); };
  if (part.index) {
    if (!fill(parent, *part.index)) return false;
    const Value& item = parent.items()[*part.index];
    if (item.is_null()) parent.set_item(*part.index, make());
    parent = parent.items()[*part.index];
    return true;
  }
  if (!parent.find(part.name)) parent.set(arena_, part.name, make());
  parent = *parent.find(part.name);
  return true;
}

bool Unflattener::store(Value& parent, const Part& part, const Value& value) {
  if (part.index) {
    if (!parent.is_array()) return fail("no array there");
    if (!fill(parent, *part.index)) return false;
    parent.set_item(*part.index, value);
    return true;
  }
  if (!parent.is_object()) return fail("no object there");
  parent.set(arena_, part.name, value);
  return true;
}

}  // namespace

std::expected<Value, std::string> unflatten(const Value& root, const FlattenRules& rules,
                                            json::Arena& arena) {
  Unflattener unflattener(rules, arena);
  const auto made = unflattener.run(root);
  if (!made) return std::unexpected(unflattener.error());
  return *made;
}

}  // namespace weir::processors
