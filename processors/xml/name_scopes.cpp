#include "processors/xml/name_scopes.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors {
namespace {

constexpr std::string_view xmlns = "xmlns";
constexpr std::string_view xml_namespace = "http://www.w3.org/XML/1998/namespace";
constexpr std::string_view xmlns_namespace = "http://www.w3.org/2000/xmlns/";

}  // namespace

bool is_declaration(std::string_view attribute) {
  return attribute.starts_with(xmlns) &&
         (attribute.size() == xmlns.size() || attribute[xmlns.size()] == ':');
}

std::string_view declared_prefix(std::string_view attribute) {
  return attribute.size() == xmlns.size() ? std::string_view() : attribute.substr(xmlns.size() + 1);
}

NameScopes::NameScopes() {
  namespaces_["xml"].emplace_back(xml_namespace);
}

const std::string* NameScopes::find(std::string_view prefix) const {
  const auto found = namespaces_.find(prefix);
  return found == namespaces_.end() || found->second.empty() ? nullptr : &found->second.back();
}

std::string NameScopes::open_element(std::string_view name, const char* const* attributes) {
  ++depth_;
  std::size_t prefixed = 0;
  for (const char* const* at = attributes; *at; at += 2) {
    if (!is_declaration(at[0])) continue;
    if (std::string problem = declare(at[0], at[1]); !problem.empty()) return problem;
  }
  if (std::string problem = check_name(name); !problem.empty()) return problem;
  for (const char* const* at = attributes; *at; at += 2) {
    if (is_declaration(at[0]) || !std::string_view(at[0]).contains(':')) continue;
    ++prefixed;
    if (std::string problem = check_name(at[0]); !problem.empty()) return problem;
  }
  return prefixed > 1 ? check_doubles(attributes) : std::string();
}

void NameScopes::close_element() {
  while (!declared_.empty() && declared_.back().depth == depth_) {
    namespaces_.find(declared_.back().prefix)->second.pop_back();
    declared_.pop_back();
  }
  --depth_;
}

std::string NameScopes::declare(std::string_view attribute, std::string_view value) {
  const std::string_view prefix = declared_prefix(attribute);
  const bool has_colon = attribute.size() > xmlns.size();
  if (has_colon && (prefix.empty() || prefix == xmlns || prefix.contains(':'))) {
    return fmt::format("{} declares no prefix", attribute);
  }
  if (has_colon && value.empty()) {
    return fmt::format("the prefix {} stands for no namespace", prefix);
  }
  if ((prefix == "xml") != (value == xml_namespace) || value == xmlns_namespace) {
    return fmt::format("{} cannot stand for {}", attribute, value);
  }
  namespaces_[std::string(prefix)].emplace_back(value);
  declared_.push_back({depth_, std::string(prefix)});
  return {};
}

std::string NameScopes::check_name(std::string_view name) const {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view prefix = name.substr(0, colon);
  if (prefix.empty() || colon + 1 == name.size() || name.substr(colon + 1).contains(':')) {
    return fmt::format("{} is no name of a namespace", name);
  }
  if (find(prefix)) return {};
  return fmt::format("the prefix of {} is not declared", name);
}

// Two prefixes may stand for one namespace.
std::string NameScopes::check_doubles(const char* const* attributes) const {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const char* const* at = attributes; *at; at += 2) {
    const std::string_view name = at[0];
    const std::size_t colon = name.find(':');
    if (is_declaration(name) || colon == std::string_view::npos) continue;
    names.emplace_back(*find(name.substr(0, colon)), name.substr(colon + 1));
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  return fmt::format("an element has the attribute {} of {} twice", twice->second, twice->first);
}

}  // namespace weir::processors
