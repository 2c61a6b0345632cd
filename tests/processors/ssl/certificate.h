#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weir::processors::ssl::test {

// A key with its certificate, made for a test.
class Certificate {
 public:
  struct Options {
    std::string name;                     // CN
    const Certificate* issuer = nullptr;  // none: it is its own authority
    std::string hosts = {};               // "DNS:localhost,IP:127.0.0.1"
    long from_s = -3600;                  // from now
    long until_s = 3600;
  };
  explicit Certificate(const Options& options);

  std::string pem() const;
  std::string key_pem() const;  // not encrypted
  // PKCS12, as keytool and openssl write it.
  void write_store(const std::filesystem::path& file, const std::string& password,
                   const std::vector<const Certificate*>& others = {}) const;

 private:
  friend void write_trust_store(const std::filesystem::path& file, const std::string& password,
                                const std::vector<const Certificate*>& trusted);
  template <auto destroy>
  struct Free {
    void operator()(auto* object) const { destroy(object); }
  };
  std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>> key_;
  std::unique_ptr<X509, Free<X509_free>> certificate_;
};

// A PKCS12 file without a key.
void write_trust_store(const std::filesystem::path& file, const std::string& password,
                       const std::vector<const Certificate*>& trusted);

}  // namespace weir::processors::ssl::test
