#include "engine/text/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "engine/text/html_entities.h"
#include "engine/text/utf16.h"

namespace weir::text {
namespace {

std::string_view basic_entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

std::string_view find_entity(std::span<const HtmlEntity> entities, char32_t code_point) {
  const auto found = std::ranges::lower_bound(entities, code_point, {}, &HtmlEntity::code_point);
  return found != entities.end() && found->code_point == code_point ? found->name
                                                                    : std::string_view();
}

void escape_html(std::string_view text, bool extended, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char c = text[at];
    std::string_view name;
    if (static_cast<unsigned char>(c) < 0x80) {
      ++at;
      const std::string_view entity = basic_entity(c);
      if (entity.empty()) continue;
      out.append(text, copied, begin - copied).append(entity);
      copied = at;
      continue;
    }
    const char32_t code_point = next_code_point(text, at);
    if (code_point < 0x100) {
      name = find_entity(latin1_entities(), code_point);
    } else if (extended) {
      name = find_entity(extended_entities(), code_point);
    }
    if (name.empty()) continue;
    out.append(text, copied, begin - copied).append("&").append(name).append(";");
    copied = at;
  }
  out.append(text, copied);
}

using EntityNames = std::unordered_map<std::string_view, char32_t>;

EntityNames entity_names(bool apostrophe, std::initializer_list<std::span<const HtmlEntity>> more) {
  EntityNames names = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}};
  if (apostrophe) names.emplace("apos", '\'');
  for (const auto entities : more) {
    for (const HtmlEntity& entity : entities) names.emplace(entity.name, entity.code_point);
  }
  return names;
}

// The value of &#...; at `at`, which moves past it; empty where there is none.
std::optional<std::uint32_t> numeric_entity(std::string_view text, std::size_t& at) {
  std::size_t next = at + 2;
  const bool hex = next < text.size() && (text[next] == 'x' || text[next] == 'X');
  if (hex) ++next;
  const std::size_t end = text.find(';', next);
  if (end == std::string_view::npos || end == next) return std::nullopt;
  std::uint64_t value = 0;
  for (; next < end; ++next) {
    const char c = text[next];
    const int digit = c >= '0' && c <= '9'          ? c - '0'
                      : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                    : -1;
    if (digit < 0) return std::nullopt;
    value = value * (hex ? 16 : 10) + static_cast<unsigned>(digit);
    if (value > INT32_MAX) return std::nullopt;
  }
  at = end + 1;
  return static_cast<std::uint32_t>(value);
}

// A pair of surrogates written as two entities is one character.
bool append_unit(std::uint32_t unit, std::string& out, char32_t& high) {
  const bool low = unit >= 0xDC00 && unit < 0xE000;
  if (high != 0 && low) {
    out.pop_back();  // the '?' of the first half
    append_code_point(out, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
    high = 0;
    return true;
  }
  append_code_point(out, unit);
  high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
  return unit <= 0x10FFFF;
}

std::expected<void, Error> unescape_entities(std::string_view text, const EntityNames& names,
                                             std::string& out) {
  char32_t high = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = text.find('&', at);
    if (mark != at) {
      high = 0;
      out.append(text, at, mark == std::string_view::npos ? mark : mark - at);
      if (mark == std::string_view::npos) break;
      at = mark;
    }
    if (text.size() > at + 1 && text[at + 1] == '#') {
      if (const auto value = numeric_entity(text, at)) {
        if (append_unit(*value, out, high)) continue;
        return std::unexpected(Error{mark, "the entity is past U+10FFFF"});
      }
    } else {
      // The longest name has eight letters.
      const std::size_t end = text.substr(0, at + 12).find(';', at + 1);
      if (end != std::string_view::npos) {
        const auto found = names.find(text.substr(at + 1, end - at - 1));
        if (found != names.end()) {
          append_code_point(out, found->second);
          high = 0;
          at = end + 1;
          continue;
        }
      }
    }
    out += text[at++];
    high = 0;
  }
  return {};
}

void append_hex_unit(std::string& out, char32_t unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04X}", static_cast<std::uint32_t>(unit));
}

void escape_json_character(char32_t c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '/':
      out += "\\/";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      if (c > 0xFFFF) {
        append_hex_unit(out, 0xD7C0 + (c >> 10));
        append_hex_unit(out, 0xDC00 + (c & 0x3FF));
      } else {
        append_hex_unit(out, c);
      }
  }
}

bool is_octal(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '7';
}

// At the first digit after the backslash: up to three, the first of three at most 3.
char32_t octal(std::string_view text, std::size_t& at) {
  const bool three = text[at] <= '3';
  char32_t value = static_cast<char32_t>(text[at++] - '0');
  if (!is_octal(text, at)) return value;
  value = value * 8 + static_cast<char32_t>(text[at++] - '0');
  if (three && is_octal(text, at)) value = value * 8 + static_cast<char32_t>(text[at++] - '0');
  return value;
}

// At the first u: any number of them, a plus sign if there is one, four digits of which the first
// may be a sign, as Integer.parseInt takes it.
std::optional<char32_t> unicode(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == 'u') ++at;
  if (at < text.size() && text[at] == '+') ++at;
  if (text.size() - at < 4) return std::nullopt;
  std::string_view digits = text.substr(at, 4);
  const bool negative = digits[0] == '-';
  if (negative || digits[0] == '+') digits.remove_prefix(1);
  std::uint32_t value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(digit);
  }
  at += 4;
  return (negative ? 0 - value : value) & 0xFFFF;
}

// ASCII characters that XML has as they are.
constexpr std::array<bool, 128> plain_in_xml = [] {
  std::array<bool, 128> table{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) table[c] = true;
  for (const char c : std::string_view("\t\n\r")) table[static_cast<std::size_t>(c)] = true;
  for (const char c : std::string_view("&<>\"'")) table[static_cast<std::size_t>(c)] = false;
  return table;
}();

}  // namespace

void escape_json(std::string_view text, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '/') {
      ++at;
      continue;
    }
    out.append(text, copied, begin - copied);
    escape_json_character(next_code_point(text, at), out);
    copied = at;
  }
  out.append(text, copied);
}

std::expected<void, Error> unescape_json(std::string_view text, std::string& out) {
  char32_t high = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = text.find('\\', at);
    if (mark != at) {
      high = 0;
      out.append(text, at, mark == std::string_view::npos ? mark : mark - at);
      if (mark == std::string_view::npos) break;
    }
    at = mark + 1;
    if (at == text.size()) break;
    const char letter = text[at];
    if (letter == 'u') {
      const auto unit = unicode(text, at);
      if (!unit) return std::unexpected(Error{mark, "\\u needs four hexadecimal digits"});
      append_unit(*unit, out, high);
      continue;
    }
    high = 0;
    if (is_octal(text, at)) {
      append_code_point(out, octal(text, at));
      continue;
    }
    constexpr std::string_view letters = "bntfr\\\"'";
    constexpr std::string_view meanings = "\b\n\t\f\r\\\"'";
    const std::size_t found = letters.find(letter);
    if (found == std::string_view::npos) continue;  // only the backslash goes
    out += meanings[found];
    ++at;
  }
  return {};
}

void escape_xml(std::string_view text, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80 && plain_in_xml[byte]) {
      ++at;
      continue;
    }
    const char32_t c = next_code_point(text, at);
    const bool forbidden =
        (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c == 0xFFFE || c == 0xFFFF);
    const bool numeric = (c >= 0x7F && c <= 0x84) || (c >= 0x86 && c <= 0x9F);
    const std::string_view entity = c == '\''  ? "&apos;"
                                    : c < 0x7F ? basic_entity(static_cast<char>(c))
                                               : std::string_view();
    if (entity.empty() && !forbidden && !numeric) continue;
    out.append(text, copied, begin - copied).append(entity);
    if (numeric) {
      fmt::format_to(std::back_inserter(out), "&#{};", static_cast<std::uint32_t>(c));
    }
    copied = at;
  }
  out.append(text, copied);
}

std::expected<void, Error> unescape_xml(std::string_view text, std::string& out) {
  static const EntityNames names = entity_names(true, {});
  return unescape_entities(text, names, out);
}

void escape_html3(std::string_view text, std::string& out) {
  escape_html(text, false, out);
}

void escape_html4(std::string_view text, std::string& out) {
  escape_html(text, true, out);
}

std::expected<void, Error> unescape_html3(std::string_view text, std::string& out) {
  static const EntityNames names = entity_names(false, {latin1_entities()});
  return unescape_entities(text, names, out);
}

std::expected<void, Error> unescape_html4(std::string_view text, std::string& out) {
  static const EntityNames names = entity_names(false, {latin1_entities(), extended_entities()});
  return unescape_entities(text, names, out);
}

void escape_csv(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t quote = text.find('"', at);
    const std::size_t end = quote == std::string_view::npos ? text.size() : quote + 1;
    out.append(text, at, end - at);
    if (quote != std::string_view::npos) out += '"';
    at = end;
  }
  out += '"';
}

std::expected<void, Error> unescape_csv(std::string_view text, std::string& out) {
  if (text.empty() || text.front() != '"' || text.back() != '"') {
    out += text;
    return {};
  }
  if (text.size() == 1) return std::unexpected(Error{0, "the text is one quote"});
  const std::string_view body = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t pair = body.find("\"\"", at);
    out.append(body, at, pair == std::string_view::npos ? pair : pair + 1 - at);
    if (pair == std::string_view::npos) break;
    at = pair + 2;
  }
  return {};
}

}  // namespace weir::text
