#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/flow/flow.h"

namespace weir::flow_test {

// Something of the flow that a test can name.
struct NamedComponent {
  enum class Kind { processor, input_port, output_port, funnel, group };
  Kind kind = Kind::processor;
  std::string id;
  std::string name;
  std::string path;  // "group/group/name", without the root group
};

// Where a test sends to or looks, resolved.
struct Where {
  enum class Kind { component, relationship, connection };
  Kind kind = Kind::component;
  std::string component_id;  // of a component or relationship
  std::string relationship;
  std::string connection_id;
};

// The names of a flow. A component is named by its name, by the end of its path (`group/name`) or
// its id; where several have the name, the one in the root group is meant. All throw SyntaxError
// with the nearest right name.
class Names {
 public:
  explicit Names(const flow::Flow& flow);

  // Of each processor, once they are known.
  void set_relationships(std::map<std::string, std::vector<std::string>> relationships) {
    relationships_ = std::move(relationships);
  }

  const std::vector<NamedComponent>& components() const { return components_; }
  // `what` the name should be, for the message.
  const NamedComponent& component(std::string_view name, std::string_view what) const;
  const NamedComponent& processor(std::string_view name) const;
  // `name`, `name.relationship`, `name -> name`, `name.relationship -> name`, a connection's own
  // name. Names with dots, blanks around them or arrows stand in quotes.
  Where where(std::string_view text) const;

 private:
  struct Connection {
    std::string id, name, from, to;
    std::vector<std::string> relationships;
  };
  // One end of a connection: what may be meant.
  struct End {
    std::vector<const NamedComponent*> components;
    std::string relationship;
  };

  void add_group(const flow::Group& group, const std::string& prefix);
  void add(NamedComponent::Kind kind, const flow::Component& component, const std::string& prefix);
  std::vector<const NamedComponent*> find(std::string_view name) const;
  const NamedComponent& one_of(const std::vector<const NamedComponent*>& found,
                               std::string_view name) const;
  End end(std::string_view text) const;
  const Connection* connection(const End& from, const End& to, std::string_view text) const;
  std::string check_relationship(const NamedComponent& component, std::string name) const;
  std::string shown(const Connection& connection) const;
  [[noreturn]] void unknown(std::string_view text) const;
  std::string nearest(std::string_view text) const;

  std::vector<NamedComponent> components_;
  std::vector<Connection> connections_;
  std::map<std::string, std::vector<std::string>> relationships_;
};

}  // namespace weir::flow_test
