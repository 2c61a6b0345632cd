#include "engine/expression/scanner.h"

#include <algorithm>

namespace weir::expression {
namespace {

constexpr std::size_t none = std::string_view::npos;

// The closing quote. Backslashes are counted from the opening quote on, not in a row: so the
// second, fourth, ... of them makes an escaped quote look like the end. Flows rely on it.
std::size_t end_of_quotes(std::string_view text, std::size_t start) {
  std::size_t backslashes = 0;
  char last = 0;
  for (std::size_t at = start + 1; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++backslashes;
    } else if (c == text[start] && (backslashes % 2 == 0 || last != '\\')) {
      return at;
    }
    last = c;
  }
  return none;
}

std::vector<Range> ranges(std::string_view text, bool escaped) {
  std::vector<Range> found;
  std::size_t start = none;
  std::size_t braces = 0;
  std::size_t dollars = 0;
  std::size_t backslashes = 0;
  char last = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool quote = c == '\'' || c == '"';
    if (start != none && quote && (last != '\\' || backslashes % 2 == 0)) {
      at = end_of_quotes(text, at);
      if (at == none) break;
      continue;
    }
    if (c == '{') {
      if ((dollars % 2 == 0) == escaped && last == '$' && braces == 0) {
        start = at - (escaped ? dollars : 1);
      }
      if (start != none) ++braces;
    } else if (c == '}') {
      if (braces == 0) continue;
      if (--braces == 0) {
        if (start != none) found.push_back({start, at + 1});
        start = none;
      }
    } else if (c == '$') {
      ++dollars;
    } else if (c == '\\') {
      ++backslashes;
    } else {
      dollars = 0;
    }
    last = c;
  }
  return found;
}

void replace_pairs(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] == '$' && at + 1 < text.size() && text[at + 1] == '$') ++at;
  }
}

// Whether $* {...} starts at `at`, its end on the same line.
bool braces_follow(std::string_view text, std::size_t at) {
  at = std::min(text.find_first_not_of('$', at), text.size());
  if (at == text.size() || text[at] != '{') return false;
  const std::size_t end = text.find_first_of("}\r\n", at);
  return end != none && text[end] == '}';
}

}  // namespace

std::vector<Range> expression_ranges(std::string_view text) {
  if (text.find("${") == none) return {};
  return ranges(text, false);
}

std::vector<Range> escaped_ranges(std::string_view text) {
  if (text.find("$${") == none) return {};
  return ranges(text, true);
}

std::string unescape_leading_dollars(std::string_view text) {
  const std::size_t brace = std::min(text.find('{'), text.size());
  std::string out;
  out.reserve(text.size());
  replace_pairs(text.substr(0, brace), out);
  out += text.substr(brace);
  return out;
}

std::string unescape_trailing_dollars(std::string_view text, bool all) {
  const std::size_t last = text.find_last_not_of('$');
  const std::size_t dollars = text.size() - (last == none ? 0 : last + 1);
  if (dollars == text.size() && !all) return std::string(text);
  return std::string(text.substr(0, text.size() - dollars / 2));
}

std::string unescape_dollars(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] == '$' && text.substr(at, 2) == "$$" && braces_follow(text, at + 2)) ++at;
  }
  return out;
}

std::string unescape_backslashes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    if (++at == text.size()) break;  // a backslash at the very end disappears
    switch (text[at]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case '\\':
        out += '\\';
        break;
      default:
        out += '\\';
        out += text[at];
        break;
    }
  }
  return out;
}

}  // namespace weir::expression
