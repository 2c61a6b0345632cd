#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/api/pattern.h"
#include "processors/jolt/values.h"

// The functions of `modify`: =toInteger, =concat(@(1,a),'-',@(1,b)) and so on.
namespace weir::jolt {

struct Call {
  std::span<const Value> arguments;
  Arena& arena;
  // Where the first argument is a literal: made ready when the spec is compiled.
  const Pattern* separator = nullptr;
};

// Nothing: the function does not apply to these arguments, so nothing is set. Null is a value.
using Result = std::optional<Value>;
using Function = Result (*)(const Call&);

// Null: there is no such function.
Function find_function(std::string_view name);

// The groups of functions, each in its own file; null where the name is not theirs.
Function find_text_function(std::string_view name);
Function find_number_function(std::string_view name);
Function find_value_function(std::string_view name);

// What most functions do with their arguments: a list alone stands for its elements, several
// arguments are a list, nothing and null give nothing.
Result over_list(const Call& call, Result (*list)(const Call&, std::span<const Value>),
                 Result (*single)(const Call&, const Value&));
// A function of one value; of a list it gives a list, elements it does not apply to stay.
Result over_each(const Call& call, Result (*single)(const Call&, const Value&));
// The arguments of a function whose first argument is not one of the list: the rest.
struct Driven {
  Value first;
  std::span<const Value> rest;
  bool rest_is_list = false;  // a single list stood there
};
std::optional<Driven> driven(const Call& call);

Value to_array(std::span<const Value> items, Arena& arena);

}  // namespace weir::jolt
