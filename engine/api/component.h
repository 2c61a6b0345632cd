#pragma once

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/environment.h"
#include "engine/api/error.h"
#include "engine/api/property.h"
#include "engine/api/relationship.h"
#include "repositories/state/state_repository.h"

namespace weir {

class ControllerService;

enum class LogLevel { trace, debug, info, warn, error, none };

// A component's voice: the engine's log, and a bulletin from the component's bulletin level on.
class ComponentLog {
 public:
  virtual ~ComponentLog() = default;
  virtual bool enabled(LogLevel level) const = 0;
  virtual void write(LogLevel level, std::string_view message) = 0;

  template <typename... Args>
  void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (enabled(level)) write(level, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) {
    log(LogLevel::debug, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) {
    log(LogLevel::info, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) {
    log(LogLevel::warn, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) {
    log(LogLevel::error, format, std::forward<Args>(args)...);
  }
};

// What a component remembers across restarts (the state repository behind it).
class StateManager {
 public:
  virtual ~StateManager() = default;
  virtual state::StateMap get() = 0;
  virtual void set(std::map<std::string, std::string> values) = 0;
  virtual void clear() = 0;
};

// The values of one component's properties, as validated. Named by descriptor or key.
class PropertyContext {
 public:
  virtual ~PropertyContext() = default;
  // The value in the flow, else the default, else not set. A property whose dependencies do not
  // hold is given as it stands; the declaration tells the component what to ignore.
  virtual PropertyValue property(std::string_view name) const = 0;
  PropertyValue property(const PropertyDescriptor& descriptor) const {
    return property(std::string_view(descriptor.name));
  }
  // Names of the properties that the user added, sorted.
  virtual std::vector<std::string> dynamic_properties() const = 0;
  // The enabled service that the property names; null where it is not set. Throws
  // ProcessException where it is of another kind than `Service`.
  virtual std::shared_ptr<ControllerService> controller_service(
      std::string_view property) const = 0;
};

// One thing that keeps a component from starting.
struct ValidationProblem {
  std::string property;  // key; empty where the component as a whole is meant
  std::string message;
};

// What a component can rely on while it runs, beside its properties. Thread safe.
class ComponentContext : public PropertyContext {
 public:
  virtual const std::string& component_id() const = 0;
  virtual const std::string& component_name() const = 0;
  virtual ComponentLog& log() = 0;
  virtual StateManager& state() = 0;
  virtual Clock& clock() = 0;
  virtual Random& random() = 0;
};

// Base of processors and controller services.
class Component {
 public:
  virtual ~Component() = default;
  // Checks that no single property's validator can make. Called with values that passed those.
  virtual std::vector<ValidationProblem> custom_validate(const PropertyContext&) const {
    return {};
  }
};

// Attributes that a component reads or writes, for the reference page.
struct AttributeNote {
  std::string name;
  std::string description;
};

struct DynamicPropertyNote {
  std::string name;  // e.g. "the attribute's name"
  std::string value;
  std::string description;
  ExpressionScope expression_scope = ExpressionScope::none;
};

// What processors and controller services declare alike. Everything that validates, documents
// or edits a component comes from here.
struct ComponentDefinition {
  std::string type;     // "org.apache.nifi.processors.standard.PutFile"
  std::string summary;  // one sentence or two
  std::vector<std::string> tags = {};
  std::vector<PropertyDescriptor> properties = {};
  std::optional<DynamicPropertyNote> dynamic_properties = {};  // nullopt: none are taken
  Validator dynamic_property_validator = {};                   // of the values
  std::vector<std::string> old_types = {};                     // full names that load as this one

  std::string_view short_type() const { return std::string_view(type).substr(type.rfind('.') + 1); }
  const PropertyDescriptor* find_property(std::string_view name) const;  // also by old name
};

}  // namespace weir
