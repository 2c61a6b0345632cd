#pragma once

#include <string_view>
#include <vector>

#include "engine/api/component.h"

// What AWSCredentialsProviderControllerService declares and checks.
namespace weir::processors::aws::property_of_credentials {

extern const PropertyDescriptor use_default;
extern const PropertyDescriptor access_key_id;
extern const PropertyDescriptor secret_access_key;
extern const PropertyDescriptor credentials_file;
extern const PropertyDescriptor profile_name;
extern const PropertyDescriptor use_anonymous;
extern const PropertyDescriptor role_arn;
extern const PropertyDescriptor role_session_name;
extern const PropertyDescriptor role_session_time;
extern const PropertyDescriptor role_external_id;
extern const PropertyDescriptor role_sts_region;
extern const PropertyDescriptor role_sts_endpoint;

std::vector<PropertyDescriptor> all();

// Where the credentials come from; a role is assumed with them where one is named.
enum class Strategy { chain, keys, file, profile, anonymous };
// As NiFi chooses: the first that is given in full, else the default credentials.
Strategy strategy_of(const PropertyContext& context);

std::vector<ValidationProblem> check(const PropertyContext& context);

}  // namespace weir::processors::aws::property_of_credentials
