#include "processors/content/cryptographic_hash_content.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <memory>

#include "engine/text/base64.h"
#include "engine/text/digest.h"
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

class BlakeDigest : public text::Digest {
 public:
  explicit BlakeDigest(std::size_t bytes) : bytes_(bytes) {
    crypto_generichash_blake2b_init(&state_, nullptr, 0, bytes);
  }
  using Digest::update;
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
  std::unique_ptr<text::Digest> make_digest() const;

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

std::unique_ptr<text::Digest> CryptographicHashContent::make_digest() const {
  if (algorithm_.starts_with("BLAKE2-")) {
    return std::make_unique<BlakeDigest>(std::stoul(algorithm_.substr(7)) / 8);
  }
  std::unique_ptr<text::Digest> digest = text::Digest::make(algorithm_);
  if (!digest) throw ProcessException(fmt::format("there is no hash {}", algorithm_));
  return digest;
}

void CryptographicHashContent::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  if (fail_when_empty_ && flow_file.size() == 0) {
    context.log().info("{} is empty: to failure", flow_file.uuid());
    session.transfer(flow_file, failure);
    return;
  }
  const std::unique_ptr<text::Digest> digest = make_digest();
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  std::vector<std::byte> buffer(
      std::clamp<std::uint64_t>(flow_file.size(), 1, std::uint64_t{128} * 1024));
  while (const std::size_t count = in->read(buffer)) digest->update({buffer.data(), count});
  const std::string hash = text::hex_encode(digest->finish());
  session.put_attribute(flow_file, attribute_name_, hash);
  session.transfer(flow_file, success);
}

const ProcessorDefinition& cryptographic_hash_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
