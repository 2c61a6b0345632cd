#include <fmt/format.h>

#include "engine/json/parse.h"
#include "processors/aws/credential_sources.h"
#include "processors/aws/http.h"

// Credentials that the machine or container around this process hands out by HTTP.
namespace weir::processors::aws {
namespace {

using Found = std::expected<Credentials, std::string>;

// These services are near: a machine that is none of Amazon's must not wait for long.
constexpr std::chrono::seconds kNearTimeout{2};

std::string member(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  return found != nullptr && found->is_string() ? std::string(found->as_text()) : std::string();
}

// The answer of both services: AccessKeyId, SecretAccessKey, Token, Expiration.
Found read_credentials(const std::string& body, std::string_view where) {
  json::Arena arena;
  const auto value = json::parse(body, arena);
  if (!value || !value->is_object()) {
    return std::unexpected(fmt::format("{}: the answer is no JSON object", where));
  }
  Credentials credentials{.access_key_id = member(*value, "AccessKeyId"),
                          .secret_access_key = member(*value, "SecretAccessKey"),
                          .session_token = member(*value, "Token"),
                          .expires_ms = parse_expiration(member(*value, "Expiration"))};
  if (credentials.access_key_id.empty() || credentials.secret_access_key.empty()) {
    const std::string code = member(*value, "Code");
    return std::unexpected(
        fmt::format("{}: the answer has no keys{}", where, code.empty() ? "" : " (" + code + ")"));
  }
  return credentials;
}

class ContainerSource : public CredentialSource {
 public:
  explicit ContainerSource(const Surroundings& surroundings)
      : surroundings_(surroundings), sender_(kNearTimeout) {}

  Found fetch() override {
    std::string url;
    if (const auto relative = surroundings_.variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
      if (!relative->starts_with('/')) {  // it would be part of the host's name
        return std::unexpected(
            "container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with a slash");
      }
      url = "http://169.254.170.2" + *relative;
    } else if (const auto full = surroundings_.variable("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
      url = *full;
      if (!is_trusted(url)) {
        return std::unexpected(fmt::format(
            "container: {} is neither https nor an address of this machine", shown_url(url)));
      }
    } else {
      return std::unexpected(
          "container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and ..._FULL_URI are not set");
    }
    const auto token = authorization();
    if (!token) return std::unexpected(token.error());
    HttpRequest request{.url = url, .local = true};
    if (!token->empty()) request.headers.push_back("Authorization: " + *token);
    try {
      const HttpAnswer answer = sender_.send(request);
      const std::string where = "container: " + shown_url(url);
      if (answer.status == 200) return read_credentials(answer.body, where);
      return std::unexpected(fmt::format("{} answered status {}", where, answer.status));
    } catch (const ServiceError& error) {
      return std::unexpected(fmt::format("container: {}", error.what()));
    }
  }
  JavaSource java_source() const override { return JavaSource::container; }

 private:
  // The token goes to nobody else.
  static bool is_trusted(std::string_view url) {
    if (url.starts_with("https://")) return true;
    constexpr std::string_view scheme = "http://";
    if (!url.starts_with(scheme)) return false;
    std::string_view host = url.substr(scheme.size());
    host = host.substr(0, host.find_first_of("/?#"));
    if (host.contains('@')) return false;
    host = host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.find(':'));
    const bool loopback =
        host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
    return loopback || host == "localhost" || host == "169.254.170.2" || host == "169.254.170.23" ||
           host == "[::1]" || host == "[fd00:ec2::23]";
  }

  std::expected<std::string, std::string> authorization() const {
    if (const auto file = surroundings_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
      auto token = surroundings_.read_file(*file);
      if (!token) {
        return std::unexpected(fmt::format("container: token file {} cannot be read", *file));
      }
      while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) {
        token->pop_back();
      }
      return *token;
    }
    return surroundings_.variable("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  }

  const Surroundings surroundings_;
  HttpSender sender_;
};

class InstanceSource : public CredentialSource {
 public:
  explicit InstanceSource(const Surroundings& surroundings)
      : surroundings_(surroundings), sender_(kNearTimeout) {}

  Found fetch() override {
    if (surroundings_.variable("AWS_EC2_METADATA_DISABLED") == "true") {
      return std::unexpected("instance metadata: AWS_EC2_METADATA_DISABLED is true");
    }
    std::string endpoint = surroundings_.variable("AWS_EC2_METADATA_SERVICE_ENDPOINT")
                               .value_or("http://169.254.169.254");
    while (endpoint.ends_with('/')) endpoint.pop_back();
    try {
      const HttpAnswer token =
          sender_.send({.method = "PUT",
                        .url = endpoint + "/latest/api/token",
                        .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"},
                        .local = true});
      if (token.status != 200) return failed(endpoint, token.status);
      const std::vector<std::string> headers = {"X-aws-ec2-metadata-token: " + token.body};
      const std::string roles = endpoint + "/latest/meta-data/iam/security-credentials/";
      const HttpAnswer names = sender_.send({.url = roles, .headers = headers, .local = true});
      if (names.status != 200) return failed(roles, names.status);
      const std::string role = names.body.substr(0, names.body.find_first_of("\r\n"));
      const HttpAnswer answer =
          sender_.send({.url = roles + role, .headers = headers, .local = true});
      if (answer.status != 200) return failed(roles + role, answer.status);
      return read_credentials(answer.body, "instance metadata: " + shown_url(roles + role));
    } catch (const ServiceError& error) {
      return std::unexpected(fmt::format("instance metadata: {}", error.what()));
    }
  }
  JavaSource java_source() const override { return JavaSource::instance; }

 private:
  static std::unexpected<std::string> failed(const std::string& url, int status) {
    return std::unexpected(
        fmt::format("instance metadata: {} answered status {}", shown_url(url), status));
  }

  const Surroundings surroundings_;
  HttpSender sender_;
};

}  // namespace

std::unique_ptr<CredentialSource> container_source(const Surroundings& surroundings) {
  return std::make_unique<ContainerSource>(surroundings);
}

std::unique_ptr<CredentialSource> instance_source(const Surroundings& surroundings) {
  return std::make_unique<InstanceSource>(surroundings);
}

}  // namespace weir::processors::aws
