#include "processors/content/cryptographic_hash_content.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sodium.h>

#include <algorithm>
#include <memory>

#include "processors/content/md2.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "FlowFiles with their hash."};
const Relationship failure{.name = "failure",
                           .description = "Empty FlowFiles, where those are to fail."};

const PropertyDescriptor fail_when_empty{
    .name = "fail_when_empty",
    .display_name = "Fail if the content is empty",
    .description = "Whether a FlowFile without content goes to failure.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor hash_algorithm{
    .name = "hash_algorithm",
    .display_name = "Hash Algorithm",
    .description = "The hash. MD2, MD5 and SHA-1 are broken: use them only to compare with others.",
    .default_value = "SHA-256",
    .required = true,
    .allowable_values = {{"MD2"},
                         {"MD5"},
                         {"SHA-1"},
                         {"SHA-224"},
                         {"SHA-256"},
                         {"SHA-384"},
                         {"SHA-512"},
                         {"SHA-512/224"},
                         {"SHA-512/256"},
                         {"SHA3-224"},
                         {"SHA3-256"},
                         {"SHA3-384"},
                         {"SHA3-512"},
                         {"BLAKE2-160"},
                         {"BLAKE2-256"},
                         {"BLAKE2-384"},
                         {"BLAKE2-512"}}};

// One hash being computed.
class Digest {
 public:
  virtual ~Digest() = default;
  virtual void update(std::span<const std::byte> data) = 0;
  virtual std::vector<std::uint8_t> finish() = 0;
};

class Md2Digest : public Digest {
 public:
  void update(std::span<const std::byte> data) override { hash_.update(data); }
  std::vector<std::uint8_t> finish() override {
    const auto digest = hash_.finish();
    return {digest.begin(), digest.end()};
  }

 private:
  Md2 hash_;
};

class BlakeDigest : public Digest {
 public:
  explicit BlakeDigest(std::size_t bytes) : bytes_(bytes) {
    crypto_generichash_blake2b_init(&state_, nullptr, 0, bytes);
  }
  void update(std::span<const std::byte> data) override {
    crypto_generichash_blake2b_update(&state_, reinterpret_cast<const unsigned char*>(data.data()),
                                      data.size());
  }
  std::vector<std::uint8_t> finish() override {
    std::vector<std::uint8_t> digest(bytes_);
    crypto_generichash_blake2b_final(&state_, digest.data(), digest.size());
    return digest;
  }

 private:
  crypto_generichash_blake2b_state state_;
  std::size_t bytes_;
};

class OpenSslDigest : public Digest {
 public:
  explicit OpenSslDigest(const EVP_MD* algorithm) : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    check(EVP_DigestInit_ex(context_.get(), algorithm, nullptr));
  }
  void update(std::span<const std::byte> data) override {
    check(EVP_DigestUpdate(context_.get(), data.data(), data.size()));
  }
  std::vector<std::uint8_t> finish() override {
    std::vector<std::uint8_t> digest(EVP_MAX_MD_SIZE);
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
    digest.resize(size);
    return digest;
  }

 private:
  static void check(int result) {
    if (result != 1) throw ProcessException("the crypto library failed to compute a hash");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

// NiFi's name for the hash as OpenSSL's: SHA-256 is SHA256, SHA-512/224 is SHA512-224.
const EVP_MD* openssl_algorithm(std::string name) {
  if (name.starts_with("SHA-")) name.erase(3, 1);
  std::ranges::replace(name, '/', '-');
  return EVP_get_digestbyname(name.c_str());
}

class CryptographicHashContent : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    fail_when_empty_ = context.property(fail_when_empty).boolean();
    algorithm_ = context.property(hash_algorithm).text();
    attribute_name_ = "content_" + algorithm_;
    if (sodium_init() < 0) throw ProcessException("libsodium cannot be initialised");
  }
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::unique_ptr<Digest> make_digest() const;

  bool fail_when_empty_ = false;
  std::string algorithm_;
  std::string attribute_name_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("CryptographicHashContent");
  definition.summary = "Computes a hash of the content and writes it to an attribute.";
  definition.tags = {"content", "hash", "sha", "blake2", "md5", "cryptography"};
  definition.properties = {fail_when_empty, hash_algorithm};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {"content_<algorithm>", "The hash in hexadecimal digits, e.g. content_SHA-256."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The content is only read; a repeated run gives the same hash.";
  definition.example =
      R"({"type": "CryptographicHashContent", "properties": {"hash_algorithm": "SHA-512"}})";
  definition.make = [] { return std::make_unique<CryptographicHashContent>(); };
  return definition;
}

}  // namespace

std::unique_ptr<Digest> CryptographicHashContent::make_digest() const {
  if (algorithm_ == "MD2") return std::make_unique<Md2Digest>();
  if (algorithm_.starts_with("BLAKE2-")) {
    return std::make_unique<BlakeDigest>(std::stoul(algorithm_.substr(7)) / 8);
  }
  const EVP_MD* algorithm = openssl_algorithm(algorithm_);
  if (!algorithm) {
    throw ProcessException(fmt::format("the crypto library does not have {}", algorithm_));
  }
  return std::make_unique<OpenSslDigest>(algorithm);
}

void CryptographicHashContent::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  if (fail_when_empty_ && flow_file.size() == 0) {
    context.log().info("{} is empty: to failure", flow_file.uuid());
    session.transfer(flow_file, failure);
    return;
  }
  const std::unique_ptr<Digest> digest = make_digest();
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  std::vector<std::byte> buffer(
      std::clamp<std::uint64_t>(flow_file.size(), 1, std::uint64_t{128} * 1024));
  while (const std::size_t count = in->read(buffer)) digest->update({buffer.data(), count});
  std::string text;
  for (const std::uint8_t byte : digest->finish()) text += fmt::format("{:02x}", byte);
  session.put_attribute(flow_file, attribute_name_, text);
  session.transfer(flow_file, success);
}

const ProcessorDefinition& cryptographic_hash_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
