#include "processors/content/mime_magic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace weir::processors {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool matches_at(const MagicMatch& match, const char* at) {
  if (match.mask.empty() && !match.ignores_case) {
    return std::memcmp(at, match.bytes.data(), match.bytes.size()) == 0;
  }
  for (std::size_t index = 0; index < match.bytes.size(); ++index) {
    char c = at[index];
    if (!match.mask.empty()) c = static_cast<char>(c & match.mask[index]);
    if (match.ignores_case) c = lower(c);
    if (c != match.bytes[index]) return false;
  }
  return true;
}

class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  std::expected<MagicRule, std::string> read() {
    auto rule = alternatives();
    if (!rule) return rule;
    if (at_ != text_.size()) return wrong();
    return rule;
  }

 private:
  using Result = std::expected<MagicRule, std::string>;

  std::unexpected<std::string> wrong() const {
    return std::unexpected(fmt::format("a fault at {} of \"{}\"", at_, text_));
  }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool number(std::size_t& value) {
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return false;
    at_ += static_cast<std::size_t>(end - begin);
    return true;
  }

  Result list(MagicRule::Kind kind, std::string_view separator, Result (RuleReader::*part)()) {
    MagicRule whole{.kind = kind};
    do {
      Result one = (this->*part)();
      if (!one) return one;
      whole.parts.push_back(std::move(*one));
    } while (take(separator));
    if (whole.parts.size() == 1) return std::move(whole.parts.front());
    return whole;
  }
  Result alternatives() { return list(MagicRule::Kind::at_least, " | ", &RuleReader::term); }
  Result term() { return list(MagicRule::Kind::all, " & ", &RuleReader::factor); }

  Result group(std::size_t least) {
    Result rule = alternatives();
    if (!rule) return rule;
    if (!take(")")) return wrong();
    if (rule->kind == MagicRule::Kind::at_least) rule->least = least;
    return rule;
  }

  Result factor() {
    if (take("(")) return group(1);
    std::size_t value = 0;
    if (!number(value)) return wrong();
    if (take("?(")) return group(value);
    MagicRule rule;
    MagicMatch& match = rule.match;
    match.first_offset = match.last_offset = value;
    if (take(":") && !number(match.last_offset)) return wrong();
    match.ignores_case = take("~");
    if (!take("=") || !bytes(match.bytes) || match.bytes.empty()) return wrong();
    if (take("/") && (!bytes(match.mask) || match.mask.empty())) return wrong();
    match.fit_mask();
    return rule;
  }

  bool bytes(std::string& out) {
    while (at_ < text_.size() && !std::string_view(" |&()/").contains(text_[at_])) {
      if (text_[at_] != '\\') {
        out += text_[at_++];
        continue;
      }
      unsigned value = 0;
      const std::string_view digits = text_.substr(at_).substr(2, 2);
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (error != std::errc() || end != digits.data() + 2 || text_[at_ + 1] != 'x') return false;
      out += static_cast<char>(value);
      at_ += 4;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void MagicMatch::fit_mask() {
  if (mask.empty()) return;
  const std::size_t size = std::max(bytes.size(), mask.size());
  bytes.resize(size, '\0');
  mask.resize(size, '\xFF');
  for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<char>(bytes[at] & mask[at]);
}

bool MagicMatch::matches(std::string_view content) const {
  if (expression) {
    constexpr std::size_t expression_bytes = 8 * 1024;
    for (std::size_t at = first_offset; at <= last_offset && at < content.size(); ++at) {
      if (expression->contains(content.substr(at, expression_bytes))) return true;
    }
    return false;
  }
  if (content.size() < first_offset + bytes.size()) return false;
  const std::size_t last = std::min(last_offset, content.size() - bytes.size());
  const bool is_plain = mask.empty() && !ignores_case;
  for (std::size_t at = first_offset; at <= last; ++at) {
    if (is_plain) {
      const void* const found = std::memchr(content.data() + at, bytes[0], last - at + 1);
      if (!found) return false;
      at = static_cast<std::size_t>(static_cast<const char*>(found) - content.data());
    }
    if (matches_at(*this, content.data() + at)) return true;
  }
  return false;
}

bool MagicRule::matches(std::string_view content) const {
  const auto fits = [&](const MagicRule& part) { return part.matches(content); };
  switch (kind) {
    case Kind::match:
      return match.matches(content);
    case Kind::all:
      return std::ranges::all_of(parts, fits);
    case Kind::at_least:
      break;
  }
  std::size_t count = 0;
  return std::ranges::any_of(parts,
                             [&](const MagicRule& part) { return fits(part) && ++count >= least; });
}

std::size_t MagicRule::weight() const {
  if (kind == Kind::match) return match.bytes.size();
  std::size_t weight = 0;
  for (const MagicRule& part : parts) {
    weight = kind == Kind::all ? weight + part.weight() : std::max(weight, part.weight());
  }
  return weight;
}

std::expected<MagicRule, std::string> parse_magic_rule(std::string_view text) {
  return RuleReader(text).read();
}

}  // namespace weir::processors
