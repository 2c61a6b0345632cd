#pragma once

#include <expected>
#include <string>

#include "engine/expression/functions.h"

namespace weir::expression {

// The node itself where its type is right, else a node that converts what it gives when it is
// evaluated. The error: the types cannot be converted, whatever the value.
std::expected<NodePtr, std::string> convert(NodePtr node, As wanted);

}  // namespace weir::expression
