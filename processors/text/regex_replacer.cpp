#include "processors/text/regex_replacer.h"

#include <fmt/format.h>

namespace weir::processors {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Puts a backslash before references to groups that are not there. As NiFi's search goes, a
// reference is seen only after a character that is no backslash and that no earlier one took.
std::string with_missing_groups_quoted(std::string_view text, std::size_t groups) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at + 2 < text.size();) {
    if (text[at] == '\\' || text[at + 1] != '$' || !is_digit(text[at + 2])) {
      ++at;
      continue;
    }
    std::size_t end = at + 2;
    while (end < text.size() && is_digit(text[end])) ++end;
    // Java takes as many digits as still name a group, but the first one in any case.
    if (static_cast<std::size_t>(text[at + 2] - '0') > groups) {
      out.append(text.substr(copied, at + 1 - copied)).append("\\");
      copied = at + 1;
    }
    at = end;
  }
  return out.append(text.substr(copied));
}

bool has_dollar_without_digit(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('$', at)) != std::string_view::npos; ++at) {
    if (at + 1 < text.size() && !is_digit(text[at + 1])) return true;
  }
  return false;
}

std::string quoted_replacement(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '$') out += '\\';
    out += c;
  }
  return out;
}

// What an attribute holds is no reference to a group.
std::string without_references(std::string text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '$' && at + 1 < text.size() && is_digit(text[at + 1])) out += '\\';
    out += text[at];
  }
  return out;
}

}  // namespace

std::expected<Replacement, std::string> read_replacement(std::string text,
                                                         std::size_t declared_groups,
                                                         const Pattern& pattern) {
  if (declared_groups > 0) text = with_missing_groups_quoted(text, declared_groups);
  if (has_dollar_without_digit(text)) text = quoted_replacement(text);
  return Replacement::parse(text, pattern);
}

RegexReplacer::RegexReplacer(Pattern pattern, std::size_t declared_groups, PropertyValue value,
                             const FlowFile& flow_file)
    : pattern_(std::move(pattern)),
      declared_groups_(declared_groups),
      value_(std::move(value)),
      flow_file_(flow_file) {
  if (!value_.has_expression()) {
    replacement_ = read_replacement(value_.text(), declared_groups_, pattern_);
    return;
  }
  for (std::size_t i = 0; i <= pattern_.group_count(); ++i) names_.push_back(fmt::format("${}", i));
}

const Replacement& RegexReplacer::replacement() {
  if (value_.has_expression()) {
    static const std::function<std::string(std::string)> decorate = without_references;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (match_.participated(i)) {
        variables_[names_[i]].assign(match_.group(i));
      } else {
        variables_.erase(names_[i]);
      }
    }
    std::string text = value_.evaluate(ExpressionInputs{
        .flow_file = &flow_file_, .variables = &variables_, .decorate = &decorate});
    if (!replacement_ || text != text_) {
      text_ = std::move(text);
      replacement_ = read_replacement(text_, declared_groups_, pattern_);
    }
  }
  if (!*replacement_) throw BadReplacement("Replacement Value: " + replacement_->error());
  return **replacement_;
}

void RegexReplacer::replace_lines(std::string_view lines, ReplacedText& out) {
  LineCursor cursor(lines);
  for (TextLine line; cursor.next(line);) replace_text(line.text, out);
}

bool RegexReplacer::replace_text(std::string_view text, ReplacedText& out) {
  std::size_t at = 0;
  const bool is_found = pattern_.find(text, 0, match_);
  for (bool found = is_found; found; found = pattern_.find_next(text, match_)) {
    out.keep(text.substr(at, match_.start() - at));
    replacement().append_to(out.made(), match_);
    at = match_.end();
  }
  out.keep(text.substr(at));
  return is_found;
}

}  // namespace weir::processors
