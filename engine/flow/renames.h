#pragma once

#include <span>
#include <string_view>

namespace weir::flow {

// A property key that NiFi renamed between 1.x and 2.x, of a type named by its last part. Known
// also for types that this engine does not have.
struct PropertyRename {
  std::string_view type, old_name, new_name;
};

// All of them, sorted by type.
std::span<const PropertyRename> property_renames();

// Today's name of a property, or `name` itself where it was never renamed. `type` may be a full
// class name.
std::string_view renamed_property(std::string_view type, std::string_view name);

}  // namespace weir::flow
