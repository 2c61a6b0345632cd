#pragma once

#include <string>

#include "processors/archive/flow_file_package.h"

namespace weir::processors {

// Java's properties as XML, as far as version 1 of NiFi's packages uses them:
// <properties><entry key="name">value</entry>...</properties>. What XML 1.1 cannot hold (NUL,
// invalid UTF-8) is left out.
std::string properties_xml(std::string_view uuid,
                           std::span<const flowfile::Attributes::Entry> attributes);

// Throws ArchiveError where the text is not of that form. Comments, CDATA sections and character
// references are understood; entities that the text declares are not (and cannot explode).
PackageAttributes parse_properties_xml(std::string_view text);

}  // namespace weir::processors
