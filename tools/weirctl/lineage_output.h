#pragma once

#include <string>

#include "repositories/provenance/provenance_repository.h"
#include "tools/weirctl/output.h"

namespace weir::tools {

// A lineage as lines of text: what follows an event stands below it, a branch is indented, and
// where branches meet again the event stands below the last of them.
void print_lineage_tree(const Output& output, const provenance::Lineage& lineage);

// For Graphviz.
std::string lineage_dot(const provenance::Lineage& lineage);

// A drawing, events from left to right.
std::string lineage_svg(const provenance::Lineage& lineage);

}  // namespace weir::tools
