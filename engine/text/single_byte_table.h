#pragma once

#include <array>
#include <cstdint>
#include <vector>

struct UConverter;

namespace weir::text {

// A character set of one byte a character.
struct SingleByteTable {
  static constexpr char16_t undefined = 0xFFFD;

  std::array<char16_t, 256> units;  // of each byte
  std::vector<std::uint8_t>
      bytes;          // of each unit; 0 for what the set does not have, and for U+0000
  bool ascii = true;  // the first 128 are those of ASCII

  // With `controls` U+0080..U+009F are characters.
  SingleByteTable(UConverter* converter, bool controls);
};

}  // namespace weir::text
