#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Finds expressions in a text by NiFi's rules, which know nothing of the expressions' grammar:
// they count braces and skip what is in quotes.
namespace weir::expression {

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;  // behind the closing brace
};

// ${...} with an odd number of $. An expression that does not end ends the search.
std::vector<Range> expression_ranges(std::string_view text);
// $${...} with an even number of $, all of them within the range.
std::vector<Range> escaped_ranges(std::string_view text);

// Each $$ in front of the first brace becomes $.
std::string unescape_leading_dollars(std::string_view text);
// Half of the $ at the end go; a text of nothing but $ stays unless `all` is set.
std::string unescape_trailing_dollars(std::string_view text, bool all);
// Each $$ that stands before more $ and {...} on the same line becomes $.
std::string unescape_dollars(std::string_view text);
// What a text in quotes means once the lexer has read it: \\ \n \r; any other \x stays.
std::string unescape_backslashes(std::string_view text);

}  // namespace weir::expression
