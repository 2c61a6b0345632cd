#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace weir::storage {

// XXH3, 64 bits. Not against an adversary: against torn writes, bit rot and bugs.
std::uint64_t checksum(std::span<const std::byte> data, std::uint64_t seed = 0);

// The same value over data that comes in pieces.
class StreamingChecksum {
 public:
  explicit StreamingChecksum(std::uint64_t seed = 0);
  ~StreamingChecksum();
  StreamingChecksum(StreamingChecksum&&) noexcept;
  StreamingChecksum& operator=(StreamingChecksum&&) noexcept;

  void reset();  // keeps the seed
  void update(std::span<const std::byte> data);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::storage
