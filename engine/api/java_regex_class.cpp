#include "engine/api/java_regex_class.h"

#include <fmt/format.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <utility>

namespace weir::java_regex {
namespace {

struct Named {
  std::string_view name;
  std::string_view items;  // positive
};

// Java's POSIX classes, of ASCII only.
constexpr std::array posix = {
    Named{"Lower", "a-z"},
    Named{"Upper", "A-Z"},
    Named{"ASCII", "\\x{0}-\\x{7f}"},
    Named{"Alpha", "a-zA-Z"},
    Named{"Digit", "0-9"},
    Named{"Alnum", "a-zA-Z0-9"},
    Named{"Punct", "\\x{21}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{60}\\x{7b}-\\x{7e}"},
    Named{"Graph", "\\x{21}-\\x{7e}"},
    Named{"Print", "\\x{20}-\\x{7e}"},
    Named{"Blank", "\\x{20}\\x{9}"},
    Named{"Cntrl", "\\x{0}-\\x{1f}\\x{7f}"},
    Named{"XDigit", "0-9a-fA-F"},
    Named{"Space", "\\x{9}-\\x{d}\\x{20}"},
};

// Where a name means a property of another name to ICU.
constexpr std::array icu_names = {
    Named{"Lower", "Lowercase"},
    Named{"Upper", "Uppercase"},
    Named{"Alpha", "Alphabetic"},
    Named{"Digit", "Nd"},
    Named{"Alnum", "alnum"},
    Named{"Punct", "P"},
    Named{"Graph", "graph"},
    Named{"Print", "print"},
    Named{"Blank", "blank"},
    Named{"Cntrl", "Cc"},
    Named{"XDigit", "xdigit"},
    Named{"Space", "White_Space"},
    Named{"javaLowerCase", "Lowercase"},
    Named{"javaUpperCase", "Uppercase"},
    Named{"javaAlphabetic", "Alphabetic"},
    Named{"javaIdeographic", "Ideographic"},
    Named{"javaTitleCase", "Lt"},
    Named{"javaDigit", "Nd"},
    Named{"javaDefined", "Assigned"},
    Named{"javaLetter", "L"},
    Named{"javaMirrored", "Bidi_Mirrored"},
    Named{"javaISOControl", "Cc"},
    Named{"javaSpaceChar", "Z"},
    Named{"IsPunctuation", "P"},
    Named{"IsControl", "Cc"},
    Named{"IsLetter", "L"},
    Named{"IsDigit", "Nd"},
    Named{"IsAssigned", "Assigned"},
    Named{"IsWhite_Space", "White_Space"},
    Named{"IsWhiteSpace", "White_Space"},
    Named{"L1", "Latin1"},
};

constexpr std::string_view java_white_space =
    "\\x{9}-\\x{d}\\x{1c}-\\x{20}\\x{1680}\\x{2000}-\\x{2006}\\x{2008}-\\x{200a}\\x{2028}\\x{2029}"
    "\\x{205f}\\x{3000}";

constexpr std::array<std::string_view, 37> categories = {
    "C",  "Cc", "Cf", "Cn", "Co", "Cs", "L",  "Ll", "Lm", "Lo", "Lt", "Lu", "M",
    "Mc", "Me", "Mn", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Pe", "Pf", "Pi",
    "Po", "Ps", "S",  "Sc", "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs"};

template <std::size_t n>
std::string_view find(const std::array<Named, n>& table, std::string_view name) {
  const auto place = std::ranges::find(table, name, &Named::name);
  return place == table.end() ? std::string_view() : place->items;
}

std::string ranges_of(const icu::UnicodeSet& set) {
  std::string items;
  for (int i = 0; i < set.getRangeCount(); ++i) {
    const auto first = static_cast<std::uint32_t>(set.getRangeStart(i));
    const auto last = static_cast<std::uint32_t>(set.getRangeEnd(i));
    // Surrogates are no characters of UTF-8.
    if (first >= 0xd800 && last <= 0xdfff) continue;
    items +=
        fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", first >= 0xd800 && first <= 0xdfff ? 0xe000 : first,
                    last >= 0xd800 && last <= 0xdfff ? 0xd7ff : last);
  }
  return items;
}

std::string from_icu(std::string_view property, bool negated) {
  UErrorCode status = U_ZERO_ERROR;
  const std::string pattern = fmt::format("[{}\\p{{{}}}]", negated ? "^" : "", property);
  const icu::UnicodeSet set(icu::UnicodeString::fromUTF8(pattern), status);
  return U_FAILURE(status) ? std::string() : ranges_of(set);
}

bool is_property_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == ' ' || c == '=';
  });
}

std::string negated_items(std::string_view items) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeSet set(icu::UnicodeString::fromUTF8(fmt::format("[^{}]", items)), status);
  return ranges_of(set);
}

}  // namespace

std::string literal(char32_t code_point) {
  if (code_point < 0x80) {
    const char c = static_cast<char>(code_point);
    if (std::isalnum(static_cast<unsigned char>(c))) return std::string(1, c);
    return fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(code_point));
  }
  std::string utf8;
  icu::UnicodeString(static_cast<UChar32>(code_point)).toUTF8String(utf8);
  return utf8;
}

std::string literal(std::string_view utf8_character) {
  if (utf8_character.size() != 1) return std::string(utf8_character);
  const unsigned char c = static_cast<unsigned char>(utf8_character[0]);
  return c < 0x80 ? literal(char32_t{c}) : std::string(utf8_character);
}

void CharacterSet::add(const CharacterSet& other) {
  items_ += other.items_;
  others_.insert(others_.end(), other.others_.begin(), other.others_.end());
}

std::string CharacterSet::render(bool negated) const {
  if (others_.empty()) return fmt::format("[{}{}]", negated ? "^" : "", items_);
  std::string any = items_.empty() ? "" : fmt::format("[{}]", items_);
  for (const std::string& other : others_) any += (any.empty() ? "" : "|") + other;
  any = "(?:" + any + ")";
  return negated ? complement(any) : any;
}

std::string intersection(const std::vector<CharacterSet>& sets) {
  std::string expression = "(?:";
  for (std::size_t i = 0; i + 1 < sets.size(); ++i) {
    expression += "(?=" + sets[i].render(false) + ")";
  }
  return expression + sets.back().render(false) + ")";
}

std::string complement(const std::string& expression) {
  return "(?:(?!" + expression + ")(?s:.))";
}

std::string property_items(std::string_view name, bool negated, bool unicode) {
  if (!is_property_name(name)) return {};
  if (name == "javaWhitespace") {
    return negated ? negated_items(java_white_space) : std::string(java_white_space);
  }
  if (name == "javaLetterOrDigit") {
    const std::string items = from_icu("L", false) + from_icu("Nd", false);
    return negated ? negated_items(items) : items;
  }
  if (!unicode) {
    const std::string_view items = find(posix, name);
    if (!items.empty()) return negated ? negated_items(items) : std::string(items);
  }
  if (name == "all" || name == "ALL") return from_icu("Any", negated);
  const std::string_view known = find(icu_names, name);
  if (!known.empty()) return from_icu(known, negated);
  if (name.starts_with("java")) return {};
  if (name.starts_with("In")) return from_icu(fmt::format("block={}", name.substr(2)), negated);
  if (name.starts_with("blk=") || name.starts_with("block=")) return from_icu(name, negated);
  if (name.starts_with("Is")) name.remove_prefix(2);
  // PCRE2 knows the general categories by the same names, and matches them faster than ranges.
  if (std::ranges::find(categories, name) != categories.end()) {
    return fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', name);
  }
  return from_icu(name, negated);
}

}  // namespace weir::java_regex
