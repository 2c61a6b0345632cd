#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/api/property.h"

namespace weir::processors::aws {

// NiFi's Region property: us-west-2 by default, the regions' ids as values and no others.
PropertyDescriptor region_property();
// The same for a processor that also takes the id of a region of the user's own.
PropertyDescriptor any_region_property();

// The regions a service runs in, without the names that stand for a whole partition.
std::vector<AllowableValue> region_ids();

Validator region_id();  // of the shape of one

// Of "Endpoint Override URL" and its like: http or https, without a user's name.
Validator endpoint_url();

// "https://kinesis.us-east-1.amazonaws.com"; China, GovCloud and the isolated partitions have
// domains of their own.
std::string service_endpoint(std::string_view service, std::string_view region);

// What a request to it is signed for: the id itself, but for "aws-global".
std::string signing_region(std::string_view region);

}  // namespace weir::processors::aws
