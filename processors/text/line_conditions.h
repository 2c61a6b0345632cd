#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/pattern.h"
#include "engine/api/process_session.h"
#include "engine/api/property.h"
#include "processors/text/text_lines.h"

namespace weir::processors {

enum class LineTest { expression, starts_with, ends_with, contains, equals, matches, finds };

struct LineCondition {
  std::string name;                     // of the property
  PropertyValue value;                  // for LineTest::expression
  std::string text = {};                // what it gives for this FlowFile, for literal tests
  std::optional<Pattern> pattern = {};  // for tests by regular expression
};

// Tells which conditions of RouteText a line fulfils. For one FlowFile.
class LineConditions {
 public:
  LineConditions(LineTest test, bool trim, bool ignore_case, std::vector<LineCondition> conditions,
                 const FlowFile& flow_file);

  LineConditions(const LineConditions&) = delete;
  LineConditions& operator=(const LineConditions&) = delete;

  std::size_t size() const { return conditions_.size(); }
  const std::string& name(std::size_t condition) const { return conditions_[condition].name; }

  // The line that `holds` is asked about from now on; the text must live as long.
  void set_line(const TextLine& line);
  // What conditions see of that line.
  std::string_view seen() const { return seen_; }
  bool holds(std::size_t condition);

  // Whether a text of many lines can be searched as a whole for what the conditions look for:
  // then each place found is within one line and makes it match.
  bool can_search() const { return can_search_; }
  // Where the condition's text stands in `text` at or after `from`; npos where it does not.
  std::size_t search(std::size_t condition, std::string_view text, std::size_t from) const {
    return find_bytes(text, conditions_[condition].text, from);
  }
  // The text to search instead of `text`, of the same length; nullopt where there is none.
  std::optional<std::string_view> searchable(std::string_view text);

 private:
  bool holds_literally(const LineCondition& condition);
  bool fulfils_expression(const LineCondition& condition);

  const LineTest test_;
  const bool trim_;
  const bool ignore_case_;
  std::vector<LineCondition> conditions_;
  const FlowFile& flow_file_;
  bool can_search_ = false;

  std::string_view seen_;
  std::string_view compared_;  // as seen_, in lower case where case is ignored
  std::string lower_;
  Match match_;
  std::uint64_t line_number_ = 0;
  std::map<std::string, std::string, std::less<>> variables_;  // what an expression sees
  std::string& line_value_;
  std::string& number_value_;
  std::string result_;
};

}  // namespace weir::processors
