#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

#include "processors/aws/credentials.h"
#include "processors/aws/http.h"

namespace weir::processors::aws {

struct AssumedRole {
  std::string arn;
  std::string session_name;
  std::chrono::seconds duration = std::chrono::hours(1);
  std::string external_id = {};  // empty: none
};

// The calls of AWS's Security Token Service that give credentials. Thread safe; calls block and
// throw ServiceError.
class SecurityTokenService {
 public:
  // `endpoint` empty: the service's in the region; `region` empty: the global one.
  SecurityTokenService(std::string region, std::string endpoint, std::chrono::milliseconds timeout);

  Credentials assume_role(const AssumedRole& role, const Credentials& signing);
  // Not signed: the token, of an OpenID Connect provider, proves who asks.
  Credentials assume_role_with_web_identity(const AssumedRole& role, std::string_view token);

 private:
  Credentials ask(std::string_view action, const AssumedRole& role, std::string_view web_token,
                  const Credentials& signing);

  const std::string region_;
  const std::string endpoint_;
  HttpSender sender_;
};

// "2026-11-30T17:00:00Z" in milliseconds since the epoch; nullopt for another form.
std::optional<std::int64_t> parse_expiration(std::string_view text);

}  // namespace weir::processors::aws
