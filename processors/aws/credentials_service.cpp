#include "processors/aws/credentials_service.h"

#include <fmt/format.h>

#include "processors/aws/credentials.h"
#include "processors/aws/credentials_cache.h"
#include "processors/aws/credentials_properties.h"
#include "processors/aws/java_profile.h"

namespace weir::processors::aws {
namespace {

namespace property = property_of_credentials;
using property::Strategy;

class AwsCredentialsProvider : public CredentialsProvider {
 public:
  explicit AwsCredentialsProvider(const Surroundings& surroundings) : surroundings_(surroundings) {}

  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    return property::check(context);
  }
  void on_enabled(ComponentContext& context) override;
  Credentials credentials() override { return cache_->get(); }
  JavaCredentials for_java(const std::filesystem::path& directory) override;

 private:
  std::unique_ptr<CredentialSource> base_source(ComponentContext& context) const;

  const Surroundings surroundings_;
  // Set when enabled.
  Strategy strategy_ = Strategy::chain;
  std::string profile_;
  std::optional<AssumedRole> role_;
  std::string sts_region_;
  std::string sts_endpoint_;
  std::unique_ptr<CredentialSource> source_;
  std::unique_ptr<CredentialsCache> cache_;
  // What the role is assumed with, for a Java program; without a role null.
  std::unique_ptr<CredentialSource> base_;
  std::unique_ptr<CredentialsCache> base_cache_;
};

ControllerServiceDefinition declare(const Surroundings& surroundings) {
  ControllerServiceDefinition definition;
  definition.type =
      "org.apache.nifi.processors.aws.credentials.provider.service."
      "AWSCredentialsProviderControllerService";
  definition.summary =
      "Gives AWS credentials to processors: keys of the flow, a file, a profile, what the machine "
      "offers, or a role assumed with any of them. Fetches those that expire anew in time.";
  definition.tags = {"aws", "credentials", "provider"};
  definition.properties = property::all();
  definition.interfaces = {kCredentialsProviderInterface};
  definition.make = [surroundings] {
    return std::make_unique<AwsCredentialsProvider>(surroundings);
  };
  return definition;
}

}  // namespace

std::unique_ptr<CredentialSource> AwsCredentialsProvider::base_source(
    ComponentContext& context) const {
  switch (strategy_) {
    case Strategy::chain:
      return default_source(surroundings_);
    case Strategy::keys:
      return static_source(
          {.access_key_id = context.property(property::access_key_id).evaluate(),
           .secret_access_key = context.property(property::secret_access_key).evaluate()});
    case Strategy::file:
      return properties_file_source(context.property(property::credentials_file).text(),
                                    surroundings_);
    case Strategy::profile:
      return profile_source(profile_, surroundings_);
    case Strategy::anonymous:
      return static_source({});
  }
  std::abort();
}

void AwsCredentialsProvider::on_enabled(ComponentContext& context) {
  strategy_ = property::strategy_of(context);
  if (strategy_ == Strategy::profile) {
    profile_ = context.property(property::profile_name).evaluate();
  }
  source_ = base_source(context);
  if (context.property(property::role_arn).is_set()) {
    role_ = AssumedRole{
        .arn = context.property(property::role_arn).text(),
        .session_name = context.property(property::role_session_name).text(),
        .duration = std::chrono::seconds(context.property(property::role_session_time).integer()),
        .external_id = context.property(property::role_external_id).text()};
    sts_region_ = context.property(property::role_sts_region).text();
    sts_endpoint_ = context.property(property::role_sts_endpoint).text();
    source_ = role_source(*role_, std::move(source_), sts_region_, sts_endpoint_);
    base_ = base_source(context);
    base_cache_ = std::make_unique<CredentialsCache>(*base_, context.clock(), context.log());
  }
  cache_ = std::make_unique<CredentialsCache>(*source_, context.clock(), context.log());
}

JavaCredentials AwsCredentialsProvider::for_java(const std::filesystem::path& directory) {
  if (role_) {
    const Credentials base = base_cache_->get();
    return java_profile({.role = *role_, .sts_region = sts_region_, .sts_endpoint = sts_endpoint_},
                        base, base_->java_source(), surroundings_, directory);
  }
  switch (strategy_) {
    case Strategy::chain:
      return {"DefaultCredentialsProvider", chain_variables(surroundings_)};
    case Strategy::profile: {
      auto variables = chain_variables(surroundings_);
      variables["AWS_PROFILE"] = profile_;
      return {"software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider", variables};
    }
    case Strategy::anonymous:
      return {"AnonymousCredentialsProvider", {}};
    case Strategy::keys:
    case Strategy::file:
      return {"EnvironmentVariableCredentialsProvider", key_variables(cache_->get())};
  }
  std::abort();
}

const ControllerServiceDefinition& aws_credentials_provider_service() {
  static const ControllerServiceDefinition definition = declare(process_surroundings());
  return definition;
}

ControllerServiceDefinition aws_credentials_provider_service(const Surroundings& surroundings) {
  return declare(surroundings);
}

}  // namespace weir::processors::aws
