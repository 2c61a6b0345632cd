#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/api/component.h"

namespace weir::processors::kinesis {

// What a user may say to the KCL beside ConsumeKinesis's own properties: a setting of its daemon
// by its name there, such as `maxLeasesForWorker` or `fanoutConfig.consumerArn`. The sentence says
// what is wrong with it: unknown (with the nearest known name), set by the processor itself, or a
// value of another kind.
std::optional<std::string> check_kcl_property(std::string_view name, std::string_view value);

// The settings of the daemon that follow from ConsumeKinesis's properties. What the user set as
// dynamic properties is among them, and wins. What only the running consumer knows (the program
// to start, the credentials' provider) is not.
std::map<std::string, std::string> kcl_properties(const PropertyContext& context,
                                                  const std::string& worker_id);

}  // namespace weir::processors::kinesis
