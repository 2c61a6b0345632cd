#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/component.h"

namespace weir {

// Shared by processors: connections, caches, credentials. Its methods are called from many
// threads. `on_enabled` runs alone before any use; `on_disabled` after the last user stopped.
class ControllerService : public Component {
 public:
  virtual void on_enabled(ComponentContext&) {}
  virtual void on_disabled(ComponentContext&) {}
};

struct ControllerServiceDefinition : ComponentDefinition {
  std::vector<std::string> interfaces =
      {};  // names that PropertyDescriptor::controller_service uses
  std::function<std::unique_ptr<ControllerService>()> make;
};

}  // namespace weir
