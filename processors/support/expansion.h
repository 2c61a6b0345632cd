#pragma once

#include <cstdint>

#include "engine/api/error.h"

namespace weir::processors {

// Compressed content that grows past all measure: a bomb.
class ExpansionLimitExceeded : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

// Output is written as it comes, so a bomb cannot fill memory, but it can fill the disk. So what
// has grown past 256 MiB may be at most 200 times what was read for it. Ordinary text shrinks by 5
// to 30, a log of like lines by 100; what shrinks more is small, or is made of nothing.
inline constexpr std::uint64_t free_expansion_bytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t most_expansion_ratio = 200;

// Throws ExpansionLimitExceeded where `out_bytes` made of `in_bytes` are past the bound.
void check_expansion(std::uint64_t in_bytes, std::uint64_t out_bytes);

}  // namespace weir::processors
