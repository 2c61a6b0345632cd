#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace weir::flow {

// Encrypts sensitive values at rest in NiFi's way, so that either engine reads the other's flows
// where both have the same key: `enc{`, hexadecimal digits of a 16-byte initialization vector, the
// AES-GCM cipher text and a 16-byte tag, `}`. The AES key follows from the password by PBKDF2
// (HMAC-SHA-512, 160,000 rounds, NiFi's fixed salt); that takes a tenth of a second, so it is done
// when first needed. Not thread safe.
class SensitiveValues {
 public:
  enum class Algorithm { aes_gcm_128, aes_gcm_256 };

  SensitiveValues() = default;  // without a key
  SensitiveValues(std::string password, Algorithm algorithm)
      : password_(std::move(password)), algorithm_(algorithm) {}

  bool has_key() const { return !password_.empty(); }
  static bool is_encrypted(std::string_view value);

  // The vector follows from the value and from `where` it stands, so that saving a flow twice
  // writes the same bytes; equal values at different places look different. Needs a key.
  std::string encrypt(std::string_view value, std::string_view where) const;
  // The error is a sentence: no key, damaged, or encrypted with another key.
  std::expected<std::string, std::string> decrypt(std::string_view encrypted) const;

 private:
  std::string_view key() const;

  std::string password_;
  Algorithm algorithm_ = Algorithm::aes_gcm_256;
  mutable std::string key_;  // empty until needed
};

}  // namespace weir::flow
