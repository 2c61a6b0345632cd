#pragma once

#include <string>
#include <string_view>

#include "engine/api/component.h"

namespace weir::flow {

// Today's key of a property as a flow spells it: the key itself, one of the descriptor's old
// names, a rename that NiFi made, or (where no dynamic property could be meant) the display name.
// Null where it is none of the declared properties.
const PropertyDescriptor* find_descriptor(const ComponentDefinition& definition,
                                          std::string_view key);

// True where true and false are the allowable values.
bool is_boolean_choice(const PropertyDescriptor& descriptor);

}  // namespace weir::flow
