#include "engine/expression/date_pattern_doubts.h"

namespace weir::expression {
namespace {

// Letters that stand for fields; what is in quotes is plain text.
std::string without_quoted(std::string_view pattern) {
  std::string letters;
  bool quoted = false;
  for (const char c : pattern) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (!quoted) {
      letters += c;
    }
  }
  return letters;
}

}  // namespace

std::vector<std::string> date_pattern_doubts(std::string_view pattern) {
  const std::string fields = without_quoted(pattern);
  const auto has = [&](std::string_view letters) {
    return fields.find_first_of(letters) != std::string::npos;
  };
  std::vector<std::string> doubts;
  if (has("m") && !has("HhKkA")) {
    doubts.emplace_back("mm are minutes, but there are no hours; the month is MM");
  }
  if (has("HhKk") && fields.find(":MM") != std::string::npos) {
    doubts.emplace_back("MM is the month, but it stands among hours; minutes are mm");
  }
  if (has("Y") && !has("wW")) {
    doubts.emplace_back(
        "YYYY is the year of weeks, which differs around New Year; the year is yyyy");
  }
  if (has("hK") && !has("aB")) {
    doubts.emplace_back("hh counts to 12, but there is no a for am and pm; HH counts to 23");
  }
  if (has("D") && has("ML")) {
    doubts.emplace_back("DD is the day of the year; the day of the month is dd");
  }
  return doubts;
}

}  // namespace weir::expression
