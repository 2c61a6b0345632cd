#include "engine/api/java_regex.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "engine/api/java_regex_translator.h"

namespace weir {
namespace java_regex {
namespace {

constexpr std::size_t unbounded = SIZE_MAX;

}  // namespace

void Translator::skip_comments() {
  if (!flags_.comments) return;
  while (!done()) {
    if (std::isspace(static_cast<unsigned char>(peek()))) {
      skip();
    } else if (peek() == '#') {
      while (!done() && peek() != '\n' && peek() != '\r') skip();
    } else {
      return;
    }
  }
}

std::string Translator::alternation() {
  return join(alternatives(false));
}

Ways Translator::alternatives(bool expand) {
  if (++depth_ > max_depth) fail("too deeply nested");
  const PatternFlags outer = flags_;
  Ways all = sequence(expand);
  while (take("|")) {
    for (std::string& way : sequence(expand)) all.push_back(std::move(way));
  }
  flags_ = outer;  // flags set within a group end with it
  --depth_;
  return all;
}

Ways Translator::sequence(bool expand) {
  Ways ways = {""};
  while (true) {
    skip_comments();
    if (done() || peek() == '|' || peek() == ')') return ways;
    const Ways next = quantified(atom(expand), expand);
    std::optional<Ways> longer = append(std::move(ways), next);
    if (!longer) fail("look-behind with too many lengths");
    ways = *std::move(longer);
  }
}

Ways Translator::atom(bool expand) {
  switch (peek()) {
    case '(':
      return group(expand);
    case '[':
      skip();
      return {character_class().render(false)};
    case '\\':
      skip();
      return {escape()};
    case '.':
      skip();
      return {dot()};
    case '^':
      skip();
      return {"^"};
    case '$':
      skip();
      return {"$"};
    case '*':
    case '+':
    case '?':
      fail(fmt::format("dangling '{}'", peek()));
    case '{':
      fail("illegal repetition: '{' follows nothing that can repeat");
    default:
      return {literal(take_character())};
  }
}

// PCRE2 folds the case of all letters, Java only that of ASCII unless told otherwise.
std::string Translator::literal(std::string_view character) const {
  std::string text = java_regex::literal(character);
  if (static_cast<unsigned char>(character[0]) < 0x80) return text;
  if (flags_.case_insensitive && !flags_.unicode_case) return "(?-i:" + text + ")";
  return bytes_ ? "(?:" + text + ")" : text;
}

std::string Translator::dot() const {
  if (flags_.dot_all) return "(?s:.)";
  if (flags_.unix_lines) return "[^\\n]";
  return bytes_ ? "[^\\n\\r]" : "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";
}

Ways Translator::group(bool expand) {
  skip();
  if (peek() == '*') fail("dangling '*'");
  if (peek() != '?') {
    if (expand) fail("a capturing group in a look-behind is not supported");
    ++groups_;
    return {"(" + body_of_group()};
  }
  skip();
  if (take("<=")) return {look_behind(false)};
  if (take("<!")) return {look_behind(true)};
  for (const std::string_view kind : {"=", "!", ">"}) {
    if (take(kind)) return {"(?" + std::string(kind) + body_of_group()};
  }
  if (take("<")) {
    const std::string name(take_until('>', "named group without '>'"));
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) {
      fail("a group's name begins with a letter");
    }
    for (const char c : name) {
      if (!std::isalnum(static_cast<unsigned char>(c)))
        fail("a group's name has letters and digits");
    }
    ++groups_;
    return {"(?<" + name + ">" + body_of_group()};
  }
  const PatternFlags outer = flags_;
  if (!inline_flags()) return {start_of(flags_)};
  const std::string start = start_of(flags_);
  Ways ways = alternatives(expand);
  flags_ = outer;
  if (!take(")")) fail("missing closing parenthesis");
  if (!expand) return {"(?:" + start + join(ways) + ")"};
  for (std::string& way : ways) way = "(?:" + start + way + ")";
  return ways;
}

// The flags that PCRE2 is to know; the others are worked into what is written.
std::string Translator::start_of(PatternFlags flags) {
  if (!flags.case_insensitive && !flags.multiline) return "(?-im)";
  if (flags.case_insensitive && flags.multiline) return "(?im)";
  return flags.multiline ? "(?m-i)" : "(?i-m)";
}

std::string Translator::body_of_group() {
  std::string body = alternation();
  if (!take(")")) fail("missing closing parenthesis");
  return body + ")";
}

// Behind "(?". True where a group follows, false where the flags hold for what is left of the
// group around.
bool Translator::inline_flags() {
  bool on = true;
  while (!done()) {
    const char c = next();
    switch (c) {
      case '-':
        if (!on) fail("'-' twice in the flags");
        on = false;
        break;
      case 'i':
        flags_.case_insensitive = on;
        break;
      case 'm':
        flags_.multiline = on;
        break;
      case 's':
        flags_.dot_all = on;
        break;
      case 'x':
        flags_.comments = on;
        break;
      case 'd':
        flags_.unix_lines = on;
        break;
      case 'u':
        flags_.unicode_case = on;
        break;
      case 'U':
        flags_.unicode_character_class = flags_.unicode_case = on;
        unicode_classes_ |= on;
        break;
      case ':':
        return true;
      case ')':
        return false;
      default:
        go_back();
        fail(fmt::format("unknown group or flag '{}'", c));
    }
  }
  fail("unknown group");
}

// PCRE2 wants each alternative of a look-behind to have one length.
std::string Translator::look_behind(bool negative) {
  const Ways ways = alternatives(true);
  if (!take(")")) fail("missing closing parenthesis");
  return fmt::format("(?<{}{})", negative ? "!" : "=", join(ways));
}

std::pair<std::size_t, std::size_t> Translator::counts() {
  const auto number = [this] {
    std::size_t value = 0;
    const char* first = rest().data();
    const auto [end, error] = std::from_chars(first, first + rest().size(), value);
    if (error != std::errc() || value > 65535) fail("illegal repetition");
    skip(static_cast<std::size_t>(end - first));
    return value;
  };
  const std::size_t least = number();
  std::size_t most = least;
  if (take(",")) most = peek() == '}' ? unbounded : number();
  if (!take("}")) fail("illegal repetition: '}' is missing");
  if (most < least) fail("illegal repetition: the range is out of order");
  return {least, most};
}

Ways Translator::quantified(Ways atoms, bool expand) {
  skip_comments();
  std::size_t least = 1;
  std::size_t most = 1;
  const std::size_t from = position();
  switch (peek()) {
    case '?':
      skip();
      least = 0;
      break;
    case '*':
      skip();
      least = 0;
      most = unbounded;
      break;
    case '+':
      skip();
      most = unbounded;
      break;
    case '{':
      skip();
      std::tie(least, most) = counts();
      break;
    default:
      return atoms;
  }
  std::string quantifier(since(from));
  if (peek() == '?' || peek() == '+') quantifier += next();
  if (!expand) {
    atoms[0] += quantifier;
    return atoms;
  }
  if (most == unbounded) fail("look-behind has no obvious maximum length");
  std::optional<Ways> all = repeat(atoms, least, most);
  if (!all) fail("look-behind with too many lengths");
  return *std::move(all);
}

std::string Translator::quoted() {
  std::string out;
  while (!done() && !take("\\E")) out += literal(take_character());
  return out;
}

// Java takes as many digits as there are groups for, of those that have begun.
std::string Translator::back_reference(std::size_t group) {
  while (std::isdigit(static_cast<unsigned char>(peek()))) {
    const std::size_t longer = group * 10 + static_cast<std::size_t>(peek() - '0');
    if (longer > groups_) break;
    group = longer;
    skip();
  }
  return fmt::format("\\g{{{}}}", group);
}

// Behind the backslash, outside of a class.
std::string Translator::escape() {
  if (done()) fail("a lone '\\' at the end");
  const char c = peek();
  if (c == 'Q') {
    skip();
    return quoted();
  }
  if (c >= '1' && c <= '9') {
    skip();
    return back_reference(static_cast<std::size_t>(c - '0'));
  }
  if (const auto code = character_escape()) {
    if (*code < 0x80 || is_byte(*code)) return by_number(*code);
    return literal(java_regex::literal(*code));
  }
  if (std::isalpha(static_cast<unsigned char>(c))) {
    skip();
    return letter_escape(c);
  }
  return literal(take_character());
}

std::string Translator::letter_escape(char c) {
  switch (c) {
    case 'b':
      if (peek() == '{') fail("\\b{g} is not supported");
      [[fallthrough]];
    case 'B':
    case 'A':
    case 'G':
    case 'R':
    case 'X':
    case 'Z':
    case 'z':
      return std::string("\\") + c;
    case 'd':
    case 'D':
    case 's':
    case 'S':
    case 'w':
    case 'W':
    case 'h':
    case 'H':
    case 'v':
    case 'V':
      return std::string("\\") + c;
    case 'p':
    case 'P':
      return property(c == 'P');
    case 'k':
      if (!take("<")) fail("\\k needs a group's name in '<>'");
      return "\\k<" + std::string(take_until('>', "\\k without '>'")) + ">";
    case 'E':
      return "";
    default:
      go_back();
      fail(fmt::format("unknown escape \\{}", c));
  }
}

std::string Translator::property(bool negated) {
  const std::string_view name =
      take("{") ? take_until('}', "a property without '}'") : take_character();
  std::string items = property_items(name, negated, flags_.unicode_character_class);
  if (items.empty()) fail(fmt::format("unknown character property \"{}\"", name));
  return "[" + items + "]";
}

}  // namespace java_regex

std::expected<PcreExpression, std::string> pcre_from_java(std::string_view expression,
                                                          PatternFlags flags, bool bytes) {
  std::string quoted;
  if (flags.literal) {
    quoted = Pattern::quote(expression);
    expression = quoted;
  }
  try {
    return java_regex::Translator(expression, flags, bytes).translate();
  } catch (const java_regex::Failure& failure) {
    return std::unexpected(fmt::format("not a regular expression: {} at character {}",
                                       failure.message, failure.offset + 1));
  }
}

}  // namespace weir
