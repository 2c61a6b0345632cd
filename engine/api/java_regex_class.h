#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::java_regex {

// A character of Java's expression, or of what it writes as an escape, for PCRE2: itself where it
// has no meaning there, else by its number.
std::string literal(std::string_view utf8_character);
std::string literal(char32_t code_point);

// A set of characters while it is read: what a PCRE2 class can list, and what only an expression
// of its own can say.
class CharacterSet {
 public:
  void add_items(std::string_view items) { items_ += items; }  // as they stand within [...]
  void add_expression(std::string expression) { others_.push_back(std::move(expression)); }
  void add(const CharacterSet& other);
  bool is_empty() const { return items_.empty() && others_.empty(); }
  // An expression that matches one character of the set.
  std::string render(bool negated) const;

 private:
  std::string items_;
  std::vector<std::string> others_;
};

// The items of the characters in all of the sets.
std::string intersection(const std::vector<CharacterSet>& sets);
// Any character but those that `expression` matches.
std::string complement(const std::string& expression);

// Items of \p{name}; empty where Java has no such property. With `unicode`, POSIX names mean
// their Unicode counterparts.
std::string property_items(std::string_view name, bool negated, bool unicode);

}  // namespace weir::java_regex
