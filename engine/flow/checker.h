#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/api/registry.h"
#include "engine/flow/check.h"
#include "engine/flow/flow.h"
#include "engine/flow/reporter.h"

namespace weir::flow {

// What is wrong with the properties of one processor or service.
class PropertyChecker {
 public:
  // All referred to, and must live.
  PropertyChecker(const Flow& flow, const Group& group, const ComponentRegistry& registry,
                  const expression::Parameters& parameters, Reporter& reporter)
      : flow_(flow),
        group_(group),
        registry_(registry),
        parameters_(parameters),
        reporter_(reporter) {}

  // True where nothing is wrong, so that the component's own code may look at the values.
  // `resolved` is what `resolve_properties` makes of the component.
  bool check(const Component& component, const Properties& properties,
             const ComponentDefinition& definition,
             const std::map<std::string, std::string>& resolved);
  // The component's own checks, of values that passed `check`.
  void check_custom(const Component& component, const Properties& properties,
                    const ComponentDefinition& definition,
                    const std::map<std::string, std::string>& resolved,
                    const weir::Component& instance);

 private:
  struct Subject;  // the component at hand

  void check_unknown(const Subject& subject, const std::string& key, const Property& property);
  void check_declared(const Subject& subject, const PropertyDescriptor& descriptor);
  void check_prepared(const Subject& subject);
  void check_secrets(const Subject& subject);
  void check_secret(const Subject& subject, Place place, const std::string& key,
                    const std::string& value);
  void check_value(const Subject& subject, const PropertyDescriptor& descriptor, Place place,
                   const PropertyValue& value);
  void check_choice(const Subject& subject, const PropertyDescriptor& descriptor, Place place,
                    const std::string& value);
  void check_service(const Subject& subject, const PropertyDescriptor& descriptor, Place place,
                     const std::string& value);
  void error(const Subject& subject, Place place, std::string message, std::string nearest = "");

  const Flow& flow_;
  const Group& group_;
  const ComponentRegistry& registry_;
  const expression::Parameters& parameters_;
  Reporter& reporter_;
  bool clean_ = true;
};

// The connections of one group, by the ids of their ends; those that lead nowhere are left out.
struct GroupConnections {
  explicit GroupConnections(const Group& group);
  std::multimap<std::string, const ConnectionNode*> from, to;
};

// Relationships, incoming connections and scheduling of one processor. `values` have passed the
// checks of properties: relationships may follow from them.
void check_relationships(const ProcessorNode& processor, const ProcessorDefinition& definition,
                         const PropertyContext& values, const GroupConnections& connections,
                         Reporter& reporter);
void check_input(const ProcessorNode& processor, const ProcessorDefinition& definition,
                 const GroupConnections& connections, Reporter& reporter);
void check_scheduling(const ProcessorNode& processor, Reporter& reporter);

// The settings of a group's connections, and connections given twice.
void check_connections(const Group& group, Reporter& reporter);

}  // namespace weir::flow
