#include "engine/flow/short_endpoints.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/api/units.h"

namespace weir::flow::short_form {
namespace {

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// A name that an endpoint may have, and what it means.
struct Target {
  std::string name;
  std::string id;
  Endpoint::Type type;
};

class Resolver {
 public:
  Resolver(const Handles& handles, Reporter& reporter) : handles_(handles), reporter_(reporter) {}

  void resolve(Group& group, std::vector<const Group*> scope) {
    scope.push_back(&group);
    const std::vector<Target> sources = targets(group, true), ends = targets(group, false);
    for (ConnectionNode& connection : group.connections) {
      resolve_connection(connection, sources, ends);
    }
    for (ProcessorNode& one : group.processors) resolve_services(one, one.properties, scope);
    for (ServiceNode& one : group.services) resolve_services(one, one.properties, scope);
    for (Group& child : group.groups) resolve(child, scope);
  }

 private:
  const std::string& handle(const Component& component) const { return handles_.at(component.id); }

  // The group's own components, and the ports of the groups in it as "group/port".
  std::vector<Target> targets(const Group& group, bool is_source) const {
    std::vector<Target> found;
    for (const auto& one : group.processors) {
      found.push_back({handle(one), one.id, Endpoint::Type::processor});
    }
    for (const auto& one : group.funnels) {
      found.push_back({handle(one), one.id, Endpoint::Type::funnel});
    }
    for (const auto& one : group.ports) {
      if (one.input == is_source) found.push_back({handle(one), one.id, type_of(one)});
    }
    for (const Group& child : group.groups) {
      for (const auto& one : child.ports) {
        if (one.input == is_source) continue;
        found.push_back({handle(child) + "/" + handle(one), one.id, type_of(one)});
      }
    }
    return found;
  }

  static Endpoint::Type type_of(const PortNode& port) {
    return port.input ? Endpoint::Type::input_port : Endpoint::Type::output_port;
  }

  void resolve_connection(ConnectionNode& connection, const std::vector<Target>& sources,
                          const std::vector<Target>& ends) {
    const ConnectionText text = connection_text(Node(*connection.source), connection, nullptr);
    if (text.from.empty() || text.to.empty()) return;  // reported when it was read
    const Target* from = find(sources, text.from);
    if (from == nullptr && !text.exact_from) from = find_before_dot(sources, text.from);
    set(connection.from, from, "source", text.from, sources, connection);
    if (from != nullptr && from->name.size() < text.from.size()) {
      const std::string_view rest = std::string_view(text.from).substr(from->name.size() + 1);
      for (const std::string& name : split_names(rest)) {
        connection.relationships.emplace(name, connection.from.place);
      }
    }
    set(connection.to, find(ends, text.to), "destination", text.to, ends, connection);
  }

  const Target* find(const std::vector<Target>& known, const std::string& name) const {
    const auto found = std::ranges::find(known, name, &Target::name);
    return found == known.end() ? nullptr : &*found;
  }

  // "name.relationship": the longest name that fits, since both may hold dots.
  const Target* find_before_dot(const std::vector<Target>& known, const std::string& text) const {
    const Target* best = nullptr;
    for (const Target& one : known) {
      const bool fits = one.type == Endpoint::Type::processor && text.starts_with(one.name) &&
                        text.size() > one.name.size() && text[one.name.size()] == '.';
      if (fits && (best == nullptr || one.name.size() > best->name.size())) best = &one;
    }
    return best;
  }

  void set(Endpoint& endpoint, const Target* target, const char* word, const std::string& name,
           const std::vector<Target>& known, const ConnectionNode& connection) {
    if (target == nullptr) {
      std::vector<std::string> names;
      for (const Target& one : known) names.push_back(one.name);
      const std::size_t dot = std::min(name.rfind('.'), name.size());
      std::string nearest = nearest_name(name.substr(0, dot), names);
      if (!nearest.empty()) nearest += name.substr(dot);
      if (nearest.empty()) nearest = nearest_name(name, names);
      reporter_.error(&connection, endpoint.place,
                      fmt::format("the {} '{}' is not in this group", word, name), nearest);
      return;
    }
    const auto same = std::ranges::count(known, target->name, &Target::name);
    if (same > 1) {
      reporter_.error(
          &connection, endpoint.place,
          fmt::format("the {} '{}' may be each of {} components", word, target->name, same));
      return;
    }
    endpoint.id = target->id;
    endpoint.type = target->type;
  }

  // {"service": name}: the service of that name in the group or the nearest one around it.
  void resolve_services(const Component& user, Properties& properties,
                        const std::vector<const Group*>& scope) {
    const auto given = Node(*user.source).get("properties");
    if (!given) return;
    for (const auto& [key, value] : given->members()) {
      const auto name = value.is_object() ? value.get("service") : std::nullopt;
      if (!name) continue;
      Property& property = properties[key];
      std::vector<std::string> names;
      for (auto group = scope.rbegin(); group != scope.rend() && !property.value; ++group) {
        for (const ServiceNode& one : (*group)->services) {
          names.push_back(handle(one));
          if (name->is_string() && name->text() == names.back()) property.value = one.id;
        }
      }
      if (property.value) continue;
      const std::string wanted = name->is_string() ? name->text() : name->json().dump();
      reporter_.error(&user, property.place,
                      fmt::format("property '{}': there is no service '{}'", key, wanted),
                      nearest_name(wanted, names));
    }
  }

  const Handles& handles_;
  Reporter& reporter_;
};

}  // namespace

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = text.find(',');
    names.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

ConnectionText connection_text(const Node& node, const Component& connection, Reporter* reporter) {
  ConnectionText text;
  text.from_place = text.to_place = node.place();
  std::string wrong;
  if (node.is_string()) {
    const std::string_view whole = node.text();
    const std::size_t arrow = whole.find("->");
    const bool one_arrow =
        arrow != std::string_view::npos && whole.find("->", arrow + 2) == std::string_view::npos;
    if (one_arrow) {
      text.from = trim(whole.substr(0, arrow));
      text.to = trim(whole.substr(arrow + 2));
    }
    if (text.from.empty() || text.to.empty()) {
      wrong = fmt::format("'{}' is not of the form \"name.relationship -> name\"", whole);
    }
  } else {
    text.exact_from = node.get("relationships").has_value();
    for (const bool is_source : {true, false}) {
      const char* const key = is_source ? "from" : "to";
      const auto given = node.get(key);
      if (given && given->is_string() && !given->text().empty()) {
        (is_source ? text.from : text.to) = given->text();
        (is_source ? text.from_place : text.to_place) = given->place();
      } else {
        wrong = fmt::format("'{}' must be the name of a component", key);
      }
    }
  }
  if (!wrong.empty() && reporter != nullptr) reporter->error(&connection, node.place(), wrong);
  return text;
}

void resolve_names(Flow& flow, const Handles& handles, Reporter& reporter) {
  Resolver(handles, reporter).resolve(flow.root, {});
}

}  // namespace weir::flow::short_form
