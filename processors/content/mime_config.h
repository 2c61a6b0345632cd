#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "processors/content/mime_types.h"

namespace weir::processors {

// Adds what a configuration says: XML of the shared MIME info form, mime-type elements with glob,
// magic, match, root-XML, sub-class-of and alias in them. The error names line and column.
// `types` is not finished by it.
std::expected<void, std::string> add_mime_configuration(std::string_view xml, MimeTypes& types);

}  // namespace weir::processors
