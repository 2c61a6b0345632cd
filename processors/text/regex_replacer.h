#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>

#include "engine/api/pattern.h"
#include "engine/api/property.h"
#include "processors/text/line_replacer.h"

namespace weir::processors {

// The replacement cannot be used with the expression: the trigger rolls back.
class BadReplacement : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

// Reads a Replacement Value the way NiFi does:
// - a reference to a group that the expression does not have stands for itself, unless it is the
//   first thing in the text or the expression has no groups;
// - with a $ that no digit follows, nothing in the text has a meaning.
// `declared_groups` are those of the expression as it stands in the flow.
std::expected<Replacement, std::string> read_replacement(std::string text,
                                                         std::size_t declared_groups,
                                                         const Pattern& pattern);

// Regex Replace.
class RegexReplacer : public LineReplacer {
 public:
  RegexReplacer(Pattern pattern, std::size_t declared_groups, PropertyValue value,
                const FlowFile& flow_file);
  void replace_lines(std::string_view lines, ReplacedText& out) override;
  bool replace_text(std::string_view text, ReplacedText& out) override;

 private:
  const Replacement& replacement();

  Pattern pattern_;
  const std::size_t declared_groups_;
  PropertyValue value_;
  const FlowFile& flow_file_;
  Match match_;
  // The groups as an expression sees them: "$0", "$1"...
  std::vector<std::string> names_;
  std::map<std::string, std::string, std::less<>> variables_;
  std::string text_;  // what `replacement_` was read from
  std::optional<std::expected<Replacement, std::string>> replacement_;
};

}  // namespace weir::processors
