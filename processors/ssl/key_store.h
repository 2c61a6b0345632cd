#pragma once

#include <filesystem>
#include <string>

namespace weir::processors::ssl {

// A PKCS12 file, as PEM texts.
struct KeyStore {
  std::string private_key;        // the first one, not encrypted; empty where there is none
  std::string certificate_chain;  // that key's certificate, then those of authorities above it
  std::string certificates;       // all but the key's own
};

// Throws ProcessException that names the file and says what is wrong, such as a wrong password.
KeyStore read_pkcs12(const std::filesystem::path& file, const std::string& password);

}  // namespace weir::processors::ssl
