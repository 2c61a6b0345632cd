#include "processors/attribute/selected_attributes.h"

#include <algorithm>

namespace weir::processors {

bool is_core_attribute(std::string_view name) {
  return std::ranges::find(core_attributes, name) != core_attributes.end();
}

void SelectedAttributes::put(std::string_view name, std::string_view value, bool is_null) {
  const auto place = std::ranges::find(all_, name, &Selected::name);
  if (place == all_.end()) {
    all_.push_back({std::string(name), std::string(value), is_null});
  } else {
    place->value = value;
    place->is_null = is_null;
  }
}

void SelectedAttributes::put_all(const FlowFile& flow_file, const Pattern* pattern) {
  bool is_uuid_due = !pattern || pattern->matches(attribute::uuid);
  const auto put_uuid = [&] {
    put(attribute::uuid, flow_file.uuid());
    is_uuid_due = false;
  };
  for (const auto& [name, value] : flow_file.attributes()) {
    if (is_uuid_due && name > attribute::uuid) put_uuid();
    if (!pattern || pattern->matches(name)) put(name, value);
  }
  if (is_uuid_due) put_uuid();
}

}  // namespace weir::processors
