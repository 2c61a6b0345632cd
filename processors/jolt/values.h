#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processors/jolt/transform.h"

// JSON values as Jolt sees them: with the number classes and texts of Java.
namespace weir::jolt {

using json::Arena;
using json::Value;

// A whole number that fits 32 bits is an Integer, a larger one a Long. What a function makes a
// Long on purpose is kept as one by its digits, however small.
bool is_integer(const Value& value);
bool is_long(const Value& value);
inline bool is_decimal(const Value& value) {
  return value.kind() == json::Kind::decimal;
}
Value make_long(std::int64_t value, Arena& arena);

// Object.toString: 12.0, [1, 2], {a=1, b=null}.
std::string java_text(const Value& value);

// Integer.parseInt: a sign and digits, within 32 bits.
std::optional<std::int32_t> parse_int(std::string_view text);
// What a text is as a number: an Integer, else a Long, else a Double.
std::optional<Value> parse_number(std::string_view text, Arena& arena);

// Number.intValue and its like: narrowing as a cast in Java.
std::int32_t int_value(const Value& number);
std::int64_t long_value(const Value& number);

// The members as a java.util.HashSet of them gives them: the order in which the cardinality
// operation looks at an object, and by which those that become lists follow each other.
std::vector<json::Member> in_hash_order(const Value& object);

// Counts what is written, so that a result stays bounded. Throws TransformError where too much was
// written, or where `value`, placed `level` levels deep, would be nested too deeply.
void charge(Run& run, const Value& value, int level);
// Throws where no array may grow to `index`.
void check_index(std::size_t index);

}  // namespace weir::jolt
