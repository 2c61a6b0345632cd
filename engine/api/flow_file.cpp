#include "engine/api/flow_file.h"

namespace weir {

std::optional<std::string> FlowFile::attribute(std::string_view name) const {
  if (name == attribute::uuid) return uuid();
  if (const std::string* value = find_attribute(name)) return *value;
  return std::nullopt;
}

}  // namespace weir
