#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/component.h"
#include "engine/expression/expression.h"

namespace weir::flow {

// The values of one component, parameters put in and expressions compiled: what a component works
// with, and what its values are checked as. Immutable, thread safe. Refers to the definition.
class PreparedProperties {
 public:
  // `values` by today's keys (`resolve_properties`); defaults are added. A value that cannot be
  // prepared counts as not set, and is one of the problems.
  PreparedProperties(const ComponentDefinition& definition,
                     const std::map<std::string, std::string>& values,
                     const expression::Environment& environment);

  struct Problem {
    std::string property;
    std::size_t character = 0;  // of the value, 1-based
    std::string message;
  };
  const std::vector<Problem>& problems() const { return problems_; }
  // Well formed, and yet likely a slip.
  const std::vector<Problem>& warnings() const { return warnings_; }

  PropertyValue property(std::string_view name) const;
  // Names of the properties that the user added, sorted.
  std::vector<std::string> dynamic_properties() const;

 private:
  void prepare(const std::string& name, const std::string& value, ExpressionScope scope,
               const expression::Environment& environment);

  const ComponentDefinition& definition_;
  std::map<std::string, expression::Prepared, std::less<>> values_;
  std::vector<Problem> problems_;
  std::vector<Problem> warnings_;
};

}  // namespace weir::flow
