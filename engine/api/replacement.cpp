#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/api/pattern.h"

namespace weir {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The number of the group behind the '$' at `at`, which moves past it.
std::expected<std::size_t, std::string> read_group(std::string_view text, std::size_t& at,
                                                   const Pattern& pattern) {
  if (at >= text.size()) return std::unexpected("a group's number or name is missing after '$'");
  if (text[at] == '{') {
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) return std::unexpected("a group's name without '}'");
    const std::string_view name = text.substr(at + 1, end - at - 1);
    at = end + 1;
    for (const auto& [known, number] : pattern.group_names()) {
      if (known == name) return number;
    }
    return std::unexpected(fmt::format("no group with the name {}", name));
  }
  if (!is_digit(text[at]))
    return std::unexpected("'$' is not followed by a group's number or name");
  std::size_t group = static_cast<std::size_t>(text[at++] - '0');
  if (group > pattern.group_count()) return std::unexpected(fmt::format("no group {}", group));
  // As many digits as there are groups for.
  while (at < text.size() && is_digit(text[at])) {
    const std::size_t longer = group * 10 + static_cast<std::size_t>(text[at] - '0');
    if (longer > pattern.group_count()) break;
    group = longer;
    ++at;
  }
  return group;
}

}  // namespace

std::expected<Replacement, std::string> Replacement::parse(std::string_view text,
                                                           const Pattern& pattern) {
  Replacement replacement;
  std::string plain;
  const auto end_plain = [&] {
    if (!plain.empty()) replacement.pieces_.push_back({std::move(plain)});
    plain.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c == '\\') {
      if (at >= text.size()) return std::unexpected("a character is missing after '\\'");
      plain += text[at++];
    } else if (c == '$') {
      const auto group = read_group(text, at, pattern);
      if (!group) return std::unexpected(group.error());
      end_plain();
      replacement.pieces_.push_back({"", *group, true});
    } else {
      plain += c;
    }
  }
  end_plain();
  return replacement;
}

void Replacement::append_to(std::string& out, const Match& match) const {
  for (const Piece& piece : pieces_) {
    if (piece.is_group) {
      out += match.group(piece.group);
    } else {
      out += piece.text;
    }
  }
}

namespace {

std::string replace(std::string_view text, const Pattern& pattern, const Replacement& with,
                    bool only_first) {
  thread_local Match match;
  std::string out;
  std::size_t copied = 0;
  for (bool found = pattern.find(text, 0, match); found; found = pattern.find_next(text, match)) {
    out.append(text.substr(copied, match.start() - copied));
    with.append_to(out, match);
    copied = match.end();
    if (only_first) break;
  }
  return out.append(text.substr(copied));
}

}  // namespace

std::string replace_all(std::string_view text, const Pattern& pattern, const Replacement& with) {
  return replace(text, pattern, with, false);
}

std::string replace_first(std::string_view text, const Pattern& pattern, const Replacement& with) {
  return replace(text, pattern, with, true);
}

}  // namespace weir
