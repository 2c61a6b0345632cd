#include "processors/support/expansion.h"

#include <fmt/format.h>

namespace weir::processors {

void check_expansion(std::uint64_t in_bytes, std::uint64_t out_bytes) {
  if (out_bytes <= free_expansion_bytes || out_bytes / most_expansion_ratio <= in_bytes) return;
  throw ExpansionLimitExceeded(fmt::format("{} bytes have grown to {}, more than {} times as many",
                                           in_bytes, out_bytes, most_expansion_ratio));
}

}  // namespace weir::processors
