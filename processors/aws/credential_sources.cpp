#include "processors/aws/credential_sources.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::aws {
namespace {

using Found = std::expected<Credentials, std::string>;

constexpr std::chrono::seconds kServiceTimeout{10};

class StaticSource : public CredentialSource {
 public:
  explicit StaticSource(Credentials credentials) : credentials_(std::move(credentials)) {}
  Found fetch() override { return credentials_; }

 private:
  const Credentials credentials_;
};

class PropertiesFileSource : public CredentialSource {
 public:
  PropertiesFileSource(std::filesystem::path file, const Surroundings& surroundings)
      : file_(std::move(file)), surroundings_(surroundings) {}

  Found fetch() override {
    const auto text = surroundings_.read_file(file_);
    if (!text) {
      return std::unexpected(fmt::format("credentials file {}: cannot be read", file_.string()));
    }
    auto properties = read_java_properties(*text);
    Credentials credentials{.access_key_id = properties["accessKey"],
                            .secret_access_key = properties["secretKey"]};
    if (credentials.access_key_id.empty() || credentials.secret_access_key.empty()) {
      return std::unexpected(fmt::format(
          "credentials file {}: must have the properties accessKey and secretKey", file_.string()));
    }
    return credentials;
  }

 private:
  const std::filesystem::path file_;
  const Surroundings surroundings_;
};

class EnvironmentSource : public CredentialSource {
 public:
  explicit EnvironmentSource(const Surroundings& surroundings) : surroundings_(surroundings) {}

  Found fetch() override {
    const auto key = surroundings_.variable("AWS_ACCESS_KEY_ID");
    const auto secret = surroundings_.variable("AWS_SECRET_ACCESS_KEY");
    if (!key || !secret) {
      return std::unexpected(
          "environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set");
    }
    return Credentials{.access_key_id = *key,
                       .secret_access_key = *secret,
                       .session_token = surroundings_.variable("AWS_SESSION_TOKEN").value_or("")};
  }

 private:
  const Surroundings surroundings_;
};

std::string session_name_of(const std::optional<std::string>& given) {
  return given && !given->empty() ? *given : "weir";
}

Found assume_by_token(const Surroundings& surroundings, SecurityTokenService& service,
                      const AssumedRole& role, const std::string& token_file) {
  auto token = surroundings.read_file(token_file);
  if (!token || token->empty()) {
    return std::unexpected(fmt::format("web identity: token file {} cannot be read", token_file));
  }
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  try {
    return service.assume_role_with_web_identity(role, *token);
  } catch (const ServiceError& error) {
    return std::unexpected(fmt::format("web identity: {}", error.what()));
  }
}

class WebIdentitySource : public CredentialSource {
 public:
  explicit WebIdentitySource(const Surroundings& surroundings)
      : surroundings_(surroundings),
        service_(region_of(surroundings),
                 surroundings.variable("AWS_ENDPOINT_URL_STS").value_or(""), kServiceTimeout) {}

  Found fetch() override {
    const auto file = surroundings_.variable("AWS_WEB_IDENTITY_TOKEN_FILE");
    const auto arn = surroundings_.variable("AWS_ROLE_ARN");
    if (!file || !arn) {
      return std::unexpected(
          "web identity: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN are not both set");
    }
    const AssumedRole role{
        .arn = *arn,
        .session_name = session_name_of(surroundings_.variable("AWS_ROLE_SESSION_NAME"))};
    return assume_by_token(surroundings_, service_, role, *file);
  }
  JavaSource java_source() const override { return JavaSource::web_identity; }

 private:
  const Surroundings surroundings_;
  SecurityTokenService service_;
};

class RoleSource : public CredentialSource {
 public:
  RoleSource(AssumedRole role, std::unique_ptr<CredentialSource> signing, std::string region,
             std::string endpoint)
      : role_(std::move(role)),
        signing_(std::move(signing)),
        service_(std::move(region), std::move(endpoint), kServiceTimeout) {}

  Found fetch() override {
    const Found signing = signing_->fetch();
    if (!signing) return signing;
    try {
      return service_.assume_role(role_, *signing);
    } catch (const ServiceError& error) {
      return std::unexpected(fmt::format("role {}: {}", role_.arn, error.what()));
    }
  }
  JavaSource java_source() const override { return signing_->java_source(); }

 private:
  const AssumedRole role_;
  const std::unique_ptr<CredentialSource> signing_;
  SecurityTokenService service_;
};

class ProfileSource : public CredentialSource {
 public:
  ProfileSource(std::string name, const Surroundings& surroundings)
      : name_(std::move(name)), surroundings_(surroundings) {}

  Found fetch() override {
    const std::string name =
        name_.empty() ? surroundings_.variable("AWS_PROFILE").value_or("default") : name_;
    // Read at each fetch: whoever rotates keys writes the file anew.
    const ProfileFiles files = load_profiles(surroundings_);
    std::vector<std::string> path;
    return resolve(files, name, path);
  }

 private:
  static std::string setting(const Profile& profile, std::string_view name) {
    const auto found = profile.find(name);
    return found == profile.end() ? std::string() : found->second;
  }

  static std::unexpected<std::string> problem(const std::string& name, std::string_view reason) {
    return std::unexpected(fmt::format("profile {}: {}", name, reason));
  }

  Found resolve(const ProfileFiles& files, const std::string& name,
                std::vector<std::string>& path) const {
    const auto found = files.profiles.find(name);
    if (found == files.profiles.end()) {
      return problem(name, fmt::format("is not in {} or {}", files.credentials.string(),
                                       files.config.string()));
    }
    const Profile& profile = found->second;
    // A profile that is its own source gives its keys.
    const bool again = std::ranges::find(path, name) != path.end();
    if (!setting(profile, "role_arn").empty() && !again) {
      path.push_back(name);
      return assume(files, name, profile, path);
    }
    const Credentials keys{.access_key_id = setting(profile, "aws_access_key_id"),
                           .secret_access_key = setting(profile, "aws_secret_access_key"),
                           .session_token = setting(profile, "aws_session_token")};
    if (!keys.access_key_id.empty() && !keys.secret_access_key.empty()) return keys;
    if (again) return problem(name, "refers to itself by source_profile");
    for (const char* other : {"credential_process", "sso_session", "sso_start_url"}) {
      if (profile.contains(other)) return problem(name, fmt::format("{} is not supported", other));
    }
    return problem(name, "has no aws_access_key_id and aws_secret_access_key");
  }

  Found assume(const ProfileFiles& files, const std::string& name, const Profile& profile,
               std::vector<std::string>& path) const {
    AssumedRole role{.arn = setting(profile, "role_arn"),
                     .session_name = session_name_of(setting(profile, "role_session_name")),
                     .external_id = setting(profile, "external_id")};
    const std::string seconds = setting(profile, "duration_seconds");
    if (!seconds.empty()) role.duration = std::chrono::seconds(std::atoi(seconds.c_str()));
    if (profile.contains("mfa_serial")) return problem(name, "mfa_serial is not supported");

    std::string region = setting(profile, "region");
    if (region.empty()) region = region_of(surroundings_);
    const std::string endpoint = surroundings_.variable("AWS_ENDPOINT_URL_STS").value_or("");
    const std::string token_file = setting(profile, "web_identity_token_file");
    if (!token_file.empty()) {
      SecurityTokenService service(region, endpoint, kServiceTimeout);
      return assume_by_token(surroundings_, service, role, token_file);
    }
    const Found signing = signing_credentials(files, name, profile, path);
    if (!signing) return signing;
    return role_source(role, static_source(*signing), region, endpoint)->fetch();
  }

  Found signing_credentials(const ProfileFiles& files, const std::string& name,
                            const Profile& profile, std::vector<std::string>& path) const {
    const std::string source_profile = setting(profile, "source_profile");
    if (!source_profile.empty()) return resolve(files, source_profile, path);
    const std::string source = setting(profile, "credential_source");
    if (source == "Environment") return environment_source(surroundings_)->fetch();
    if (source == "EcsContainer") return container_source(surroundings_)->fetch();
    if (source == "Ec2InstanceMetadata") return instance_source(surroundings_)->fetch();
    return problem(name,
                   "role_arn needs a source_profile, a credential_source (Environment, "
                   "EcsContainer, Ec2InstanceMetadata) or a web_identity_token_file");
  }

  const std::string name_;
  const Surroundings surroundings_;
};

class DefaultSource : public CredentialSource {
 public:
  explicit DefaultSource(const Surroundings& surroundings) {
    sources_.push_back(environment_source(surroundings));
    sources_.push_back(web_identity_source(surroundings));
    sources_.push_back(profile_source({}, surroundings));
    sources_.push_back(container_source(surroundings));
    sources_.push_back(instance_source(surroundings));
  }

  Found fetch() override {
    std::string reasons;
    for (const auto& source : sources_) {
      Found found = source->fetch();
      if (found) {
        java_source_ = source->java_source();
        return found;
      }
      reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", found.error());
    }
    return std::unexpected(std::move(reasons));
  }
  JavaSource java_source() const override { return java_source_; }

 private:
  std::vector<std::unique_ptr<CredentialSource>> sources_;
  JavaSource java_source_ = JavaSource::unknown;
};

}  // namespace

std::unique_ptr<CredentialSource> static_source(Credentials credentials) {
  return std::make_unique<StaticSource>(std::move(credentials));
}

std::unique_ptr<CredentialSource> properties_file_source(std::filesystem::path file,
                                                         const Surroundings& surroundings) {
  return std::make_unique<PropertiesFileSource>(std::move(file), surroundings);
}

std::unique_ptr<CredentialSource> environment_source(const Surroundings& surroundings) {
  return std::make_unique<EnvironmentSource>(surroundings);
}

std::unique_ptr<CredentialSource> web_identity_source(const Surroundings& surroundings) {
  return std::make_unique<WebIdentitySource>(surroundings);
}

std::unique_ptr<CredentialSource> profile_source(std::string name,
                                                 const Surroundings& surroundings) {
  return std::make_unique<ProfileSource>(std::move(name), surroundings);
}

std::unique_ptr<CredentialSource> role_source(AssumedRole role,
                                              std::unique_ptr<CredentialSource> signing,
                                              std::string sts_region, std::string sts_endpoint) {
  return std::make_unique<RoleSource>(std::move(role), std::move(signing), std::move(sts_region),
                                      std::move(sts_endpoint));
}

std::unique_ptr<CredentialSource> default_source(const Surroundings& surroundings) {
  return std::make_unique<DefaultSource>(surroundings);
}

std::string region_of(const Surroundings& surroundings) {
  if (const auto region = surroundings.variable("AWS_REGION")) return *region;
  return surroundings.variable("AWS_DEFAULT_REGION").value_or("");
}

}  // namespace weir::processors::aws
