#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace weir::runtime::testing {

// The seed and the number of loops of a random test: WEIR_SEED and WEIR_LOOPS of the environment.
inline std::uint64_t test_seed(std::uint64_t otherwise) {
  const char* const given = std::getenv("WEIR_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
  std::cout << "WEIR_SEED=" << seed << '\n';
  return seed;
}

inline int test_loops(int otherwise) {
  const char* const given = std::getenv("WEIR_LOOPS");
  return given != nullptr ? otherwise * std::max(std::atoi(given), 1) : otherwise;
}

}  // namespace weir::runtime::testing
