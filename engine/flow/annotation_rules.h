#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "engine/api/component.h"

namespace weir::flow {

// What a processor's annotation data means to its type, by the keys of engine/api/annotation.h:
// the rules of UpdateAttribute's Advanced dialog. Empty for a type without such settings, whose
// annotation data may be anything. The error is a sentence with the line within the data.
//
// Data is NiFi's XML: the root `criteria` with one `flowFilePolicy` and any number of `rules`,
// each with a `name`, `conditions` (`expression`) and `actions` (`attribute`, `value`), in any
// order. Elements that nobody knows are passed over. No document type, so no entities of its own.
std::expected<std::map<std::string, std::string>, std::string> annotation_values(
    std::string_view annotation_data, const ComponentDefinition& definition);

// What messages call a property: "property 'x'", or "rule 'x', condition 1" for a key out of the
// annotation data. `values` has the rule's name.
std::string shown_property(std::string_view key, const std::map<std::string, std::string>& values);

}  // namespace weir::flow
