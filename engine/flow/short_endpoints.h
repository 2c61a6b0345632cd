#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/flow/document.h"
#include "engine/flow/flow.h"
#include "engine/flow/reporter.h"

namespace weir::flow::short_form {

// How the file calls the components: the keys of the objects that hold them, by final id.
using Handles = std::map<std::string, std::string>;

// Both ends of a connection as the file writes them.
struct ConnectionText {
  std::string from, to;
  bool exact_from = false;  // `from` is a name only; the relationships are given apart
  Place from_place, to_place;
};
// From "a.success -> b" or {"from": ..., "to": ...}; what is wrong is reported when `reporter` is
// given.
ConnectionText connection_text(const Node& node, const Component& connection, Reporter* reporter);

// Fills endpoints and relationships of all connections, and the values of properties that are
// {"service": name}, in the group and below. Needs final ids.
void resolve_names(Flow& flow, const Handles& handles, Reporter& reporter);

// Comma-separated names, spaces around them cut off.
std::vector<std::string> split_names(std::string_view text);

}  // namespace weir::flow::short_form
