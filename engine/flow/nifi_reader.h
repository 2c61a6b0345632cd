#pragma once

#include <optional>

#include "engine/flow/document.h"
#include "engine/flow/flow.h"
#include "engine/flow/reporter.h"

namespace weir::flow::nifi {

// NiFi's own shapes. `root` is the object with "rootGroup", "flowContents", or the bare group.
Flow read_flow_json(const Node& root, Reporter& reporter);
Flow read_snapshot(const Node& root, Flow::Form form, Reporter& reporter);
Flow read_bare_group(const Node& group, Flow::Form form, Reporter& reporter);

// What gives a group away as somebody's imitation of NiFi's format; nullopt for a real one.
struct Imitation {
  Place place;
  std::string what;
};
std::optional<Imitation> find_imitation(const Node& group);

}  // namespace weir::flow::nifi
