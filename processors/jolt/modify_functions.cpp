#include "processors/jolt/modify_functions.h"

namespace weir::jolt {

Function find_function(std::string_view name) {
  if (const Function found = find_text_function(name)) return found;
  if (const Function found = find_number_function(name)) return found;
  return find_value_function(name);
}

Value to_array(std::span<const Value> items, Arena& arena) {
  Value array = Value::array(arena, items.size());
  for (const Value& item : items) array.push_back(arena, item);
  return array;
}

Result over_list(const Call& call, Result (*list)(const Call&, std::span<const Value>),
                 Result (*single)(const Call&, const Value&)) {
  if (call.arguments.empty()) return std::nullopt;
  if (call.arguments.size() > 1) return list(call, call.arguments);
  const Value& only = call.arguments.front();
  if (only.is_null()) return std::nullopt;
  if (!only.is_array()) return single ? single(call, only) : std::nullopt;
  if (only.size() == 0) return std::nullopt;
  return list(call, only.items());
}

Result over_each(const Call& call, Result (*single)(const Call&, const Value&)) {
  const auto each = [&](std::span<const Value> items) {
    Value out = Value::array(call.arena, items.size());
    for (const Value& item : items) out.push_back(call.arena, single(call, item).value_or(item));
    return out;
  };
  if (call.arguments.empty()) return std::nullopt;
  if (call.arguments.size() > 1) return each(call.arguments);
  const Value& only = call.arguments.front();
  if (only.is_null() || (only.is_array() && only.size() == 0)) return std::nullopt;
  return only.is_array() ? each(only.items()) : single(call, only);
}

std::optional<Driven> driven(const Call& call) {
  std::span<const Value> arguments = call.arguments;
  if (arguments.size() == 1 && arguments.front().is_array()) arguments = arguments.front().items();
  if (arguments.size() < 2) return std::nullopt;
  Driven parts{arguments.front(), arguments.subspan(1)};
  if (parts.rest.size() == 1 && parts.rest.front().is_array()) {
    parts.rest_is_list = true;
    parts.rest = parts.rest.front().items();
  }
  return parts;
}

}  // namespace weir::jolt
