#include "engine/api/component.h"

#include <algorithm>

namespace weir {

const PropertyDescriptor* ComponentDefinition::find_property(std::string_view name) const {
  for (const PropertyDescriptor& descriptor : properties) {
    if (descriptor.name == name) return &descriptor;
  }
  for (const PropertyDescriptor& descriptor : properties) {
    if (std::ranges::find(descriptor.old_names, name) != descriptor.old_names.end()) {
      return &descriptor;
    }
  }
  return nullptr;
}

}  // namespace weir
