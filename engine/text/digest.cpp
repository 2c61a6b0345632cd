#include "engine/text/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/text/base64.h"
#include "engine/text/java_case.h"
#include "engine/text/md2.h"

namespace weir::text {
namespace {

class Md2Digest : public Digest {
 public:
  using Digest::update;
  void update(std::span<const std::byte> data) override { hash_.update(data); }
  std::vector<std::uint8_t> finish() override {
    const auto digest = hash_.finish();
    return {digest.begin(), digest.end()};
  }

 private:
  Md2 hash_;
};

// The library fails only without memory or with a broken installation.
void require(int result) {
  if (result != 1) std::abort();
}

class OpenSslDigest : public Digest {
 public:
  // `output_bytes` above 0: for hashes whose length is chosen.
  OpenSslDigest(const EVP_MD* algorithm, std::size_t output_bytes)
      : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free), output_bytes_(output_bytes) {
    require(EVP_DigestInit_ex(context_.get(), algorithm, nullptr));
  }
  using Digest::update;
  void update(std::span<const std::byte> data) override {
    require(EVP_DigestUpdate(context_.get(), data.data(), data.size()));
  }
  std::vector<std::uint8_t> finish() override {
    std::vector<std::uint8_t> digest(EVP_MAX_MD_SIZE);
    if (output_bytes_ > 0) {
      digest.resize(output_bytes_);
      require(EVP_DigestFinalXOF(context_.get(), digest.data(), digest.size()));
      return digest;
    }
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
    digest.resize(size);
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  std::size_t output_bytes_;
};

struct Algorithm {
  std::string_view java_name;
  std::string_view object_identifier;
  const EVP_MD* (*make)();  // null: MD2
  std::size_t output_bytes = 0;
};

constexpr Algorithm algorithms[] = {
    {"MD2", "1.2.840.113549.2.2", nullptr},
    {"MD5", "1.2.840.113549.2.5", &EVP_md5},
    {"SHA-1", "1.3.14.3.2.26", &EVP_sha1},
    {"SHA", "", &EVP_sha1},
    {"SHA1", "", &EVP_sha1},
    {"SHA-224", "2.16.840.1.101.3.4.2.4", &EVP_sha224},
    {"SHA224", "", &EVP_sha224},
    {"SHA-256", "2.16.840.1.101.3.4.2.1", &EVP_sha256},
    {"SHA256", "", &EVP_sha256},
    {"SHA-384", "2.16.840.1.101.3.4.2.2", &EVP_sha384},
    {"SHA384", "", &EVP_sha384},
    {"SHA-512", "2.16.840.1.101.3.4.2.3", &EVP_sha512},
    {"SHA512", "", &EVP_sha512},
    {"SHA-512/224", "2.16.840.1.101.3.4.2.5", &EVP_sha512_224},
    {"SHA512/224", "", &EVP_sha512_224},
    {"SHA-512/256", "2.16.840.1.101.3.4.2.6", &EVP_sha512_256},
    {"SHA512/256", "", &EVP_sha512_256},
    {"SHA3-224", "2.16.840.1.101.3.4.2.7", &EVP_sha3_224},
    {"SHA3-256", "2.16.840.1.101.3.4.2.8", &EVP_sha3_256},
    {"SHA3-384", "2.16.840.1.101.3.4.2.9", &EVP_sha3_384},
    {"SHA3-512", "2.16.840.1.101.3.4.2.10", &EVP_sha3_512},
    {"SHAKE128-256", "", &EVP_shake128, 32},
    {"SHAKE256-512", "", &EVP_shake256, 64},
};

UuidBytes name_based(std::string_view algorithm, const UuidBytes* name_space, std::string_view name,
                     std::uint8_t version) {
  const std::unique_ptr<Digest> digest = Digest::make(algorithm);
  if (name_space) digest->update(std::as_bytes(std::span(*name_space)));
  digest->update(name);
  const std::vector<std::uint8_t> hash = digest->finish();
  UuidBytes uuid;
  std::copy_n(hash.begin(), uuid.size(), uuid.begin());
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | version << 4);
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

int hex_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

}  // namespace

std::unique_ptr<Digest> Digest::make(std::string_view java_name) {
  const std::string upper = to_upper(java_name);
  const std::string_view identifier =
      upper.starts_with("OID.") ? std::string_view(upper).substr(4) : std::string_view(upper);
  const auto* found = std::ranges::find_if(algorithms, [&](const Algorithm& algorithm) {
    return algorithm.java_name == upper ||
           (!algorithm.object_identifier.empty() && algorithm.object_identifier == identifier);
  });
  if (found == std::end(algorithms)) return nullptr;
  if (!found->make) return std::make_unique<Md2Digest>();
  return std::make_unique<OpenSslDigest>(found->make(), found->output_bytes);
}

std::optional<std::string> hash_hex(std::string_view java_name, std::string_view bytes) {
  const std::unique_ptr<Digest> digest = Digest::make(java_name);
  if (!digest) return std::nullopt;
  digest->update(bytes);
  return hex_encode(digest->finish());
}

std::expected<UuidBytes, Error> parse_uuid(std::string_view text) {
  if (text.size() > 36) return std::unexpected(Error{36, "the identifier is too long"});
  constexpr unsigned widths[] = {8, 4, 4, 4, 12};  // in digits
  std::string digits;
  std::size_t at = 0;
  for (const unsigned width : widths) {
    const std::size_t end = width == 12 ? text.size() : text.find('-', at);
    if (end == std::string_view::npos) {
      return std::unexpected(Error{at, "the identifier has fewer than five groups"});
    }
    std::string_view group = text.substr(at, end - at);
    if (group.starts_with('+')) group.remove_prefix(1);  // Java reads it as a number
    const auto bad = std::ranges::find_if(group, [](char c) { return hex_value(c) < 0; });
    if (group.empty() || bad != group.end()) {
      return std::unexpected(Error{at, "a group is no hexadecimal number"});
    }
    // Java keeps the low digits of a group that is too long.
    if (group.size() > width) group = group.substr(group.size() - width);
    digits.append(width - group.size(), '0').append(group);
    at = end + 1;
  }
  UuidBytes uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    uuid[i] =
        static_cast<std::uint8_t>(hex_value(digits[2 * i]) * 16 + hex_value(digits[2 * i + 1]));
  }
  return uuid;
}

std::string uuid_text(const UuidBytes& uuid) {
  std::string text = hex_encode(uuid);
  for (const std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

UuidBytes uuid3(const UuidBytes& name_space, std::string_view name) {
  return name_based("MD5", &name_space, name, 3);
}

UuidBytes uuid5(const UuidBytes& name_space, std::string_view name) {
  return name_based("SHA-1", &name_space, name, 5);
}

UuidBytes uuid3(std::string_view name) {
  return name_based("MD5", nullptr, name, 3);
}

}  // namespace weir::text
