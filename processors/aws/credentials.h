#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "engine/api/controller_service.h"

namespace weir::processors::aws {

// What requests are signed with.
struct Credentials {
  std::string access_key_id = {};  // empty: anonymous, nothing is signed
  std::string secret_access_key = {};
  std::string session_token = {};               // empty: long-lived ones
  std::optional<std::int64_t> expires_ms = {};  // since the epoch
};

// The same credentials for a Java program that uses the AWS SDK.
struct JavaCredentials {
  std::string provider;  // class name of the SDK, as the KCL's AwsCredentialsProvider takes it
  std::map<std::string, std::string> environment;  // holds the secrets
};

// The interface of AWSCredentialsProviderControllerService.
class CredentialsProvider : public ControllerService {
 public:
  // As they hold now; fetched anew before they expire. Blocks for the network where they come from
  // there. Throws ProcessException that says where they were looked for. Thread safe.
  virtual Credentials credentials() = 0;
  // `directory`: where files without secrets may be put for that program.
  virtual JavaCredentials for_java(const std::filesystem::path& directory) = 0;
};

// The name that processors' properties use.
inline constexpr const char* kCredentialsProviderInterface =
    "org.apache.nifi.processors.aws.credentials.provider.service.AWSCredentialsProviderService";

}  // namespace weir::processors::aws
