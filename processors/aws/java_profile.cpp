#include "processors/aws/java_profile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "engine/api/error.h"

namespace weir::processors::aws {
namespace {

constexpr const char* chain_names[] = {"AWS_ACCESS_KEY_ID",
                                       "AWS_SECRET_ACCESS_KEY",
                                       "AWS_SESSION_TOKEN",
                                       "AWS_REGION",
                                       "AWS_DEFAULT_REGION",
                                       "AWS_PROFILE",
                                       "AWS_CONFIG_FILE",
                                       "AWS_SHARED_CREDENTIALS_FILE",
                                       "AWS_ROLE_ARN",
                                       "AWS_ROLE_SESSION_NAME",
                                       "AWS_WEB_IDENTITY_TOKEN_FILE",
                                       "AWS_ENDPOINT_URL_STS",
                                       "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                       "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                       "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                                       "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                                       "AWS_EC2_METADATA_DISABLED",
                                       "AWS_EC2_METADATA_SERVICE_ENDPOINT",
                                       "HOME"};

void write_private_file(const std::filesystem::path& file, std::string_view text) {
  // A new file each time: one that is there may be another's link or have another mode.
  ::unlink(file.c_str());
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) throw storage::IoError("create", file, errno);
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) throw storage::IoError("write", file, error);
}

// A value that would end its line would be a setting of its own.
void add_setting(std::string& profile, std::string_view name, std::string_view value) {
  if (value.find_first_of("\r\n") != std::string_view::npos) {
    throw ProcessException(fmt::format("{} of the role holds a line break", name));
  }
  profile += fmt::format("{} = {}\n", name, value);
}

}  // namespace

std::map<std::string, std::string> key_variables(const Credentials& credentials) {
  std::map<std::string, std::string> variables = {
      {"AWS_ACCESS_KEY_ID", credentials.access_key_id},
      {"AWS_SECRET_ACCESS_KEY", credentials.secret_access_key}};
  if (!credentials.session_token.empty()) {
    variables["AWS_SESSION_TOKEN"] = credentials.session_token;
  }
  return variables;
}

std::map<std::string, std::string> chain_variables(const Surroundings& surroundings) {
  std::map<std::string, std::string> variables;
  for (const char* name : chain_names) {
    if (const auto value = surroundings.variable(name)) variables[name] = *value;
  }
  return variables;
}

JavaCredentials java_profile(const JavaRole& role, const Credentials& base, JavaSource source,
                             const Surroundings& surroundings,
                             const std::filesystem::path& directory) {
  auto variables = chain_variables(surroundings);
  std::string profile = "[profile weir]\n";
  add_setting(profile, "role_arn", role.role.arn);
  add_setting(profile, "role_session_name", role.role.session_name);
  add_setting(profile, "duration_seconds", std::to_string(role.role.duration.count()));
  if (!role.role.external_id.empty()) {
    add_setting(profile, "external_id", role.role.external_id);
  }
  add_setting(profile, "region", role.sts_region);
  switch (source) {
    case JavaSource::environment:
      if (base.access_key_id.empty()) {
        throw ProcessException("A role cannot be assumed with anonymous credentials");
      }
      if (base.expires_ms) {
        throw ProcessException(
            "The Kinesis Client Library cannot assume a role with a profile's credentials that "
            "expire: name the role in the profile, or use keys");
      }
      add_setting(profile, "credential_source", "Environment");
      for (auto& [name, value] : key_variables(base)) variables[name] = value;
      if (base.session_token.empty()) variables.erase("AWS_SESSION_TOKEN");
      break;
    case JavaSource::web_identity:
      add_setting(profile, "source_profile", "weir-source");
      profile += "\n[profile weir-source]\n";
      add_setting(profile, "role_arn", variables["AWS_ROLE_ARN"]);
      add_setting(profile, "web_identity_token_file", variables["AWS_WEB_IDENTITY_TOKEN_FILE"]);
      add_setting(profile, "role_session_name", "weir");
      break;
    case JavaSource::container:
      add_setting(profile, "credential_source", "EcsContainer");
      break;
    case JavaSource::instance:
      add_setting(profile, "credential_source", "Ec2InstanceMetadata");
      break;
    case JavaSource::unknown:
      throw ProcessException("No AWS credentials were found to assume the role with");
  }
  const std::filesystem::path file = directory / "aws-config";
  write_private_file(file, profile);
  variables["AWS_CONFIG_FILE"] = file.string();
  variables["AWS_PROFILE"] = "weir";
  if (!role.sts_endpoint.empty()) variables["AWS_ENDPOINT_URL_STS"] = role.sts_endpoint;
  return {"software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider", variables};
}

}  // namespace weir::processors::aws
