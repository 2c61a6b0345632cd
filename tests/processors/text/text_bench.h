#pragma once

#include <string>
#include <vector>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {

using Strings = std::vector<std::string>;

// What one text becomes, with nothing going wrong: the contents of a relationship, in order.
inline Strings contents(const bench::TestBench& bench, const std::string& relationship) {
  Strings all;
  for (const auto& output : bench.outputs(relationship)) all.push_back(output.content);
  return all;
}

// Not inlined: the compiler takes sizes that it sees for more than a string holds.
[[gnu::noinline]] inline std::string repeated(std::size_t count, char c) {
  return std::string(count, c);
}

// A text of lines that goes over several of the buffers that text is read with.
inline std::string many_lines(std::size_t count, const std::string& end = "\n") {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "line " + std::to_string(i) + end;
  return text;
}

}  // namespace weir::processors
