#include "processors/ssl/key_store.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "engine/api/error.h"

namespace weir::processors::ssl {
namespace {

template <typename T, void (*destroy)(T*)>
struct Deleter {
  void operator()(T* object) const { destroy(object); }
};
template <typename T, void (*destroy)(T*)>
using Owned = std::unique_ptr<T, Deleter<T, destroy>>;

using Bio = Owned<BIO, BIO_free_all>;
using Pkcs12 = Owned<PKCS12, PKCS12_free>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Owned<X509, X509_free>;

void free_all(STACK_OF(X509) * stack) {
  sk_X509_pop_free(stack, X509_free);
}
using Certificates = Owned<STACK_OF(X509), free_all>;

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view why) {
  ERR_clear_error();
  throw ProcessException(fmt::format("{}: {}", file.native(), why));
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string pem_of(X509* certificate) {
  const Bio out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), certificate);
  return text_of(out.get());
}

std::string pem_of(EVP_PKEY* key) {
  const Bio out(BIO_new(BIO_s_secmem()));
  PEM_write_bio_PKCS8PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(out.get());
}

Pkcs12 open(const std::filesystem::path& file) {
  const Bio in(BIO_new_file(file.c_str(), "rb"));
  if (!in) fail(file, fmt::format("cannot be opened: {}", std::strerror(errno)));
  Pkcs12 read(d2i_PKCS12_bio(in.get(), nullptr));
  if (!read) {
    fail(file,
         "is no PKCS12 file; a JKS file becomes one by: keytool -importkeystore -srckeystore "
         "OLD.jks -destkeystore NEW.p12 -deststoretype PKCS12");
  }
  return read;
}

}  // namespace

KeyStore read_pkcs12(const std::filesystem::path& file, const std::string& password) {
  const Pkcs12 read = open(file);
  if (PKCS12_verify_mac(read.get(), password.c_str(), static_cast<int>(password.size())) != 1) {
    fail(file, "the password is wrong, or the file is damaged");
  }
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  STACK_OF(X509)* others = nullptr;
  if (PKCS12_parse(read.get(), password.c_str(), &key, &certificate, &others) != 1) {
    fail(file,
         "cannot be decrypted: its cipher is no longer supported; export it anew with a current "
         "keytool or openssl");
  }
  const Key held_key(key);
  const Certificate held_certificate(certificate);
  const Certificates held_others(others);
  KeyStore store;
  if (key != nullptr) store.private_key = pem_of(key);
  if (certificate != nullptr) store.certificate_chain = pem_of(certificate);
  for (int i = 0; others != nullptr && i < sk_X509_num(others); ++i) {
    store.certificates += pem_of(sk_X509_value(others, i));
  }
  if (certificate != nullptr) store.certificate_chain += store.certificates;
  ERR_clear_error();
  return store;
}

}  // namespace weir::processors::ssl
