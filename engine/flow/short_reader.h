#pragma once

#include "engine/flow/document.h"
#include "engine/flow/flow.h"
#include "engine/flow/reporter.h"

namespace weir::flow::short_form {

// The hand-written form; README.md describes it.
Flow read(const Node& root, Reporter& reporter);

// The keys that each object of the form takes, for reading, nearest names and the JSON Schema.
const std::vector<std::string>& flow_keys();
const std::vector<std::string>& group_keys();
const std::vector<std::string>& processor_keys();
const std::vector<std::string>& service_keys();
const std::vector<std::string>& port_keys();
const std::vector<std::string>& connection_keys();

}  // namespace weir::flow::short_form
