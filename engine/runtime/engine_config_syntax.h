#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::runtime {

// One assignment of a properties file, escapes resolved.
struct PropertyAssignment {
  std::string key;
  std::string value;       // without space at its end
  std::uint32_t line = 0;  // 1-based, where the key starts; 0: not from a file
  std::string error;       // not empty: a bad escape; key and value are then not to be used
};

// Java's .properties syntax: `#` and `!` comments, `=`, `:` or space behind the key, lines
// continued by a backslash, \t \n \r \f and \uXXXX. Bytes above ASCII are taken as they are.
std::vector<PropertyAssignment> parse_properties(std::string_view text);

}  // namespace weir::runtime
