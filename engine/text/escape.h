#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "engine/text/error.h"

// Escaping as Apache Commons Text does it, text in UTF-8. Each function appends to `out` and
// returns; what needs no escaping is copied in one piece. Pure, thread safe.
namespace weir::text {

// escapeJson: " \ / and the control characters with their letters; everything outside of
// U+0020..U+007E as \uXXXX of each UTF-16 unit, in upper-case digits.
void escape_json(std::string_view text, std::string& out);
// unescapeJson, which is unescapeJava: also octal \101, repeated u (\uu0041), \' and a backslash
// alone, which disappears. The error: \u without four hexadecimal digits.
std::expected<void, Error> unescape_json(std::string_view text, std::string& out);

// escapeXml10: & < > " ' as named entities, characters that XML 1.0 forbids left away, U+007F..
// U+0084 and U+0086..U+009F as numeric entities.
void escape_xml(std::string_view text, std::string& out);
// unescapeXml: the five names and numeric entities (decimal, &#x..; or &#X..;). What is no entity
// stays. The error: a numeric entity past U+10FFFF.
std::expected<void, Error> unescape_xml(std::string_view text, std::string& out);

// escapeHtml3 (ISO-8859-1 entities) and escapeHtml4 (all of HTML 4.0; the apostrophe stays).
void escape_html3(std::string_view text, std::string& out);
void escape_html4(std::string_view text, std::string& out);
std::expected<void, Error> unescape_html3(std::string_view text, std::string& out);
std::expected<void, Error> unescape_html4(std::string_view text, std::string& out);

// escapeCsv: in quotes, quotes doubled, where the text has a comma, a quote, CR or LF.
void escape_csv(std::string_view text, std::string& out);
// unescapeCsv: without the quotes around the text, doubled quotes as one where the text needed them
// (it has a comma, a quote, CR or LF); a text that is not in quotes stays. The error: a quote and
// nothing else.
std::expected<void, Error> unescape_csv(std::string_view text, std::string& out);

}  // namespace weir::text
