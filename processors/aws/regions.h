#pragma once

#include <string>
#include <string_view>

#include "engine/api/property.h"

namespace weir::processors::aws {

// NiFi's Region property: us-west-2 by default, the regions' ids as values.
PropertyDescriptor region_property();

// "https://kinesis.us-east-1.amazonaws.com"; China, GovCloud and the isolated partitions have
// domains of their own.
std::string service_endpoint(std::string_view service, std::string_view region);

}  // namespace weir::processors::aws
