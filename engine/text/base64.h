#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "engine/text/error.h"

// Base64, Base32 and hexadecimal digits (RFC 4648): whole texts, and the same over a stream of
// buffers cut anywhere. The stream classes append to `out`, which the caller empties when it
// likes; they hold a few bytes. Not thread safe, cheap to make.
namespace weir::text {

std::string base64_encode(std::string_view bytes);
std::string base32_encode(std::string_view bytes);
std::string hex_encode(std::string_view bytes);  // lower case
std::string hex_encode(std::span<const std::uint8_t> bytes);

// java.util.Base64.getDecoder(): the standard alphabet, nothing else; padding may be left away but
// must be right where it stands.
std::expected<std::string, Error> base64_decode(std::string_view text);
// The same into memory that has room for base64_decoded_size(text). Gives the bytes written.
std::expected<std::size_t, Error> base64_decode(std::string_view text, char* out);
std::size_t base64_decoded_size(std::string_view text);  // exact, where the text is right
std::expected<std::string, Error> base32_decode(std::string_view text);  // as strict
std::expected<std::string, Error> hex_decode(std::string_view text);     // either case

enum class BinaryText { base64, base32, hex };

class BinaryTextEncoder {
 public:
  // With a line length above 0 the separator follows each full line, and the last one too, as
  // Commons Codec writes it. Hexadecimal digits are in lower case and never broken into lines.
  explicit BinaryTextEncoder(BinaryText form, std::size_t line_length = 0,
                             std::string line_separator = "\r\n");
  void update(std::string_view bytes, std::string& out);
  void finish(std::string& out);  // the rest, with padding

 private:
  void put(std::string_view encoded, std::string& out);

  const BinaryText form_;
  const std::size_t line_length_;
  const std::string line_separator_;
  std::size_t column_ = 0;
  std::array<char, 5> rest_{};
  std::size_t rest_size_ = 0;
  std::string encoded_;  // of one update, where lines are broken
};

class BinaryTextDecoder {
 public:
  enum class Strictness {
    strict,      // the alphabet only
    skip_space,  // blanks, tabs, CR and LF are skipped; anything else outside is an error
    lenient,     // as Commons Codec: either alphabet or case, all else is skipped; hex is strict
  };
  BinaryTextDecoder(BinaryText form, Strictness strictness);
  // The error's offset counts from the beginning of the stream. After an error: no further calls.
  std::expected<void, Error> update(std::string_view text, std::string& out);
  // Lenient: bits that fill no byte are left away. Else an error.
  std::expected<void, Error> finish(std::string& out);

 private:
  std::expected<void, Error> put_aside(char c);

  const BinaryText form_;
  const Strictness strictness_;
  const std::array<std::int8_t, 256>& table_;
  std::size_t offset_ = 0;
  std::uint64_t bits_ = 0;
  unsigned symbols_ = 0;  // of the group at hand
  unsigned padding_ = 0;
  bool ended_ = false;
};

}  // namespace weir::text
