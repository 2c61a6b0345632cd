#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "processors/aws/credential_sources.h"

// How the AWS SDK within a Java program is told to find the credentials that this service has.
namespace weir::processors::aws {

// AWS_ACCESS_KEY_ID and so on.
std::map<std::string, std::string> key_variables(const Credentials& credentials);

// Those of this process's variables that the SDK's chain and its profiles read, and no others.
std::map<std::string, std::string> chain_variables(const Surroundings& surroundings);

struct JavaRole {
  AssumedRole role;
  std::string sts_region;
  std::string sts_endpoint;  // empty: the region's
};

// Writes a profile that assumes the role (file mode 0600, no secret in it) and names it. `base` is
// what the role is assumed with, `source` where it came from. Throws ProcessException where the
// SDK cannot get at them, IoError where the file cannot be written.
JavaCredentials java_profile(const JavaRole& role, const Credentials& base, JavaSource source,
                             const Surroundings& surroundings,
                             const std::filesystem::path& directory);

}  // namespace weir::processors::aws
