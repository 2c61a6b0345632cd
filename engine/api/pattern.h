#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/api/error.h"

namespace weir {

// A match needed more steps or memory than one match may take: the expression explodes on this
// text. The text goes to a failure relationship, or the trigger rolls back.
class PatternLimitExceeded : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

struct PatternFlags {
  bool case_insensitive = false;
  bool multiline = false;  // ^ and $ at each line
  bool dot_all = false;    // . is also a line terminator
  bool comments = false;   // white space and # comments are not part of the expression
  bool literal = false;    // no character has a meaning
  bool unix_lines = false;
  bool unicode_case = false;
  bool unicode_character_class = false;
};

// Where the last match and its groups stand in the text, in bytes; group 0 is the whole match.
// Refers to the text, which must live. Made once and used for many matches; one thread at a time.
class Match {
 public:
  Match();
  ~Match();
  Match(Match&&) noexcept;
  Match& operator=(Match&&) noexcept;

  std::size_t group_count() const;  // without group 0
  bool participated(std::size_t group) const;
  std::string_view group(std::size_t group = 0) const;  // "" where it did not participate
  std::size_t start(std::size_t group = 0) const;       // only where it participated
  std::size_t end(std::size_t group = 0) const;

 private:
  friend class Pattern;
  struct Data;
  std::unique_ptr<Data> data_;
};

// A regular expression in Java's syntax, compiled once (PCRE2). Cheap to copy; thread safe.
//
// Texts are UTF-8; one that is not is matched byte by byte. A match that would take too many steps
// throws PatternLimitExceeded, so that no expression can hang a thread. What PCRE2 cannot do as
// Java does is an error of `compile`: look-behind of varying length, \b{g}, \N{...}.
class Pattern {
 public:
  // The error names what is wrong and at which character (1-based).
  static std::expected<Pattern, std::string> compile(std::string_view expression,
                                                     PatternFlags flags = {});
  // The expression that matches exactly `text`.
  static std::string quote(std::string_view text);

  bool matches(std::string_view text) const;   // the whole of it
  bool contains(std::string_view text) const;  // somewhere in it
  bool matches(std::string_view text, Match& match) const;
  // The leftmost match that starts at or after `from`; look-behind sees what is before.
  bool find(std::string_view text, std::size_t from, Match& match) const;
  // The match after `match`, which was found in the same, unchanged text, as repeated
  // Matcher.find() gives them: an empty match is followed by a search one character on. Unlike
  // `find` it does not look through the text for bad UTF-8 again.
  bool find_next(std::string_view text, Match& match) const;

  std::size_t group_count() const;  // without group 0
  // Named groups, by number.
  const std::vector<std::pair<std::string, std::size_t>>& group_names() const;
  const std::string& expression() const;

 private:
  struct Compiled;

  Pattern() = default;
  bool run(std::string_view text, std::size_t from, std::uint32_t options, bool same_text,
           Match& match) const;

  std::shared_ptr<const Compiled> compiled_;
};

// Java's replacement text: $1, ${name}, and \ before a character that stands for itself.
class Replacement {
 public:
  // The error is Java's complaint: no such group, a $ or \ at the end.
  static std::expected<Replacement, std::string> parse(std::string_view text,
                                                       const Pattern& pattern);
  void append_to(std::string& out, const Match& match) const;

 private:
  struct Piece {
    std::string text;
    std::size_t group = 0;  // 0 and `is_group`: the whole match
    bool is_group = false;
  };
  std::vector<Piece> pieces_;
};

std::string replace_all(std::string_view text, const Pattern& pattern, const Replacement& with);
std::string replace_first(std::string_view text, const Pattern& pattern, const Replacement& with);

}  // namespace weir
