#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

// Logins by OAUTHBEARER with tokens that nobody signed, for clusters that trust their network.
namespace weir::processors::kafka {

struct UnsecuredToken {
  std::string token;  // header.payload. as of RFC 7519, both in Base64
  std::string principal;
  std::int64_t expires_ms = 0;  // since the epoch
};

// Of a `sasl.oauthbearer.config`:
//   principal=NAME [scope=NAME,…] [lifeSeconds=3600] [principalClaimName=sub]
//   [scopeClaimName=scope]
// The error is a sentence for the user.
std::expected<UnsecuredToken, std::string> unsecured_token(std::string_view config,
                                                           std::int64_t now_ms);

// Makes tokens for a client, the first and each one before the last expires, in place of
// librdkafka 2.0.2's own ones, the second of which ends the process.
void make_unsecured_tokens(rd_kafka_conf_t* settings);

}  // namespace weir::processors::kafka
