#include "processors/content/mime_text.h"

#include <array>
#include <cstdint>
#include <utility>

#include "engine/text/character_set.h"

namespace weir::processors {
namespace {

class ByteCounts {
 public:
  explicit ByteCounts(std::string_view bytes) : total_(bytes.size()) {
    for (const char c : bytes) ++counts_[static_cast<unsigned char>(c)];
  }

  std::uint64_t of(unsigned byte) const { return counts_[byte]; }
  bool is_mostly_ascii() const {
    const std::uint64_t safe = safe_control();
    return total_ > 0 && (between(0, 0x20) - safe) * 100 < total_ * 2 &&
           (between(0x20, 0x80) + safe) * 100 > total_ * 90;
  }
  bool may_be_utf8() const {
    const std::array<std::uint64_t, 3> leading = {between(0xC0, 0xE0), between(0xE0, 0xF0),
                                                  between(0xF0, 0xF8)};
    std::uint64_t characters = between(0x20, 0x80);
    std::uint64_t expected = 0;
    for (std::size_t index = 0; index < leading.size(); ++index) {
      characters += leading[index];
      expected += (index + 1) * leading[index];
    }
    const std::uint64_t continuation = between(0x80, 0xC0);
    return characters > 0 && continuation <= expected && continuation + 3 >= expected &&
           between(0xF8, 0x100) == 0 && (between(0, 0x20) - safe_control()) * 100 < characters * 2;
  }

 private:
  std::uint64_t between(unsigned from, unsigned to) const {
    std::uint64_t sum = 0;
    for (unsigned byte = from; byte < to; ++byte) sum += counts_[byte];
    return sum;
  }
  // Tab, line ends, form feed, escape.
  std::uint64_t safe_control() const {
    return of('\t') + of('\n') + of('\r') + of(0x0C) + of(0x1B);
  }

  std::array<std::uint64_t, 256> counts_{};
  std::uint64_t total_;
};

std::optional<std::string> by_mark(std::string_view bytes) {
  using namespace std::string_view_literals;
  static constexpr std::array marks = {
      std::pair{"\xEF\xBB\xBF"sv, "UTF-8"}, std::pair{"\xFF\xFE\0\0"sv, "UTF-32LE"},
      std::pair{"\0\0\xFE\xFF"sv, "UTF-32BE"}, std::pair{"\xFF\xFE"sv, "UTF-16LE"},
      std::pair{"\xFE\xFF"sv, "UTF-16BE"}};
  for (const auto& [mark, name] : marks) {
    if (bytes.starts_with(mark)) return name;
  }
  return std::nullopt;
}

}  // namespace

bool looks_like_text(std::string_view bytes) {
  const ByteCounts counts(bytes);
  return counts.is_mostly_ascii() || counts.may_be_utf8();
}

std::optional<std::string> detect_character_set(std::string_view bytes) {
  constexpr std::size_t looked_at_bytes = 16 * 1024;
  constexpr std::size_t longest_character_bytes = 4;
  if (bytes.empty()) return "UTF-8";
  const bool is_cut = bytes.size() > looked_at_bytes;
  bytes = bytes.substr(0, looked_at_bytes);
  if (auto marked = by_mark(bytes)) return marked;
  const ByteCounts counts(bytes);
  bool has_high = false;
  for (unsigned byte = 0x80; byte < 0x100; ++byte) has_high = has_high || counts.of(byte) > 0;
  if (has_high) {
    const std::size_t valid = text::valid_utf8_prefix(bytes);
    if (valid == bytes.size() || (is_cut && bytes.size() - valid < longest_character_bytes)) {
      return "UTF-8";
    }
  } else if (!counts.is_mostly_ascii()) {
    return std::nullopt;
  }
  // Bytes that windows-1252 does not have, or no carriage return: not of Windows.
  const bool is_not_windows =
      counts.of(0x81) + counts.of(0x8D) + counts.of(0x8F) + counts.of(0x90) + counts.of(0x9D) > 0;
  if (!is_not_windows && counts.of('\r') > 0) return "windows-1252";
  // Its currency sign is hardly ever used, its successor's euro is.
  return counts.of(0xA4) > 0 ? "ISO-8859-15" : "ISO-8859-1";
}

}  // namespace weir::processors
