#include "processors/aws/credentials_properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "processors/aws/regions.h"
#include "processors/support/declare.h"

namespace weir::processors::aws::property_of_credentials {
namespace {

constexpr std::int64_t kLeastSession_s = 900;
constexpr std::int64_t kMostSession_s = 3600;

std::vector<PropertyDescriptor::Dependency> with_role() {
  return {{role_arn.name}};
}

}  // namespace

const PropertyDescriptor use_default{
    .name = "Use Default Credentials",
    .description =
        "Whether to look where AWS's tools look: the environment, a web identity token, the "
        "profile files, the container's and the EC2 instance's credentials, in this order.",
    .default_value = "false",
    .allowable_values = true_or_false(),
    .old_names = {"default-credentials"}};

const PropertyDescriptor access_key_id{.name = "Access Key ID",
                                       .description = "The identifier of an access key.",
                                       .sensitive = true,
                                       .validator = validators::non_empty(),
                                       .expression_scope = ExpressionScope::environment,
                                       .old_names = {"Access Key"}};

const PropertyDescriptor secret_access_key{.name = "Secret Access Key",
                                           .description = "The secret of that access key.",
                                           .sensitive = true,
                                           .validator = validators::non_empty(),
                                           .expression_scope = ExpressionScope::environment,
                                           .old_names = {"Secret Key"}};

const PropertyDescriptor credentials_file{
    .name = "Credentials File",
    .description = "A Java properties file with accessKey and secretKey.",
    .validator = validators::non_empty()};

const PropertyDescriptor profile_name{
    .name = "Profile Name",
    .description = "A profile of the files ~/.aws/credentials and ~/.aws/config.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"profile-name"}};

const PropertyDescriptor use_anonymous{.name = "Use Anonymous Credentials",
                                       .description = "Whether requests go unsigned.",
                                       .default_value = "false",
                                       .allowable_values = true_or_false(),
                                       .old_names = {"anonymous-credentials"}};

const PropertyDescriptor role_arn{
    .name = "Assume Role ARN",
    .description = "The role to assume with the credentials given above, by the STS.",
    .validator = validators::non_empty()};

const PropertyDescriptor role_session_name{.name = "Assume Role Session Name",
                                           .description = "Names the session in AWS's logs.",
                                           .required = true,
                                           .validator = validators::non_empty(),
                                           .depends_on = with_role()};

const PropertyDescriptor role_session_time{
    .name = "Assume Role Session Time",
    .description = "How long a session lasts, in seconds: 900 to 3600. A new one follows in time.",
    .default_value = "3600",
    .validator = validators::integer(0),
    .old_names = {"Session Time"},
    .depends_on = with_role()};

const PropertyDescriptor role_external_id{
    .name = "Assume Role External ID",
    .description = "What the owner of the role wants to be told, where it is in another account.",
    .validator = validators::non_empty(),
    .old_names = {"assume-role-external-id"},
    .depends_on = with_role()};

const PropertyDescriptor role_sts_region{.name = "Assume Role STS Region",
                                         .description = "The region whose STS is asked.",
                                         .default_value = "us-west-2",
                                         .allowable_values = region_ids(),
                                         .old_names = {"assume-role-sts-region"},
                                         .depends_on = with_role()};

const PropertyDescriptor role_sts_endpoint{
    .name = "Assume Role STS Endpoint Override",
    .description = "The URL of an STS other than the region's, such as one behind a VPC endpoint.",
    .validator = endpoint_url(),
    .old_names = {"assume-role-sts-endpoint"},
    .depends_on = with_role()};

namespace {

const PropertyDescriptor role_ssl_context{
    .name = "Assume Role SSL Context Service",
    .description = "Not supported: the STS is reached with the system's certificates.",
    .controller_service = "org.apache.nifi.ssl.SSLContextProvider",
    .old_names = {"assume-role-ssl-context-service"},
    .depends_on = with_role()};

const PropertyDescriptor role_proxy{
    .name = "Assume Role Proxy Configuration Service",
    .description = "Not supported: a proxy for HTTPS is taken from the environment (HTTPS_PROXY).",
    .controller_service = "org.apache.nifi.proxy.ProxyConfigurationService",
    .old_names = {"assume-role-proxy-configuration-service"},
    .depends_on = with_role()};

const PropertyDescriptor role_signer{
    .name = "Assume Role STS Signer Override",
    .description =
        "How requests to the STS are signed: Signature Version 4 either way. Custom "
        "Signature, a Java class, is not supported.",
    .default_value = "Default Signature",
    .allowable_values = {{"Default Signature"},
                         {"AWS4SignerType", "Signature Version 4"},
                         {"CustomSignerType", "Custom Signature"}},
    .old_names = {"assume-role-sts-signer-override"},
    .depends_on = with_role()};

const PropertyDescriptor custom_signer_class{
    .name = "Custom Signer Class Name",
    .description = "Not supported: a Java class.",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"custom-signer-class-name"},
    .depends_on = {{"Assume Role STS Signer Override", {"CustomSignerType"}}}};

const PropertyDescriptor custom_signer_module{
    .name = "Custom Signer Module Location",
    .description = "Not supported: where that class is.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"custom-signer-module-location"},
    .depends_on = {{"Assume Role STS Signer Override", {"CustomSignerType"}}}};

bool is_true(const PropertyContext& context, const PropertyDescriptor& property) {
  return context.property(property).text() == "true";
}

bool is_set(const PropertyContext& context, const PropertyDescriptor& property) {
  return context.property(property).is_set();
}

const char* name_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::chain:
      return "the default credentials";
    case Strategy::keys:
      return "an access key pair";
    case Strategy::file:
      return "a credentials file";
    case Strategy::profile:
      return "a named profile";
    case Strategy::anonymous:
      return "anonymous credentials";
  }
  std::abort();
}

void check_strategy(const PropertyContext& context, std::vector<ValidationProblem>& problems) {
  const bool key = is_set(context, access_key_id), secret = is_set(context, secret_access_key);
  if (key != secret) {
    problems.push_back({key ? secret_access_key.name : access_key_id.name,
                        fmt::format("must be set as well, since {} is",
                                    key ? access_key_id.name : secret_access_key.name)});
  }
  const Strategy chosen = strategy_of(context);
  const auto exclude = [&](Strategy strategy, const PropertyDescriptor& property, bool given) {
    if (!given || strategy == chosen) return;
    problems.push_back(
        {property.name, fmt::format("cannot be used together with {}", name_of(chosen))});
  };
  exclude(Strategy::keys, access_key_id, key && secret);
  exclude(Strategy::file, credentials_file, is_set(context, credentials_file));
  exclude(Strategy::profile, profile_name, is_set(context, profile_name));
  exclude(Strategy::anonymous, use_anonymous, is_true(context, use_anonymous));
}

void check_role(const PropertyContext& context, std::vector<ValidationProblem>& problems) {
  if (!is_set(context, role_arn)) {
    for (const PropertyDescriptor* property : {&role_session_name, &role_external_id}) {
      if (is_set(context, *property)) {
        problems.push_back({property->name, fmt::format("needs {}", role_arn.name)});
      }
    }
    return;
  }
  const std::int64_t seconds = context.property(role_session_time).integer();
  if (seconds < kLeastSession_s || seconds > kMostSession_s) {
    problems.push_back({role_session_time.name, fmt::format("must be from {} to {} seconds",
                                                            kLeastSession_s, kMostSession_s)});
  }
  const auto refuse = [&](const PropertyDescriptor& property, std::string_view reason) {
    problems.push_back({property.name, fmt::format("is not supported: {}", reason)});
  };
  if (is_set(context, role_ssl_context)) {
    refuse(role_ssl_context, "the STS is reached with the system's certificates");
  }
  if (is_set(context, role_proxy)) {
    refuse(role_proxy, "a proxy is taken from the environment (HTTPS_PROXY)");
  }
  if (context.property(role_signer).text() == "CustomSignerType") {
    refuse(role_signer, "a custom signer is a Java class, which this engine does not load");
  }
}

}  // namespace

std::vector<PropertyDescriptor> all() {
  return {use_default,         access_key_id,     secret_access_key, credentials_file,
          profile_name,        use_anonymous,     role_arn,          role_session_name,
          role_session_time,   role_external_id,  role_ssl_context,  role_proxy,
          role_sts_region,     role_sts_endpoint, role_signer,       custom_signer_class,
          custom_signer_module};
}

Strategy strategy_of(const PropertyContext& context) {
  if (is_true(context, use_default)) return Strategy::chain;
  if (is_set(context, access_key_id) && is_set(context, secret_access_key)) return Strategy::keys;
  if (is_set(context, credentials_file)) return Strategy::file;
  if (is_set(context, profile_name)) return Strategy::profile;
  if (is_true(context, use_anonymous)) return Strategy::anonymous;
  return Strategy::chain;
}

std::vector<ValidationProblem> check(const PropertyContext& context) {
  std::vector<ValidationProblem> problems;
  check_strategy(context, problems);
  check_role(context, problems);
  return problems;
}

}  // namespace weir::processors::aws::property_of_credentials
