#include "processors/jolt/reference.h"

#include <fmt/format.h>

#include "processors/jolt/values.h"

namespace weir::jolt {

Reference Reference::parse(const Place& place, std::string_view text, bool with_group) {
  const auto number = [&](std::string_view digits) {
    const auto value = parse_int(digits);
    if (!value || *value < 0) throw SpecError(place, fmt::format("\"{}\" is no reference", text));
    return static_cast<std::size_t>(*value);
  };
  Reference reference;
  std::string_view inside = text.substr(1);
  if (inside.empty()) return reference;
  if (!with_group || inside.size() < 3 || !inside.starts_with('(') || !inside.ends_with(')')) {
    reference.up = number(inside);
    return reference;
  }
  inside = inside.substr(1, inside.size() - 2);
  const std::size_t comma = inside.find(',');
  reference.up = number(inside.substr(0, comma));
  if (comma != std::string_view::npos && comma + 1 < inside.size()) {
    reference.group = number(inside.substr(comma + 1));
  }
  return reference;
}

std::string Reference::canonical(char sign) const {
  return fmt::format("{}({},{})", sign, up, group);
}

}  // namespace weir::jolt
