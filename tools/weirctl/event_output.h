#pragma once

#include <nlohmann/json_fwd.hpp>

#include "repositories/provenance/event.h"
#include "tools/weirctl/output.h"
#include "tools/weirctl/repositories.h"

namespace weir::tools {

nlohmann::ordered_json to_json(const flowfile::Attributes& attributes);
nlohmann::ordered_json to_json(const content::ClaimLocation& claim);
nlohmann::ordered_json to_json(const provenance::StoredEvent& event);

std::string to_text(const content::ClaimLocation& claim);
// "FORK  SplitText": what a node of a lineage says.
std::string event_title(const provenance::StoredEvent& event);
// The FlowFile's `filename` after the event, made printable.
std::string event_filename(const provenance::StoredEvent& event);

// Everything about one event, for people.
void print_event(const Output& output, Repositories& repositories,
                 const provenance::StoredEvent& event);

}  // namespace weir::tools
