#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/component.h"
#include "engine/expression/expression.h"

namespace weir::bench {

// Property values of one component, held as the engine holds them.
class BenchProperties {
 public:
  // Both are referred to, and must live.
  BenchProperties(const ComponentDefinition& definition, expression::Environment environment)
      : definition_(definition), environment_(environment) {}

  void set(const std::string& name, const std::string& value);
  PropertyValue property(std::string_view name) const;
  std::vector<std::string> dynamic_properties() const;
  // All but the component's own custom validation.
  std::vector<ValidationProblem> validate() const;

 private:
  struct Held {
    std::string name;
    expression::Prepared prepared = {};
    std::string problem = {};  // why it could not be prepared
  };

  Held hold(const std::string& name, const std::string& value, ExpressionScope scope) const;
  const Held* find(std::string_view name) const;
  bool applies(const PropertyDescriptor& descriptor) const;

  const ComponentDefinition& definition_;
  const expression::Environment environment_;
  std::map<std::string, Held, std::less<>> values_;
  mutable std::map<std::string, Held, std::less<>> defaults_;
};

}  // namespace weir::bench
