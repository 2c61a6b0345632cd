#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::text {

// The MD2 digest (RFC 1319): broken as a hash, kept because flows name it, and no longer part of
// the crypto libraries.
class Md2 {
 public:
  void update(std::span<const std::byte> data);
  std::array<std::uint8_t, 16> finish();

 private:
  void block();

  std::array<std::uint8_t, 48> state_{};
  std::array<std::uint8_t, 16> checksum_{};
  std::array<std::uint8_t, 16> buffer_{};
  std::size_t filled_ = 0;
};

}  // namespace weir::text
