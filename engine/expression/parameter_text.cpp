#include "engine/expression/parameter_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/expression/scanner.h"

namespace weir::expression {
namespace {

constexpr std::size_t none = std::string_view::npos;

std::string_view unquoted(std::string_view name) {
  if (name.size() >= 2 && (name.front() == '\'' || name.front() == '"') &&
      name.back() == name.front()) {
    return name.substr(1, name.size() - 2);
  }
  return name;
}

// Follows a text and tells where a brace opens outside of expressions. Complete expressions are
// known beforehand; one that never ends is followed by its braces alone.
class Outside {
 public:
  Outside(std::string_view text, bool in_expressions) : in_expressions_(in_expressions) {
    if (!in_expressions) ranges_ = expression_ranges(text);
  }

  // The end of the complete expression that begins at `at`, or `at`.
  std::size_t skip(std::size_t at) {
    while (next_ < ranges_.size() && ranges_[next_].begin < at) ++next_;
    if (next_ == ranges_.size() || ranges_[next_].begin != at) return at;
    dollars_ = 0;
    return ranges_[next_].end;
  }

  // Whether this character is an opening brace that does not belong to an expression.
  bool opens(char c) {
    if (in_expressions_) return c == '{';
    const bool after_dollar = std::exchange(last_, c) == '$';
    if (c == '$') {
      ++dollars_;
    } else if (c == '{') {
      if (braces_ > 0 || (after_dollar && dollars_ % 2 == 1)) {
        ++braces_;
        return false;
      }
      return true;
    } else if (c == '}') {
      if (braces_ > 0) --braces_;
    } else {
      dollars_ = 0;
    }
    return false;
  }

 private:
  const bool in_expressions_;
  std::vector<Range> ranges_;
  std::size_t next_ = 0;
  std::size_t dollars_ = 0;
  std::size_t braces_ = 0;
  char last_ = 0;
};

class Valueless final : public Parameters {
 public:
  const Parameter* find(std::string_view) const override { return &parameter_; }

 private:
  const Parameter parameter_;
};

}  // namespace

std::size_t Substituted::original(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(parts, offset, {}, &Part::now);
  if (behind == parts.begin()) return offset;
  const Part& part = *(behind - 1);
  return part.before + (offset - part.now);
}

std::expected<Substituted, Error> put_parameters_in(std::string_view text,
                                                    const Environment& environment,
                                                    bool in_expressions) {
  if (text.find("#{") == none) return Substituted{std::string(text)};
  Substituted result;
  Outside outside(text, in_expressions);
  std::size_t done = 0;    // what is before has been written
  std::size_t hashes = 0;  // in a row, before `at`
  const auto write_until = [&](std::size_t end) {
    result.parts.push_back({result.text.size(), done});
    result.text += text.substr(done, end - done);
    done = end;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const std::size_t end = outside.skip(at); end != at) {
      at = end - 1;
      hashes = 0;
      continue;
    }
    const bool opens = outside.opens(text[at]);
    if (text[at] == '#') {
      ++hashes;
      continue;
    }
    const std::size_t before = std::exchange(hashes, 0);
    if (!opens || before == 0) continue;
    const std::size_t close = text.find('}', at);
    if (close == none) break;
    // Pairs of # stand for one each, also where the last of them makes this a plain text.
    const std::size_t start = at - before;
    write_until(start);
    result.parts.push_back({result.text.size(), start});
    result.text.append(before / 2, '#');
    if (before % 2 == 0) {
      done = at;
    } else {
      const std::string_view name = unquoted(text.substr(at + 1, close - at - 1));
      const Parameter* found =
          environment.parameters ? environment.parameters->find(name) : nullptr;
      if (!found && !environment.lenient_parameters) {
        return std::unexpected(Error{at - 1, fmt::format("there is no parameter '{}'", name)});
      }
      result.text += found ? std::string_view(found->value) : text.substr(at - 1, close + 2 - at);
      done = close + 1;
    }
    at = close;
  }
  write_until(text.size());
  return result;
}

std::string without_parameters(std::string_view text, Environment environment) {
  const Valueless none_has_a_value;
  environment.parameters = &none_has_a_value;
  return put_parameters_in(text, environment, false)->text;
}

}  // namespace weir::expression
