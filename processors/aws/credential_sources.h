#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "processors/aws/credentials.h"
#include "processors/aws/profile_file.h"
#include "processors/aws/security_token_service.h"
#include "processors/aws/surroundings.h"

// The places where credentials are looked for, as the AWS SDK for Java looks. A source is asked by
// one thread at a time; it may block for the network.
namespace weir::processors::aws {

// How a Java program would get at the credentials of a source through a profile of its own.
enum class JavaSource {
  environment,  // AWS_ACCESS_KEY_ID and so on hold them: long-lived ones only
  web_identity,
  container,
  instance,
  unknown,  // nothing was found yet
};

class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // Anew at each call. The error says where was looked and what was wrong there; it holds no
  // secret. Throws nothing.
  virtual std::expected<Credentials, std::string> fetch() = 0;
  virtual JavaSource java_source() const { return JavaSource::environment; }
};

std::unique_ptr<CredentialSource> static_source(Credentials credentials);  // anonymous ones as well
// A Java properties file with accessKey and secretKey.
std::unique_ptr<CredentialSource> properties_file_source(std::filesystem::path file,
                                                         const Surroundings& surroundings);
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
std::unique_ptr<CredentialSource> environment_source(const Surroundings& surroundings);
// The role AWS_ROLE_ARN for the token in the file AWS_WEB_IDENTITY_TOKEN_FILE.
std::unique_ptr<CredentialSource> web_identity_source(const Surroundings& surroundings);
// A profile: keys, a role with a source profile or credential source, or a role by web identity.
// An empty name: AWS_PROFILE, else "default".
std::unique_ptr<CredentialSource> profile_source(std::string name,
                                                 const Surroundings& surroundings);
// The URI that AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or ..._FULL_URI names (ECS, EKS).
std::unique_ptr<CredentialSource> container_source(const Surroundings& surroundings);
// The role of the EC2 instance, by version 2 of its metadata service.
std::unique_ptr<CredentialSource> instance_source(const Surroundings& surroundings);
// A role assumed with the credentials of `signing`.
std::unique_ptr<CredentialSource> role_source(AssumedRole role,
                                              std::unique_ptr<CredentialSource> signing,
                                              std::string sts_region, std::string sts_endpoint);
// The first of the above that has any, in the order of the SDK's default chain.
std::unique_ptr<CredentialSource> default_source(const Surroundings& surroundings);

// The region that the environment names for the STS; empty where none.
std::string region_of(const Surroundings& surroundings);

}  // namespace weir::processors::aws
