#include "processors/support/declare.h"

namespace weir::processors {

std::string random_uuid(Random& random) {
  flowfile::Uuid uuid{random.next(), random.next()};
  uuid.high = (uuid.high & ~0xF000ull) | 0x4000ull;
  uuid.low = (uuid.low & ~(0b11ull << 62)) | (0b10ull << 62);
  return uuid.to_string();
}

}  // namespace weir::processors
