#pragma once

#include "engine/flow/document.h"
#include "engine/flow/flow.h"
#include "engine/flow/reporter.h"

namespace weir::flow::nifi {

// One component each from its JSON object in NiFi's format, without what lies below or what
// needs other components: ids are placeholders, endpoints are unresolved. `parent` is the path of
// the group. The writer uses the same functions to see which fields of a component were changed.
ProcessorNode read_processor(const Node& node, const std::string& parent, Reporter& reporter);
ServiceNode read_service(const Node& node, const std::string& parent, Reporter& reporter);
PortNode read_port(const Node& node, bool input, const std::string& parent, Reporter& reporter);
FunnelNode read_funnel(const Node& node, const std::string& parent, Reporter& reporter);
ConnectionNode read_connection(const Node& node, const std::string& parent, Reporter& reporter);
// Without the components in the group.
Group read_group_fields(const Node& node, const std::string& parent, Reporter& reporter);
ParameterContextNode read_parameter_context(const Node& node, const std::string& name,
                                            Reporter& reporter);

ParameterProviderNode read_parameter_provider(const Node& node, const std::string& key,
                                              Reporter& reporter);

std::string join_path(const std::string& parent, const std::string& name);
// The last part of a Java class name.
std::string last_part(const std::string& type);

}  // namespace weir::flow::nifi
