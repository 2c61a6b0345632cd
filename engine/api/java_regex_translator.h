#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/api/java_regex.h"
#include "engine/api/java_regex_class.h"
#include "engine/api/java_regex_reader.h"
#include "engine/api/java_regex_ways.h"

namespace weir::java_regex {

constexpr int max_depth = 200;  // groups and classes within one another

// Reads Java's expression once from left to right and writes PCRE2's.
class Translator : private Reader {
 public:
  Translator(std::string_view text, PatternFlags flags, bool bytes)
      : Reader(text),
        flags_(flags),
        bytes_(bytes),
        unicode_classes_(flags.unicode_character_class) {}

  PcreExpression translate() {
    std::string out = start_of(flags_) + alternation();
    if (!done()) fail("unmatched closing ')'");
    return {std::move(out), unicode_classes_};
  }

 private:
  void skip_comments();

  // `alternatives` and their kin keep a look-behind's ways apart; elsewhere there is one.
  std::string alternation();
  Ways alternatives(bool expand);
  Ways sequence(bool expand);
  Ways atom(bool expand);
  Ways group(bool expand);
  std::string look_behind(bool negative);
  bool inline_flags();
  static std::string start_of(PatternFlags flags);
  std::string body_of_group();
  Ways quantified(Ways atoms, bool expand);
  std::pair<std::size_t, std::size_t> counts();

  std::string dot() const;
  std::string escape();
  std::string quoted();
  std::string back_reference(std::size_t group);
  // Where a character is a byte, a number up to 255 means that byte.
  bool is_byte(char32_t code) const { return bytes_ && code >= 0x80 && code < 0x100; }
  static std::string by_number(char32_t code) {
    return fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(code));
  }
  std::string letter_escape(char c);
  std::string property(bool negated);
  std::string literal(std::string_view character) const;

  CharacterSet character_class();
  CharacterSet class_operand();
  std::optional<std::string> class_character();
  void class_item(CharacterSet& set);

  PatternFlags flags_;
  const bool bytes_;
  bool unicode_classes_;
  std::size_t groups_ = 0;  // that have begun
  int depth_ = 0;
};

}  // namespace weir::java_regex
