#pragma once

#include <cstdint>
#include <cstdlib>

namespace weir::testing {

// The number that a variable of the environment holds.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace weir::testing
