#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace weir::storage {

// How many bytes both begin with.
inline std::size_t common_prefix(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::size_t most = a.size() < b.size() ? a.size() : b.size();
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= most; at += sizeof(std::uint64_t)) {
    std::uint64_t left;
    std::uint64_t right;
    std::memcpy(&left, a.data() + at, sizeof left);
    std::memcpy(&right, b.data() + at, sizeof right);
    if (left != right) return at + static_cast<std::size_t>(std::countr_zero(left ^ right)) / 8;
  }
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

// Appends values to a byte buffer. Integers are little endian; a varint is LEB128 (7 bits a
// byte, low group first, at most 10 bytes); a string is a varint length and its bytes.
class Encoder {
 public:
  explicit Encoder(std::vector<std::byte>& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(std::byte{value}); }
  void u32(std::uint32_t value) { fixed(value); }
  void u64(std::uint64_t value) { fixed(value); }
  void varint(std::uint64_t value) {
    std::byte group[10];
    std::size_t n = 0;
    while (value >= 0x80) {
      group[n++] = std::byte(value | 0x80);
      value >>= 7;
    }
    group[n++] = std::byte(value);
    out_.insert(out_.end(), group, group + n);
  }
  // Zigzag: small magnitudes of either sign are short.
  void signed_varint(std::int64_t value) {
    varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void raw(std::span<const std::byte> data) { out_.insert(out_.end(), data.begin(), data.end()); }
  void string(std::string_view text) {
    varint(text.size());
    raw(std::as_bytes(std::span(text.data(), text.size())));
  }
  std::size_t size() const { return out_.size(); }

 private:
  template <typename T>
  void fixed(T value) {
    std::byte raw_bytes[sizeof value];
    std::memcpy(raw_bytes, &value, sizeof value);
    out_.insert(out_.end(), raw_bytes, raw_bytes + sizeof value);
  }
  static_assert(std::endian::native == std::endian::little);

  std::vector<std::byte>& out_;
};

// The bytes end early or hold an impossible value. Whoever knows the file turns it into a
// DamagedError or a Finding.
class DecodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads what Encoder wrote. Strings are views into the input. Throws DecodeError; never reads
// past the end, whatever the bytes are.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> in) : in_(in) {}

  bool at_end() const { return position_ == in_.size(); }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return in_.size() - position_; }

  std::uint8_t u8() { return static_cast<std::uint8_t>(take(1)[0]); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto group = static_cast<std::uint64_t>(u8());
      if (shift == 63 && group > 1) break;
      value |= (group & 0x7F) << shift;
      if (group < 0x80) return value;
    }
    throw DecodeError("a variable-length integer is too long");
  }
  std::int64_t signed_varint() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  std::span<const std::byte> raw(std::size_t size) { return take(size); }
  std::string_view string() {
    const auto bytes = take(varint());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // A count of things that take at least `least_bytes` each: refused where the input cannot
  // hold them, so that a damaged count never asks for memory.
  std::size_t count(std::size_t least_bytes = 1) {
    const std::uint64_t value = varint();
    if (value > remaining() / least_bytes) throw DecodeError("a count exceeds the record");
    return value;
  }

 private:
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > remaining()) throw DecodeError("the record ends early");
    const auto part = in_.subspan(position_, size);
    position_ += size;
    return part;
  }
  template <typename T>
  T fixed() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::span<const std::byte> in_;
  std::size_t position_ = 0;
};

}  // namespace weir::storage
