#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/component.h"

namespace weir::bench {

// Property values of one component, held as the engine holds them.
class BenchProperties {
 public:
  explicit BenchProperties(const ComponentDefinition& definition) : definition_(definition) {}

  void set(const std::string& name, std::string value);
  PropertyValue property(std::string_view name) const;
  std::vector<std::string> dynamic_properties() const;
  // All but the component's own custom validation.
  std::vector<ValidationProblem> validate() const;

 private:
  struct Held {
    std::string name;
    std::string text;
    std::unique_ptr<PreparedExpression> expression;
  };

  const Held* find(std::string_view name) const;
  bool applies(const PropertyDescriptor& descriptor) const;

  const ComponentDefinition& definition_;
  std::map<std::string, Held, std::less<>> values_;
  mutable std::map<std::string, Held, std::less<>> defaults_;
};

}  // namespace weir::bench
