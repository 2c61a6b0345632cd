#pragma once

#include <string>
#include <vector>

#include "engine/api/processor.h"
#include "repositories/flowfile/uuid.h"

// What the declarations and behaviours of many processors have in common.
namespace weir::processors {

inline std::vector<AllowableValue> true_or_false() {
  return {{"true"}, {"false"}};
}

// Full name of a processor of NiFi's standard bundle.
inline std::string standard_type(std::string_view short_type) {
  return "org.apache.nifi.processors.standard." + std::string(short_type);
}

// A random identifier (RFC 9562 version 4), for fragment.identifier and generated names.
std::string random_uuid(Random& random);

}  // namespace weir::processors
