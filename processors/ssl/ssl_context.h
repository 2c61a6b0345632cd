#pragma once

#include <string>

#include "engine/api/controller_service.h"

namespace weir::processors::ssl {

// What one side of a TLS connection proves itself with and whom it trusts, as PEM texts in memory.
// They hold a private key: never to be logged or written.
struct TlsMaterial {
  std::string certificate_chain;  // own certificate first; empty: none is shown
  std::string private_key;        // not encrypted
  std::string trusted;            // certificates of authorities; empty: the system's
  std::string protocol;           // "TLS" (what both sides know best), "TLSv1.2", …
};

// The interface of NiFi's SSL context services.
class SslContext : public ControllerService {
 public:
  virtual const TlsMaterial& material() const = 0;  // while enabled; thread safe
};

inline constexpr const char* kSslContextInterface = "org.apache.nifi.ssl.SSLContextService";
inline constexpr const char* kRestrictedSslContextInterface =
    "org.apache.nifi.ssl.RestrictedSSLContextService";

}  // namespace weir::processors::ssl
