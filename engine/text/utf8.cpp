#include <cstring>

#include "engine/text/character_set.h"
#include "engine/text/utf8_sequence.h"

namespace weir::text {
namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080;

std::size_t ascii_run(std::string_view bytes, std::size_t at) {
  std::uint64_t words[4];
  while (bytes.size() - at >= sizeof(words)) {
    std::memcpy(words, bytes.data() + at, sizeof(words));
    if ((words[0] | words[1] | words[2] | words[3]) & high_bits) break;
    at += sizeof(words);
  }
  while (at < bytes.size() && !(bytes[at] & 0x80)) ++at;
  return at;
}

}  // namespace

Utf8Sequence utf8_sequence(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const std::size_t left = bytes.size() - at;
  const unsigned first = byte(0);
  if (first < 0x80) return {1, true, false};
  if (first < 0xC2 || first > 0xF4) return {1, false, false};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  // The second byte has the narrower bounds: no overlong form, no surrogate, nothing past U+10FFFF.
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == left) return {i, false, true};
    const unsigned next = byte(i);
    const bool good = i == 1 ? next >= low && next <= high : (next & 0xC0) == 0x80;
    if (!good) return {i, false, false};
  }
  return {length, true, false};
}

std::size_t valid_utf8_prefix(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  std::size_t at = 0;
  while (true) {
    at = ascii_run(bytes, at);
    // Text that is not ASCII seldom has long runs of it in between.
    for (int i = 0; i < 64 && at < bytes.size(); ++i) {
      const unsigned first = byte(at);
      const std::size_t left = bytes.size() - at;
      if (first < 0x80) {
        ++at;
      } else if (first >= 0xC2 && first < 0xE0 && left >= 2 && continues(at + 1)) {
        at += 2;
      } else if (first > 0xE0 && first < 0xF0 && first != 0xED && left >= 3 && continues(at + 1) &&
                 continues(at + 2)) {
        at += 3;
      } else {
        const Utf8Sequence sequence = utf8_sequence(bytes, at);
        if (!sequence.well_formed) return at;
        at += sequence.length;
      }
    }
    if (at == bytes.size()) return at;
  }
}

bool is_valid_utf8(std::string_view bytes) {
  return valid_utf8_prefix(bytes) == bytes.size();
}

std::string repair_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (true) {
    const std::size_t good = valid_utf8_prefix(bytes);
    out.append(bytes, 0, good);
    if (good == bytes.size()) return out;
    out += replacement_character;
    bytes.remove_prefix(good + utf8_sequence(bytes, good).length);
  }
}

}  // namespace weir::text
