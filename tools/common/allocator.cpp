#include "tools/common/allocator.h"

#include <malloc.h>

namespace weir::tools {

namespace {

// Buffers of commits and blocks come and go many times a second. By default each is mapped anew
// and its pages are zeroed again, which is a tenth of all CPU time of a hop.
constexpr int kMapFromBytes = 32 << 20;
constexpr int kKeepFreeBytes = 64 << 20;

}  // namespace

void tune_allocator() {
  ::mallopt(M_MMAP_THRESHOLD, kMapFromBytes);
  ::mallopt(M_TRIM_THRESHOLD, kKeepFreeBytes);
}

}  // namespace weir::tools
