#include "tests/processors/ssl/certificate.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <functional>

namespace weir::processors::ssl::test {
namespace {

void add_extension(X509* certificate, int kind, const char* value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

std::string text_of(const std::function<void(BIO*)>& write) {
  BIO* const out = BIO_new(BIO_s_mem());
  write(out);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free_all(out);
  return text;
}

void write_pkcs12(const std::filesystem::path& file, const std::string& password, EVP_PKEY* key,
                  X509* own, const std::vector<X509*>& others) {
  STACK_OF(X509)* const authorities = sk_X509_new_null();
  for (X509* const other : others) sk_X509_push(authorities, other);
  PKCS12* const store = PKCS12_create(password.c_str(), "me", key, own, authorities, 0, 0, 0, 0, 0);
  BIO* const out = BIO_new_file(file.c_str(), "wb");
  i2d_PKCS12_bio(out, store);
  BIO_free_all(out);
  PKCS12_free(store);
  sk_X509_free(authorities);
}

}  // namespace

Certificate::Certificate(const Options& options)
    : key_(EVP_RSA_gen(2048)), certificate_(X509_new()) {
  static std::atomic<long> serial{0};
  X509* const made = certificate_.get();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made), options.from_s);
  X509_gmtime_adj(X509_getm_notAfter(made), options.until_s);
  X509_set_pubkey(made, key_.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(options.name.c_str()), -1, -1,
                             0);
  if (!options.hosts.empty()) add_extension(made, NID_subject_alt_name, options.hosts.c_str());
  if (options.issuer == nullptr) add_extension(made, NID_basic_constraints, "critical,CA:TRUE");
  const Certificate& issuer = options.issuer ? *options.issuer : *this;
  X509_set_issuer_name(made, X509_get_subject_name(issuer.certificate_.get()));
  X509_sign(made, issuer.key_.get(), EVP_sha256());
}

std::string Certificate::pem() const {
  return text_of([this](BIO* out) { PEM_write_bio_X509(out, certificate_.get()); });
}

std::string Certificate::key_pem() const {
  return text_of([this](BIO* out) {
    PEM_write_bio_PKCS8PrivateKey(out, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

void Certificate::write_store(const std::filesystem::path& file, const std::string& password,
                              const std::vector<const Certificate*>& others) const {
  std::vector<X509*> more;
  for (const Certificate* const other : others) more.push_back(other->certificate_.get());
  write_pkcs12(file, password, key_.get(), certificate_.get(), more);
}

void write_trust_store(const std::filesystem::path& file, const std::string& password,
                       const std::vector<const Certificate*>& trusted) {
  std::vector<X509*> all;
  for (const Certificate* const one : trusted) all.push_back(one->certificate_.get());
  write_pkcs12(file, password, nullptr, nullptr, all);
}

}  // namespace weir::processors::ssl::test
