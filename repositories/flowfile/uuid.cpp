#include "repositories/flowfile/uuid.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace weir::flowfile {
namespace {

constexpr char kDigits[] = "0123456789abcdef";
// The positions of the 32 hexadecimal digits in the text.
constexpr int kDigitPositions[32] = {0,  1,  2,  3,  4,  5,  6,  7,  9,  10, 11,
                                     12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25,
                                     26, 27, 28, 29, 30, 31, 32, 33, 34, 35};

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void put_big_endian(std::uint64_t value, unsigned char* out) {
  for (int i = 7; i >= 0; --i, value >>= 8) out[i] = static_cast<unsigned char>(value);
}

std::uint64_t get_big_endian(const unsigned char* in) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | in[i];
  return value;
}

}  // namespace

void Uuid::write_to(char (&text)[36]) const {
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t half = i < 16 ? high : low;
    text[kDigitPositions[i]] = kDigits[half >> (60 - 4 * (i % 16)) & 0xF];
  }
  text[8] = text[13] = text[18] = text[23] = '-';
}

std::string Uuid::to_string() const {
  char text[36];
  write_to(text);
  return {text, sizeof text};
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return std::nullopt;
  Uuid uuid;
  for (int i = 0; i < 32; ++i) {
    const int value = digit_value(text[static_cast<std::size_t>(kDigitPositions[i])]);
    if (value < 0) return std::nullopt;
    std::uint64_t& half = i < 16 ? uuid.high : uuid.low;
    half = half << 4 | static_cast<std::uint64_t>(value);
  }
  return uuid;
}

Uuid Uuid::from_name(const Uuid& space, std::string_view name) {
  std::string input(16, '\0');
  put_big_endian(space.high, reinterpret_cast<unsigned char*>(input.data()));
  put_big_endian(space.low, reinterpret_cast<unsigned char*>(input.data()) + 8);
  input += name;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int digest_size = 0;
  // SHA-1 of a short buffer fails only where the library itself is broken.
  if (EVP_Digest(input.data(), input.size(), digest, &digest_size, EVP_sha1(), nullptr) != 1) {
    std::abort();
  }
  Uuid uuid{get_big_endian(digest), get_big_endian(digest + 8)};
  uuid.high = (uuid.high & ~0xF000ull) | 0x5000;
  uuid.low = (uuid.low & ~(3ull << 62)) | 1ull << 63;
  return uuid;
}

UuidGenerator::UuidGenerator(std::uint64_t random_high, std::uint64_t random_low)
    : random_a_(random_high & 0xFFF), counter_(random_low & ~(3ull << 62)) {}

Uuid UuidGenerator::next(std::int64_t now_ms) {
  // A clock that steps back must not disturb the order of uuids.
  if (now_ms > last_ms_) last_ms_ = now_ms;
  counter_ = (counter_ + 1) & ~(3ull << 62);
  return {static_cast<std::uint64_t>(last_ms_) << 16 | 0x7000 | random_a_, 1ull << 63 | counter_};
}

}  // namespace weir::flowfile
