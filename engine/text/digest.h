#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/error.h"

// Hashes by the names that java.security.MessageDigest knows, and identifiers made from names.
namespace weir::text {

// One hash being computed. Not thread safe.
class Digest {
 public:
  virtual ~Digest() = default;
  virtual void update(std::span<const std::byte> data) = 0;
  virtual std::vector<std::uint8_t> finish() = 0;  // once

  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }

  // MD2, MD5, SHA (= SHA-1, SHA1), SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224, SHA-512/256,
  // SHA3-224, SHA3-256, SHA3-384, SHA3-512, SHAKE128-256, SHAKE256-512; upper or lower case, and
  // their object identifiers. Null where Java has no such algorithm.
  static std::unique_ptr<Digest> make(std::string_view java_name);
};

// The hash in lower-case hexadecimal digits; empty where there is no such algorithm.
std::optional<std::string> hash_hex(std::string_view java_name, std::string_view bytes);

// UUID.fromString followed by toString: five groups of hexadecimal digits of any length up to
// what fits ("1-2-3-4-5"), upper or lower case. The error: anything else.
using UuidBytes = std::array<std::uint8_t, 16>;
std::expected<UuidBytes, Error> parse_uuid(std::string_view text);
std::string uuid_text(const UuidBytes& uuid);

// Name-based identifiers of version 3 (MD5) and version 5 (SHA-1) within a namespace.
UuidBytes uuid3(const UuidBytes& name_space, std::string_view name);
UuidBytes uuid5(const UuidBytes& name_space, std::string_view name);
// UUID.nameUUIDFromBytes: version 3 without a namespace.
UuidBytes uuid3(std::string_view name);

}  // namespace weir::text
