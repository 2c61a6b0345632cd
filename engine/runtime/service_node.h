#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/api/controller_service.h"
#include "engine/runtime/services.h"

namespace weir::runtime {

class ComponentProperties;

// The controller services of a flow and their life cycle: disabled -> enabled -> disabled. A
// service is enabled after those it refers to. Thread safe after `add`.
class ServiceNodes {
 public:
  explicit ServiceNodes(Services& services);
  ~ServiceNodes();

  struct Plan {
    std::string id;
    std::string name;
    LogLevel bulletin_level = LogLevel::warn;
    const ControllerServiceDefinition* definition = nullptr;
    std::map<std::string, std::string> values;
  };
  void add(Plan plan);

  // Enables every added service, users after the used. One whose on_enabled throws stays
  // disabled, with a bulletin; so do its users.
  void enable_all();
  void disable_all();
  // Null where there is no such service or it is not enabled.
  std::shared_ptr<ControllerService> enabled(const std::string& id) const;
  bool known(const std::string& id) const;

 private:
  struct Node;
  bool enable(Node& node, std::vector<const Node*>& path);

  Services& services_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Node>> nodes_;
  std::vector<Node*> enabled_order_;
};

}  // namespace weir::runtime
