#include "engine/flow/sensitive.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>

#include "engine/text/base64.h"
#include "repositories/storage/error.h"

namespace weir::flow {
namespace {

constexpr std::string_view opening = "enc{";
constexpr std::string_view salt = "NiFi Static Salt";
constexpr int rounds = 160'000;
constexpr std::size_t vector_bytes = 16;
constexpr std::size_t tag_bytes = 16;

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

// AES-GCM set up with key and vector.
CipherContext cipher(std::string_view key, std::string_view vector, bool encrypts) {
  CipherContext context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  const EVP_CIPHER* const kind = key.size() == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm();
  if (!context ||
      EVP_CipherInit_ex(context.get(), kind, nullptr, nullptr, nullptr, encrypts) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_IVLEN, static_cast<int>(vector.size()),
                          nullptr) != 1 ||
      EVP_CipherInit_ex(context.get(), nullptr, nullptr, bytes(key), bytes(vector), encrypts) !=
          1) {
    throw storage::StorageError("AES-GCM is not available");
  }
  return context;
}

}  // namespace

bool SensitiveValues::is_encrypted(std::string_view value) {
  return value.starts_with(opening) && value.ends_with('}');
}

std::string_view SensitiveValues::key() const {
  if (!key_.empty()) return key_;
  key_.resize(algorithm_ == Algorithm::aes_gcm_256 ? 32 : 16);
  if (PKCS5_PBKDF2_HMAC(password_.data(), static_cast<int>(password_.size()), bytes(salt),
                        static_cast<int>(salt.size()), rounds, EVP_sha512(),
                        static_cast<int>(key_.size()), bytes(key_)) != 1) {
    throw storage::StorageError("PBKDF2 is not available");
  }
  return key_;
}

std::string SensitiveValues::encrypt(std::string_view value, std::string_view where) const {
  const std::string seen = fmt::format("{}\n{}\n{}", where.size(), where, value);
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int digest_bytes = 0;
  HMAC(EVP_sha256(), key().data(), static_cast<int>(key().size()), bytes(seen), seen.size(),
       bytes(digest), &digest_bytes);
  const std::string vector = digest.substr(0, vector_bytes);
  const CipherContext context = cipher(key(), vector, true);
  std::string sealed(value.size(), '\0');
  int written = 0;
  int rest = 0;
  std::string tag(tag_bytes, '\0');
  if (EVP_EncryptUpdate(context.get(), bytes(sealed), &written, bytes(value),
                        static_cast<int>(value.size())) != 1 ||
      EVP_EncryptFinal_ex(context.get(), bytes(sealed) + written, &rest) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, tag.data()) != 1) {
    throw storage::StorageError("a sensitive value cannot be encrypted");
  }
  return fmt::format("{}{}{}{}}}", opening, text::hex_encode(vector), text::hex_encode(sealed),
                     text::hex_encode(tag));
}

std::expected<std::string, std::string> SensitiveValues::decrypt(std::string_view encrypted) const {
  if (!has_key()) {
    return std::unexpected(
        "it is encrypted, and there is no key: set nifi.sensitive.props.key in the properties "
        "file, or WEIR_SENSITIVE_PROPS_KEY in the environment");
  }
  encrypted = encrypted.substr(opening.size(), encrypted.size() - opening.size() - 1);
  const auto sealed = text::hex_decode(encrypted);
  if (!sealed || sealed->size() < vector_bytes + tag_bytes) {
    return std::unexpected("it is not a whole encrypted value");
  }
  const std::string_view all = *sealed;
  const std::string_view closed = all.substr(vector_bytes, all.size() - vector_bytes - tag_bytes);
  std::string tag(all.substr(all.size() - tag_bytes));
  const CipherContext context = cipher(key(), all.substr(0, vector_bytes), false);
  std::string value(closed.size(), '\0');
  int written = 0;
  int rest = 0;
  if (EVP_DecryptUpdate(context.get(), bytes(value), &written, bytes(closed),
                        static_cast<int>(closed.size())) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data()) != 1 ||
      EVP_DecryptFinal_ex(context.get(), bytes(value) + written, &rest) != 1) {
    return std::unexpected("it was encrypted with another key, or it is damaged");
  }
  return value;
}

}  // namespace weir::flow
