#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "engine/api/java_regex_translator.h"

// What stands between '[' and ']'.
namespace weir::java_regex {

// Behind '['; takes the ']'.
CharacterSet Translator::character_class() {
  if (++depth_ > max_depth) fail("too deeply nested");
  const bool negated = take("^");
  std::vector<CharacterSet> operands;
  operands.push_back(class_operand());
  while (take("&&")) {
    CharacterSet operand = class_operand();
    if (!operand.is_empty()) operands.push_back(std::move(operand));
  }
  if (!take("]")) fail("unclosed character class");
  --depth_;
  CharacterSet result;
  if (operands.size() == 1) {
    result = std::move(operands[0]);
  } else {
    result.add_expression(intersection(operands));
  }
  if (!negated) return result;
  CharacterSet outside;
  outside.add_expression(result.render(true));
  return outside;
}

CharacterSet Translator::class_operand() {
  CharacterSet set;
  bool first = true;
  while (true) {
    skip_comments();
    if (done()) fail("unclosed character class");
    if (sees("&&")) return set;
    if (peek() == ']' && !first) return set;
    first = false;
    if (peek() == '[') {
      skip();
      set.add(character_class());
    } else {
      class_item(set);
    }
  }
}

// One character of a class, as PCRE2 writes it there; nothing where a set of characters follows.
std::optional<std::string> Translator::class_character() {
  if (peek() != '\\') return java_regex::literal(take_character());
  skip();
  if (done()) fail("a lone '\\' at the end");
  if (const auto code = character_escape()) {
    return is_byte(*code) ? by_number(*code) : java_regex::literal(*code);
  }
  const char c = peek();
  if (std::isalpha(static_cast<unsigned char>(c))) {
    go_back();
    return std::nullopt;
  }
  if (std::isdigit(static_cast<unsigned char>(c))) fail("a back reference within a class");
  return java_regex::literal(take_character());
}

void Translator::class_item(CharacterSet& set) {
  const auto from = class_character();
  if (!from) {
    skip();
    const char c = next();
    if (c == 'Q') {
      while (!done() && !take("\\E")) set.add_items(java_regex::literal(take_character()));
    } else if (c == 'p' || c == 'P') {
      const std::string items = property(c == 'P');
      set.add_items(items.substr(1, items.size() - 2));
    } else if (std::string_view("dDsSwWhHvV").contains(c)) {
      set.add_items(std::string("\\") + c);
    } else if (c != 'E') {
      go_back();
      fail(fmt::format("unknown escape \\{} within a class", c));
    }
    return;
  }
  const bool range = peek() == '-' && peek(1) != ']' && peek(1) != '[' && peek(1) != '\0' &&
                     !rest().substr(1).starts_with("&&");
  if (!range) {
    set.add_items(*from);
    return;
  }
  skip();
  const auto to = class_character();
  if (!to) fail("illegal character range");
  set.add_items(*from + "-" + *to);
}

}  // namespace weir::java_regex
