#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "engine/json/write.h"
#include "engine/text/java_case.h"
#include "engine/text/utf16.h"
#include "processors/jolt/modify_functions.h"

// Functions of values of any kind, and of lists.
namespace weir::jolt {
namespace {

Result to_boolean(const Call&, const Value& value) {
  if (value.kind() == json::Kind::boolean) return value;
  if (!value.is_string()) return std::nullopt;
  if (text::equals_ignore_case(value.as_text(), "true")) return Value::boolean(true);
  if (text::equals_ignore_case(value.as_text(), "false")) return Value::boolean(false);
  return std::nullopt;
}

Result to_string(const Call& call, const Value& value) {
  if (value.is_string()) return value;
  return Value::string(java_text(value), call.arena);
}

Result size(const Call& call) {
  if (call.arguments.empty()) return std::nullopt;
  if (call.arguments.size() > 1) {
    return Value::integer(static_cast<std::int64_t>(call.arguments.size()));
  }
  const Value& only = call.arguments.front();
  if (only.is_container()) return Value::integer(static_cast<std::int64_t>(only.size()));
  if (!only.is_string()) return std::nullopt;
  return Value::integer(static_cast<std::int64_t>(text::utf16_length(only.as_text())));
}

// Changes the container itself, wherever else it is used: as Jolt does.
void squash_nulls(Value value, bool all_levels) {
  if (value.is_array()) {
    std::size_t kept = 0;
    for (std::size_t index = 0; index < value.size(); ++index) {
      const Value item = value.items()[index];
      if (!item.is_null()) value.set_item(kept++, item);
    }
    while (value.size() > kept) value.erase_item(value.size() - 1);
    if (!all_levels) return;
    for (const Value& item : value.items()) squash_nulls(item, true);
  } else if (value.is_object()) {
    std::vector<std::string_view> doomed;
    for (const json::Member& member : value.members()) {
      if (member.value.is_null()) doomed.push_back(member.name);
    }
    if (!doomed.empty()) value.erase(doomed);
    if (!all_levels) return;
    for (const json::Member& member : value.members()) squash_nulls(member.value, true);
  }
}

// One argument, or several as a list; an empty list and null give nothing.
std::optional<Value> squashed_argument(const Call& call) {
  if (call.arguments.empty()) return std::nullopt;
  if (call.arguments.size() > 1) return to_array(call.arguments, call.arena);
  const Value& only = call.arguments.front();
  if (only.is_null() || (only.is_array() && only.size() == 0)) return std::nullopt;
  return only;
}

template <bool all_levels>
Result squash(const Call& call) {
  const auto value = squashed_argument(call);
  // As Jolt has it: nothing can be taken out of a list of several arguments.
  const bool is_fixed = call.arguments.size() > 1;
  if (is_fixed && std::ranges::any_of(call.arguments, &Value::is_null)) return std::nullopt;
  if (value) squash_nulls(*value, all_levels);
  return value;
}

Result squash_duplicates(const Call& call) {
  const auto value = squashed_argument(call);
  if (!value || !value->is_array()) return value;
  Value out = Value::array(call.arena, value->size());
  std::unordered_set<std::string> seen;
  for (const Value& item : value->items()) {
    // The order of members makes no difference in Java, but equal objects of one document seldom
    // differ in it; those that do are both kept.
    std::string text(1, static_cast<char>('0' + static_cast<int>(item.kind())));
    json::write(item, text);
    if (seen.insert(std::move(text)).second) out.push_back(call.arena, item);
  }
  return out;
}

Result present(const Call& call) {
  return call.arguments.empty() ? std::nullopt : Result(call.arguments.front());
}

Result not_null(const Call& call) {
  if (call.arguments.empty() || call.arguments.front().is_null()) return std::nullopt;
  return call.arguments.front();
}

Result is_null(const Call& call) {
  if (call.arguments.empty() || !call.arguments.front().is_null()) return std::nullopt;
  return call.arguments.front();
}

Result first_element(const Call&, std::span<const Value> items) {
  return items.front();
}
Result last_element(const Call&, std::span<const Value> items) {
  return items.back();
}

Result element_at(const Call& call) {
  const auto parts = driven(call);
  if (!parts || !is_integer(parts->first)) return std::nullopt;
  if (!parts->rest_is_list && parts->rest.size() == 1) return std::nullopt;
  const std::int64_t index = parts->first.as_integer();
  if (index < 0 || static_cast<std::size_t>(index) >= parts->rest.size()) return std::nullopt;
  return parts->rest[static_cast<std::size_t>(index)];
}

Result to_list(const Call& call) {
  return over_list(
      call,
      [](const Call& inner, std::span<const Value> items) -> Result {
        return to_array(items, inner.arena);
      },
      [](const Call& inner, const Value& value) -> Result {
        return to_array(std::span(&value, 1), inner.arena);
      });
}

// The natural order of Java's classes: elements of different ones cannot be sorted.
enum class Order { boolean, integer, long_integer, decimal, text, none };

Order order_of(const Value& value) {
  if (value.kind() == json::Kind::boolean) return Order::boolean;
  if (value.is_string()) return Order::text;
  if (is_integer(value)) return Order::integer;
  if (is_long(value)) return Order::long_integer;
  return is_decimal(value) ? Order::decimal : Order::none;
}

bool is_less(const Value& a, const Value& b) {
  switch (order_of(a)) {
    case Order::boolean:
      return a.as_boolean() < b.as_boolean();
    case Order::text:
      return text::compare(a.as_text(), b.as_text()) < 0;
    case Order::decimal:
      return a.as_double() < b.as_double();
    default:
      return long_value(a) < long_value(b);
  }
}

Result sort(const Call& call) {
  return over_list(
      call,
      [](const Call& inner, std::span<const Value> items) -> Result {
        std::vector<Value> sorted(items.begin(), items.end());
        if (sorted.size() > 1) {
          const Order order = order_of(sorted.front());
          const bool comparable =
              order != Order::none && std::ranges::all_of(sorted, [&](const Value& item) {
                return order_of(item) == order;
              });
          if (!comparable) return std::nullopt;
          std::ranges::stable_sort(sorted, is_less);
        }
        return to_array(sorted, inner.arena);
      },
      [](const Call&, const Value& value) -> Result { return value; });
}

template <auto single>
Result each(const Call& call) {
  return over_each(call, single);
}

template <auto list>
Result of_list(const Call& call) {
  return over_list(call, list, nullptr);
}

constexpr std::array<std::pair<std::string_view, Function>, 15> functions = {{
    {"toBoolean", each<to_boolean>},
    {"toString", each<to_string>},
    {"size", size},
    {"squashNulls", squash<false>},
    {"recursivelySquashNulls", squash<true>},
    {"squashDuplicates", squash_duplicates},
    {"noop", [](const Call&) -> Result { return std::nullopt; }},
    {"isPresent", present},
    {"notNull", not_null},
    {"isNull", is_null},
    {"firstElement", of_list<first_element>},
    {"lastElement", of_list<last_element>},
    {"elementAt", element_at},
    {"toList", to_list},
    {"sort", sort},
}};

}  // namespace

Function find_value_function(std::string_view name) {
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace weir::jolt
