#include <algorithm>
#include <charconv>

#include "processors/content/mime_types.h"

namespace weir::processors {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool may_stand_in_path(char c) {
  return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("_-!.~'()*,;:$&+=/@").contains(c);
}

// Percent signs and their digits as bytes. Empty: a percent sign without them.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      if (!may_stand_in_path(text[at])) return std::nullopt;
      out += text[at];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(at + 1).substr(0, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc() || digits.size() != 2 || end != digits.data() + 2) {
      return std::nullopt;
    }
    out += static_cast<char>(byte);
    at += 2;
  }
  return out;
}

}  // namespace

// A name is taken for a URI where it can be one, and for itself where not: "a.csv?x" ends in
// ".csv", "a b?.csv" as well.
std::optional<std::string> base_name(const std::string& name) {
  std::string_view rest = name;
  if (const std::size_t hash = rest.find('#'); hash != std::string_view::npos) {
    if (rest.find('#', hash + 1) != std::string_view::npos) return name;
    rest = rest.substr(0, hash);
  }
  rest = rest.substr(0, rest.find('?'));
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos && colon < rest.find('/')) {
    const std::string_view scheme = rest.substr(0, colon);
    const bool is_scheme =
        !scheme.empty() && is_letter(scheme[0]) && std::ranges::all_of(scheme, [](char c) {
          return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
        });
    if (!is_scheme) return name;
    rest.remove_prefix(colon + 1);
    if (!rest.starts_with('/')) return std::nullopt;  // "urn:x" has no path
  }
  if (rest.starts_with("//")) {
    const std::size_t path = rest.find('/', 2);
    rest = path == std::string_view::npos ? std::string_view() : rest.substr(path);
  }
  const auto path = decoded(rest);
  if (!path) return name;
  const std::size_t slash = path->rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  if (begin >= path->size()) return std::nullopt;
  return path->substr(begin);
}

}  // namespace weir::processors
