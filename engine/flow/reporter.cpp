#include "engine/flow/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "engine/api/units.h"

namespace weir::flow {

std::string Problem::to_string() const {
  std::string text = file;
  if (place.line != 0) text += fmt::format(":{}:{}", place.line, place.column);
  text += severity == Severity::error ? ": error: " : ": warning: ";
  if (!component.empty()) text += component + ": ";
  text += message;
  if (!nearest.empty()) text += fmt::format(" (did you mean '{}'?)", nearest);
  return text;
}

void Reporter::add(Problem::Severity severity, const Component* component, Place place,
                   std::string message, std::string nearest) {
  Problem problem;
  problem.severity = severity;
  problem.file = file_;
  problem.place = place;
  if (component != nullptr) {
    problem.component = component->path;
    problem.component_id = component->id;
    if (place.line == 0) problem.place = component->place;
  }
  problem.message = std::move(message);
  problem.nearest = std::move(nearest);
  problems_.push_back(std::move(problem));
}

void Reporter::error(const Component* component, Place place, std::string message,
                     std::string nearest) {
  add(Problem::Severity::error, component, place, std::move(message), std::move(nearest));
}

void Reporter::warning(const Component* component, Place place, std::string message,
                       std::string nearest) {
  add(Problem::Severity::warning, component, place, std::move(message), std::move(nearest));
}

void Reporter::replace_ids(const std::map<std::string, std::string>& final_ids) {
  for (Problem& problem : problems_) {
    const auto found = final_ids.find(problem.component_id);
    if (found != final_ids.end()) problem.component_id = found->second;
  }
}

void sort_by_place(std::vector<Problem>& problems) {
  std::ranges::stable_sort(problems, {}, [](const Problem& problem) {
    return std::tuple(problem.place.line == 0, problem.place.line, problem.place.column);
  });
}

void Fields::wrong_kind(const Node& value, std::string_view key, std::string_view wanted) const {
  reporter_.error(&component_, value.place(), fmt::format("'{}' must be {}", key, wanted));
}

void Fields::text(std::string_view key, std::string& value) const {
  const auto given = node_.get(key);
  if (!given) return;
  if (!given->is_string()) return wrong_kind(*given, key, "a text");
  value = given->text();
}

void Fields::number(std::string_view key, std::uint64_t& value) const {
  const auto given = node_.get(key);
  if (!given) return;
  if (given->json().is_number_unsigned()) {
    value = given->json().get<std::uint64_t>();
    return;
  }
  if (given->is_string()) {
    if (const auto parsed = parse_integer(given->text(), 0)) {
      value = static_cast<std::uint64_t>(*parsed);
      return;
    }
  }
  wrong_kind(*given, key, "a whole number from 0 on");
}

void Fields::number(std::string_view key, int& value, int least) const {
  const auto given = node_.get(key);
  if (!given) return;
  std::uint64_t wide = UINT64_MAX;
  if (given->json().is_number_unsigned()) wide = given->json().get<std::uint64_t>();
  if (given->is_string()) {
    const auto parsed = parse_integer(given->text(), least, INT32_MAX);
    if (parsed) wide = static_cast<std::uint64_t>(*parsed);
  }
  if (wide > INT32_MAX || static_cast<int>(wide) < least) {
    return wrong_kind(*given, key, fmt::format("a whole number from {} on", least));
  }
  value = static_cast<int>(wide);
}

void Fields::names(std::string_view key, std::map<std::string, Place>& values) const {
  const auto given = node_.get(key);
  if (!given) return;
  if (!given->is_array()) return wrong_kind(*given, key, "a list of names");
  for (const Node& element : given->elements()) {
    if (!element.is_string()) {
      wrong_kind(element, key, "a list of names");
    } else if (!element.text().empty()) {  // NiFi writes [""] for ports and funnels
      values.emplace(element.text(), element.place());
    }
  }
}

void Fields::names(std::string_view key, std::vector<std::string>& values) const {
  const auto given = node_.get(key);
  if (!given) return;
  if (!given->is_array()) return wrong_kind(*given, key, "a list of names");
  for (const Node& element : given->elements()) {
    if (element.is_string()) {
      values.push_back(element.text());
    } else {
      wrong_kind(element, key, "a list of names");
    }
  }
}

std::size_t Fields::choice(std::string_view key, const std::vector<std::string>& words,
                           std::size_t otherwise) const {
  const auto given = node_.get(key);
  if (!given) return otherwise;
  if (!given->is_string()) {
    wrong_kind(*given, key, "a text");
    return otherwise;
  }
  const auto found = std::ranges::find(words, given->text());
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  reporter_.error(
      &component_, given->place(),
      fmt::format("'{}' is '{}' instead of one of {}", key, given->text(), fmt::join(words, ", ")),
      nearest_name(given->text(), words));
  return otherwise;
}

void read_origin(const Fields& fields, ParameterValue& parameter) {
  for (const auto& [key, origin] : {std::pair("environment", ParameterValue::Origin::environment),
                                    std::pair("file", ParameterValue::Origin::file)}) {
    if (!fields.node().get(key)) continue;
    parameter.origin = origin;
    fields.text(key, parameter.source);
  }
}

}  // namespace weir::flow
