#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

// NiFi keeps some settings of a component outside of its properties, in its annotation data. Those
// of a type that has such settings (engine/flow/annotation_rules.h) reach the component as further
// dynamic properties, prepared like these, under keys that begin with a character which no key of
// a user begins with. What goes over the dynamic properties must pass over them.
//
//   policy                  USE_CLONE or USE_ORIGINAL
//   rules/0002/name         the third rule's name
//   rules/0002/if/0000      its first condition
//   rules/0002/set/0001/x   its second action: the value that the attribute x gets
inline constexpr char annotation_prefix = '\x01';

inline bool is_annotation(std::string_view key) {
  return key.starts_with(annotation_prefix);
}

inline std::string policy_key() {
  return fmt::format("{}policy", annotation_prefix);
}

// A key of one of the rules, in its parts.
struct RuleKey {
  enum class Part { name, condition, action };
  std::size_t rule = 0;  // counted from 0, as `number` is
  Part part = Part::name;
  std::size_t number = 0;           // of the condition or action
  std::string_view attribute = {};  // that the action sets

  // Digits that numbers have: as many, so that keys sort as rules, conditions and actions stand.
  static constexpr std::size_t digits = 4;

  std::string text() const {
    std::string key = fmt::format("{}rules/{:04}/", annotation_prefix, rule);
    if (part == Part::name) return key + "name";
    if (part == Part::condition) return key + fmt::format("if/{:04}", number);
    return key + fmt::format("set/{:04}/{}", number, attribute);
  }

  // nullopt: no key of a rule. Refers to `key`.
  static std::optional<RuleKey> parse(std::string_view key) {
    RuleKey made;
    const auto take = [&key](std::string_view word) {
      if (!key.starts_with(word)) return false;
      key.remove_prefix(word.size());
      return true;
    };
    const auto take_number = [&key](std::size_t& number) {
      if (key.size() < digits) return false;
      const char* const end = key.data() + digits;
      const auto [stop, error] = std::from_chars(key.data(), end, number);
      key.remove_prefix(digits);
      return error == std::errc() && stop == end;
    };
    if (!is_annotation(key)) return std::nullopt;
    key.remove_prefix(1);
    if (!take("rules/") || !take_number(made.rule) || !take("/")) return std::nullopt;
    if (key == "name") return made;
    if (take("if/")) {
      made.part = Part::condition;
      if (take_number(made.number) && key.empty()) return made;
    } else if (take("set/")) {
      made.part = Part::action;
      made.attribute = key.substr(std::min(key.size(), digits + 1));
      if (take_number(made.number) && take("/")) return made;
    }
    return std::nullopt;
  }
};

}  // namespace weir
