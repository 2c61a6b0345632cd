#include "repositories/storage/checksum.h"

#include <new>

// Inlined: most records are a few hundred bytes, where the call through the shared library costs
// as much as the hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weir::storage {

std::uint64_t checksum(std::span<const std::byte> data, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data.data(), data.size(), seed);
}

struct StreamingChecksum::State {
  XXH3_state_t hash;
  std::uint64_t seed;
};

StreamingChecksum::StreamingChecksum(std::uint64_t seed) : state_(std::make_unique<State>()) {
  state_->seed = seed;
  reset();
}

StreamingChecksum::~StreamingChecksum() = default;
StreamingChecksum::StreamingChecksum(StreamingChecksum&&) noexcept = default;
StreamingChecksum& StreamingChecksum::operator=(StreamingChecksum&&) noexcept = default;

void StreamingChecksum::reset() {
  XXH3_INITSTATE(&state_->hash);
  XXH3_64bits_reset_withSeed(&state_->hash, state_->seed);
}

void StreamingChecksum::update(std::span<const std::byte> data) {
  XXH3_64bits_update(&state_->hash, data.data(), data.size());
}

std::uint64_t StreamingChecksum::value() const {
  return XXH3_64bits_digest(&state_->hash);
}

}  // namespace weir::storage
