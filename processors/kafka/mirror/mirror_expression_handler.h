#pragma once

#include <memory>
#include <vector>

#include "processors/kafka/mirror/mirror_message_handler.h"

namespace weir::processors::kafka {

// The handler "expression": keeps, renames and changes records by Expression Language. It is made
// of the properties below; dynamic properties of the form header.NAME set a header, or remove it
// where the expression gives nothing.
std::unique_ptr<MirrorMessageHandler> make_expression_handler(const PropertyContext& context);

// The properties that it takes.
std::vector<PropertyDescriptor> expression_handler_properties();
inline constexpr std::string_view kHeaderPrefix = "header.";

}  // namespace weir::processors::kafka
