#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "engine/text/error.h"

// Numbers as Java reads and prints them. Pure functions, thread safe.
namespace weir::text {

// Double.toString of JDK 19 and later: the shortest digits that read back as the same value, at
// least one after the point, scientific below 1e-3 and from 1e7 up: 1.0E7, 9.9E-4, 0.1, -0.0,
// NaN, Infinity.
std::string double_to_string(double value);
void append_double(std::string& out, double value);
void append_whole(std::string& out, std::int64_t value);

struct NumberText {
  enum class Kind {
    none,          // not a number
    whole,         // fits 64 bits: `whole` holds it
    decimal,       // `decimal` holds it
    out_of_range,  // digits only, but more than 64 bits: the Expression Language fails on it
  };
  Kind kind = Kind::none;
  std::int64_t whole = 0;
  double decimal = 0;
};

// What the Expression Language takes a text for, white space of Java's `trim` around it left away.
// Whole: optional sign and digits, or 0x and hexadecimal digits. Decimal: with a point and an
// optional exponent (`.5`, `1.5e3`), hexadecimal (`0x1.8p1`), `NaN`, `Infinity`. Not a number:
// `1e3`, `5.`, `2E-2`, digits of other scripts.
NumberText parse_number(std::string_view text);

// Java's cast (long) of a double: NaN is 0, what does not fit becomes the nearest limit.
std::int64_t decimal_to_whole(double value);

// Long.toString(value, radix): lower-case letters; a radix outside of 2..36 means 10.
std::string to_radix(std::int64_t value, int radix);
// The same, padded with zeros from the left, in front of a minus sign too: 0000-111.
std::string to_radix(std::int64_t value, int radix, std::int64_t minimum_width);
// Long.parseLong(text, radix): one sign, then digits of any script. The error: no digits, a
// character that is none, more than 64 bits, a radix outside of 2..36.
std::expected<std::int64_t, Error> from_radix(std::string_view text, int radix);
// Integer.parseInt(text): as above with 32 bits and radix 10.
std::expected<std::int32_t, Error> parse_int(std::string_view text);

// A number of the Expression Language.
using Number = std::variant<std::int64_t, double>;

// java.lang.Math.<name> with no, one or two arguments. The overload is the one for exactly these
// types, long and double; a whole second argument is tried as an int too. A result that is an int
// in Java comes as a whole number. The error: no such overload (sqrt of a whole number), or what
// Java throws (overflow of addExact, floorDiv by zero). `random` takes the uniform value passed in.
std::expected<Number, std::string> math(std::string_view name, std::span<const Number> arguments,
                                        double random_value);

}  // namespace weir::text
