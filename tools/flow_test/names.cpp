#include "tools/flow_test/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/api/units.h"
#include "tools/flow_test/text_syntax.h"

namespace weir::flow_test {
namespace {

using Kind = NamedComponent::Kind;

// Where the arrow between two ends stands, outside of quotes.
std::size_t find_arrow(std::string_view text) {
  bool quoted = false;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (!quoted && text.substr(at, 2) == "->") return at;
  }
  return std::string_view::npos;
}

std::string unquoted(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  const Word word = take_word(text);
  if (!text.empty()) throw SyntaxError{fmt::format("'{}' after the name is too much", text)};
  return word.text;
}

}  // namespace

Names::Names(const flow::Flow& flow) {
  add_group(flow.root, "");
}

void Names::add(Kind kind, const flow::Component& component, const std::string& prefix) {
  components_.push_back({kind, component.id, component.name, prefix + component.name});
}

void Names::add_group(const flow::Group& group, const std::string& prefix) {
  for (const auto& one : group.processors) add(Kind::processor, one, prefix);
  for (const auto& one : group.ports) {
    add(one.input ? Kind::input_port : Kind::output_port, one, prefix);
  }
  for (const auto& one : group.funnels) add(Kind::funnel, one, prefix);
  for (const auto& one : group.connections) {
    Connection connection{one.id, one.name, one.from.id, one.to.id, {}};
    for (const auto& [name, place] : one.relationships) connection.relationships.push_back(name);
    connections_.push_back(std::move(connection));
  }
  for (const auto& one : group.groups) {
    add(Kind::group, one, prefix);
    add_group(one, prefix + one.name + "/");
  }
}

std::vector<const NamedComponent*> Names::find(std::string_view name) const {
  std::vector<const NamedComponent*> found;
  if (name.empty()) return found;
  const std::string ending = "/" + std::string(name);
  for (const NamedComponent& one : components_) {
    if (one.id == name || one.name == name || one.path == name || one.path.ends_with(ending)) {
      found.push_back(&one);
    }
  }
  return found;
}

const NamedComponent& Names::one_of(const std::vector<const NamedComponent*>& found,
                                    std::string_view name) const {
  if (found.size() == 1) return *found.front();
  std::vector<const NamedComponent*> exact;
  std::vector<std::string> paths;
  for (const NamedComponent* one : found) {
    if (one->path == name) exact.push_back(one);
    paths.push_back(one->path);
  }
  if (exact.size() == 1) return *exact.front();
  throw SyntaxError{
      fmt::format("'{}' may be each of {} components: {}; write more of the path, or "
                  "the id",
                  name, found.size(), fmt::join(paths, ", "))};
}

const NamedComponent& Names::component(std::string_view name, std::string_view what) const {
  const auto found = find(name);
  if (found.empty()) {
    throw SyntaxError{fmt::format("there is no {} '{}'", what, name), nearest(name)};
  }
  return one_of(found, name);
}

const NamedComponent& Names::processor(std::string_view name) const {
  auto found = find(name);
  if (found.empty()) {
    throw SyntaxError{fmt::format("there is no processor '{}'", name), nearest(name)};
  }
  std::erase_if(found, [](const auto* one) { return one->kind != Kind::processor; });
  if (found.empty()) throw SyntaxError{fmt::format("'{}' is no processor", name)};
  return one_of(found, name);
}

Names::End Names::end(std::string_view text) const {
  End end;
  if (text.starts_with('"')) {
    const std::size_t close = text.find('"', 1);
    if (close == std::string_view::npos) throw SyntaxError{"a \" has no partner in this line"};
    end.components = find(text.substr(1, close - 1));
    const std::string_view rest = text.substr(close + 1);
    if (rest.empty()) return end;
    if (!rest.starts_with('.') || rest.size() == 1) {
      throw SyntaxError{
          fmt::format("after a name in quotes only .RELATIONSHIP may stand, not '{}'", rest)};
    }
    end.relationship = unquoted(rest.substr(1));
    return end;
  }
  end.components = find(text);
  // Both may hold dots: the longest name that there is.
  for (auto dot = text.rfind('.'); end.components.empty() && dot != std::string_view::npos;
       dot = dot == 0 ? std::string_view::npos : text.rfind('.', dot - 1)) {
    end.components = find(text.substr(0, dot));
    if (!end.components.empty()) end.relationship = unquoted(text.substr(dot + 1));
  }
  return end;
}

const Names::Connection* Names::connection(const End& from, const End& to,
                                           std::string_view text) const {
  const auto has = [](const End& side, const std::string& id) {
    return std::ranges::any_of(side.components, [&](const auto* one) { return one->id == id; });
  };
  const Connection* found = nullptr;
  for (const Connection& one : connections_) {
    if (!has(from, one.from) || !has(to, one.to)) continue;
    if (!from.relationship.empty() &&
        std::ranges::find(one.relationships, from.relationship) == one.relationships.end()) {
      continue;
    }
    if (found != nullptr) {
      throw SyntaxError{
          fmt::format("'{}' may be more than one connection: name the relationship "
                      "too, or write more of the paths",
                      text)};
    }
    found = &one;
  }
  return found;
}

std::string Names::check_relationship(const NamedComponent& component, std::string name) const {
  const auto known = relationships_.find(component.id);
  if (known == relationships_.end()) return name;
  if (std::ranges::find(known->second, name) == known->second.end()) {
    throw SyntaxError{
        fmt::format(
            "'{}' has no relationship '{}'; it has {}", component.name, name,
            known->second.empty() ? "none" : fmt::format("{}", fmt::join(known->second, ", "))),
        nearest_name(name, known->second)};
  }
  return name;
}

Where Names::where(std::string_view text) const {
  Where where;
  const std::size_t arrow = find_arrow(text);
  if (arrow == std::string_view::npos) {
    const End one = end(text);
    if (!one.components.empty()) {
      const NamedComponent& component = one_of(one.components, text);
      where.component_id = component.id;
      if (component.kind == Kind::group) {
        throw SyntaxError{fmt::format("'{}' is a group: name a port of it", component.path)};
      }
      if (one.relationship.empty()) return where;
      where.kind = Where::Kind::relationship;
      where.relationship = check_relationship(component, one.relationship);
      return where;
    }
  } else {
    const Connection* const found =
        connection(end(trim(text.substr(0, arrow))), end(trim(text.substr(arrow + 2))), text);
    if (found != nullptr) {
      where.kind = Where::Kind::connection;
      where.connection_id = found->id;
      return where;
    }
  }
  const std::string own = unquoted(text);
  for (const Connection& one : connections_) {
    if (one.name != own && one.id != own) continue;
    where.kind = Where::Kind::connection;
    where.connection_id = one.id;
    return where;
  }
  unknown(text);
}

std::string Names::shown(const Connection& connection) const {
  if (!connection.name.empty()) return connection.name;
  // An end may be missing: then the flow has a problem, which is told as well.
  const auto name_of = [&](const std::string& id) -> std::string {
    const auto found = std::ranges::find(components_, id, &NamedComponent::id);
    return found == components_.end() ? "?" : found->name;
  };
  return fmt::format("{} -> {}", name_of(connection.from), name_of(connection.to));
}

void Names::unknown(std::string_view text) const {
  if (find_arrow(text) == std::string_view::npos) {
    throw SyntaxError{fmt::format("nothing in the flow is called '{}'", text), nearest(text)};
  }
  std::vector<std::string> names;
  for (const Connection& one : connections_) names.push_back(shown(one));
  throw SyntaxError{fmt::format("there is no connection '{}'", text), nearest_name(text, names)};
}

std::string Names::nearest(std::string_view text) const {
  std::vector<std::string> names;
  for (const NamedComponent& one : components_) {
    if (!one.name.empty()) names.push_back(one.name);
  }
  const std::size_t dot = std::min(text.rfind('.'), text.size());
  std::string near = nearest_name(text, names);
  if (!near.empty() || dot == text.size()) return near;
  near = nearest_name(text.substr(0, dot), names);
  return near.empty() ? near : near + std::string(text.substr(dot));
}

}  // namespace weir::flow_test
