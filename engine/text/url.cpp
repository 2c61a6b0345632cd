#include "engine/text/url.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "engine/text/character_set.h"
#include "engine/text/utf16.h"

namespace weir::text {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}

int hex_value(char c) {
  return is_digit(c)            ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

void append_percent(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

using Allowed = std::array<bool, 128>;

constexpr Allowed allow(std::string_view marks) {
  Allowed table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (const char c : marks) table[static_cast<unsigned char>(c)] = true;
  return table;
}

constexpr Allowed form_allowed = allow(".-*_");
constexpr Allowed user_allowed = allow("_-!.~'()*;:&=+$,");
constexpr Allowed path_allowed = allow("_-!.~'()*:@&=+$,;/");
constexpr Allowed part_allowed = allow("_-!.~'()*;/?:@&=+$,[]");  // of query and fragment

// Characters outside of ASCII stay, apart from spaces and controls.
void append_quoted(std::string& out, std::string_view text, const Allowed& allowed) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    bool keep = false;
    if (c < 0x80) {
      keep = allowed[c];
    } else {
      const auto point = static_cast<UChar32>(c);
      const auto type = u_charType(point);
      keep = !u_isISOControl(point) && type != U_SPACE_SEPARATOR && type != U_LINE_SEPARATOR &&
             type != U_PARAGRAPH_SEPARATOR;
    }
    for (std::size_t i = begin; i < at; ++i) {
      if (keep) {
        out += text[i];
      } else {
        append_percent(out, text[i]);
      }
    }
  }
}

// Four decimal bytes with dots.
bool is_ipv4(std::string_view host) {
  int parts = 0;
  while (true) {
    const std::size_t dot = host.find('.');
    const std::string_view part = host.substr(0, dot);
    if (part.empty() || part.size() > 3 || !std::ranges::all_of(part, is_digit)) return false;
    int value = 0;
    for (const char c : part) value = value * 10 + (c - '0');
    if (value > 255) return false;
    ++parts;
    if (dot == std::string_view::npos) return parts == 4;
    host.remove_prefix(dot + 1);
  }
}

// Labels of letters, digits and inner hyphens; the last of several begins with a letter; a dot
// may end it.
bool is_host_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string_view last;
  for (std::size_t at = 0; at <= host.size();) {
    const std::size_t dot = std::min(host.find('.', at), host.size());
    last = host.substr(at, dot - at);
    if (last.empty() || last.front() == '-' || last.back() == '-') return false;
    if (!std::ranges::all_of(last, [](char c) { return is_alphanumeric(c) || c == '-'; })) {
      return false;
    }
    at = dot + 1;
  }
  return is_letter(last.front()) || last.size() == host.size();
}

// Groups of up to four hexadecimal digits, one of them "::" at most, an IPv4 address as the last.
bool is_ipv6(std::string_view host) {
  const std::size_t zone = host.find('%');
  if (zone != std::string_view::npos) {
    const std::string_view name = host.substr(zone + 1);
    const bool good = std::ranges::all_of(
        name, [](char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; });
    if (name.empty() || !good) return false;
    host = host.substr(0, zone);
  }
  int bytes = 0;
  bool compressed = false;
  std::size_t at = 0;
  if (host.starts_with("::")) {
    compressed = true;
    at = 2;
  }
  while (at < host.size()) {
    const std::size_t end = std::min(host.find(':', at), host.size());
    const std::string_view group = host.substr(at, end - at);
    if (group.find('.') != std::string_view::npos) {
      if (end != host.size() || !is_ipv4(group)) return false;
      bytes += 4;
      break;
    }
    const bool good = !group.empty() && group.size() <= 4 &&
                      std::ranges::all_of(group, [](char c) { return hex_value(c) >= 0; });
    if (!good) return false;
    bytes += 2;
    at = end;
    if (at == host.size()) break;
    if (host.substr(at).starts_with("::")) {
      if (compressed) return false;
      compressed = true;
      at += 2;
    } else if (++at == host.size()) {
      return false;
    }
  }
  return compressed ? bytes <= 14 : bytes == 16;
}

std::unexpected<Error> rejected(const std::string& out, std::string_view what) {
  return std::unexpected(Error{out.size(), std::string(what)});
}

std::expected<void, Error> append_host(const UriParts& parts, std::string& out) {
  if (parts.user_info) {
    append_quoted(out, *parts.user_info, user_allowed);
    out += '@';
  }
  std::string_view host = *parts.host;
  const bool colon = host.find(':') != std::string_view::npos;
  if (colon || host.starts_with('[')) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) return rejected(out, "the host is no IPv6 address");
    out.append("[").append(host).append("]");
  } else {
    if (!is_ipv4(host) && !is_host_name(host)) return rejected(out, "the host is no server name");
    out += host;
  }
  if (parts.port < -1) return rejected(out, "the port is negative");
  if (parts.port >= 0) out.append(":").append(std::to_string(parts.port));
  return {};
}

bool is_scheme(std::string_view scheme) {
  return !scheme.empty() && is_letter(scheme.front()) && std::ranges::all_of(scheme, [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
}

}  // namespace

std::string url_encode(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && form_allowed[byte]) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      append_percent(out, c);
    }
  }
  return out;
}

std::expected<std::string, Error> url_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+') {
      out += ' ';
    } else if (text[at] == '%') {
      const bool complete = at + 2 < text.size();
      // Java reads the two as a number, and so a plus sign in front of one digit passes.
      const int high = !complete ? -1 : text[at + 1] == '+' ? 0 : hex_value(text[at + 1]);
      const int low = complete ? hex_value(text[at + 2]) : -1;
      if (high < 0 || low < 0) {
        return std::unexpected(Error{at, "% needs two hexadecimal digits"});
      }
      out += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return repair_utf8(out);
}

std::expected<std::string, Error> build_uri(const UriParts& parts) {
  std::string out;
  if (parts.scheme) {
    if (!is_scheme(*parts.scheme)) return rejected(out, "the scheme is none");
    if (parts.path && !parts.path->empty() && parts.path->front() != '/') {
      return rejected(out, "a path after a scheme begins with a slash");
    }
    out.append(*parts.scheme).append(":");
  }
  if (parts.host) {
    out += "//";
    if (const auto done = append_host(parts, out); !done) return std::unexpected(done.error());
    if (parts.path && !parts.path->empty() && parts.path->front() != '/') {
      return rejected(out, "a path after a host begins with a slash");
    }
  }
  if (parts.path) append_quoted(out, *parts.path, path_allowed);
  if (parts.query) append_quoted(out += '?', *parts.query, part_allowed);
  if (parts.scheme && out.size() == parts.scheme->size() + 1) {
    return rejected(out, "nothing follows the scheme");
  }
  if (parts.fragment) append_quoted(out += '#', *parts.fragment, part_allowed);
  return out;
}

}  // namespace weir::text
