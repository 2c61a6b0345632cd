#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::processors {

struct XmlRoot {
  std::string name_space;  // "" where it has none
  std::string local_name;
};

// The root element of a document of which `prefix` is the beginning. Empty: there is none, or a
// fault before it. Looks at nothing outside of the text.
std::optional<XmlRoot> find_xml_root(std::string_view prefix);

}  // namespace weir::processors
