#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "engine/json/value.h"

namespace weir::processors {

enum class FlattenMode { normal, keep_arrays, keep_primitive_arrays, dot_notation };

struct FlattenRules {
  FlattenMode mode = FlattenMode::keep_arrays;
  std::string separator = ".";              // one character
  bool ignore_reserved_characters = false;  // names with separator or brackets stay as they are
};

// Names and values of one level: {"a":{"b":[1]}} becomes {"a.b[0]":1}. The error: a name that may
// not have the separator, or names that get too long in all.
std::expected<json::Value, std::string> flatten(const json::Value& root, const FlattenRules& rules,
                                                json::Arena& arena);

// The reverse. The error: names that contradict each other, nesting or indexes past all measure.
std::expected<json::Value, std::string> unflatten(const json::Value& root,
                                                  const FlattenRules& rules, json::Arena& arena);

// Appends JSON with everything but ASCII escaped, and the slash as well.
void write_escaped(const json::Value& value, std::string& out);

// The same JSON with line breaks: members on lines of their own, arrays on one line.
std::string pretty_printed(std::string_view json);

}  // namespace weir::processors
