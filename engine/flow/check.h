#pragma once

#include <vector>

#include "engine/api/registry.h"
#include "engine/flow/flow.h"
#include "engine/flow/prepared_properties.h"

namespace weir::flow {

struct CheckResult {
  std::vector<Problem> problems;  // in the order of the file
  std::size_t known_types = 0;    // component instances
  std::size_t unknown_types = 0;
  bool has_errors() const;
};

// Finds all that is wrong at once: unknown type or property, missing required property, bad
// value, unknown relationship, one neither connected nor auto-terminated, broken reference, ...
// Uses validators and custom validation of the declarations. Takes `resolve`d names: renamed
// property keys count as their new ones.
// Values are to be open (`open_values`) and are checked with their parameters put in.
CheckResult check_flow(const Flow& flow, const ComponentRegistry& registry);

// The values of a processor or service by today's keys: old names renamed, values given as null
// dropped. Dynamic properties are kept as they are; "True" where true and false are the allowable
// values becomes "true".
std::map<std::string, std::string> resolve_properties(const Properties& properties,
                                                      const ComponentDefinition& definition);

// Those of a processor, with what its annotation data says to a type that looks there
// (engine/api/annotation.h). Annotation data that cannot be read gives nothing: the check says so.
std::map<std::string, std::string> resolve_properties(const ProcessorNode& processor,
                                                      const ProcessorDefinition& definition);

// The service that a property's value names, as a user in `group` sees it: in that group, one
// around it, or above the root. By id, instance identifier or identifier; of repeated ones the
// nearest. Null where there is none. `group` must be of `flow`.
const ServiceNode* find_service(const Flow& flow, const Group& group, std::string_view value);

// PropertyContext without services: for validation and for `dynamic_relationships`.
class PlainPropertyContext : public PropertyContext {
 public:
  PlainPropertyContext(const ComponentDefinition& definition,
                       const std::map<std::string, std::string>& values,
                       const expression::Parameters* parameters = nullptr)
      : properties_(definition, values, {system_clock(), system_random(), parameters}) {}
  using PropertyContext::property;
  PropertyValue property(std::string_view name) const override {
    return properties_.property(name);
  }
  std::vector<std::string> dynamic_properties() const override {
    return properties_.dynamic_properties();
  }
  std::shared_ptr<ControllerService> controller_service(std::string_view) const override {
    return nullptr;
  }
  const PreparedProperties& prepared() const { return properties_; }

 private:
  const PreparedProperties properties_;
};

}  // namespace weir::flow
