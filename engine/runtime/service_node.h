#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/api/controller_service.h"
#include "engine/flow/parameters.h"
#include "engine/runtime/services.h"

namespace weir::runtime {

class ComponentProperties;

// What a component sees of the flow's parameters.
struct ParameterView {
  std::shared_ptr<const flow::ParameterContexts> contexts;
  std::string context;  // of its group
};

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
    ParameterView parameters;
  };
  // In the place of one with the same id, which must be disabled.
  void add(Plan plan);

  // Enables every added service, users after the used. One whose on_enabled throws stays
  // disabled, with a bulletin; so do its users.
  void enable_all();
  void disable_all();
  void disable(const std::set<std::string>& ids);
  // The services that refer to one of these, directly or through others; these included.
  std::set<std::string> with_users(std::set<std::string> ids) const;
  // Null where there is no such service or it is not enabled.
  std::shared_ptr<ControllerService> enabled(const std::string& id) const;
  bool known(const std::string& id) const;

 private:
  struct Node;
  bool enable(Node& node, std::vector<const Node*>& path);
  static std::set<std::string> named_by(const Node& node);

  Services& services_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Node>> nodes_;
  std::vector<Node*> enabled_order_;
};

}  // namespace weir::runtime
