#include "engine/text/escape.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/text/utf16.h"

namespace weir::text {
namespace {

using Escape = void (*)(std::string_view, std::string&);
using Unescape = std::expected<void, Error> (*)(std::string_view, std::string&);

std::string escaped(Escape escape, std::string_view text) {
  std::string out;
  escape(text, out);
  return out;
}

std::optional<std::string> unescaped(Unescape unescape, std::string_view text) {
  std::string out;
  if (!unescape(text, out)) return std::nullopt;
  return out;
}

const char* const markup = "<p class=\"x\">\u00A9 \u00FC \u20AC \u2014 \u03B1 \u00BD & co</p>";

TEST(Escape, Json) {
  EXPECT_EQ(escaped(&escape_json, "a\"b\\c/d\n\te<f>&'g"), "a\\\"b\\\\c\\/d\\n\\te<f>&'g");
  EXPECT_EQ(escaped(&escape_json, "\u00E9\u20AC\U0001F600\x7F\x01"),
            "\\u00E9\\u20AC\\uD83D\\uDE00\\u007F\\u0001");
  const std::pair<const char*, const char*> cases[] = {
      {"a\\nb", "a\nb"},   {"\\u00E9\\u20ac", "\u00E9\u20AC"},
      {"\\\\", "\\"},      {"\\/", "/"},
      {"\\q", "q"},        {"\\uD83D\\uDE00", "\U0001F600"},
      {"\\u+0041", "A"},   {"\\uu0041", "A"},
      {"\\8", "8"},        {"\\477", "'7"},
      {"\\101\\60", "A0"}, {"end\\", "end"},
      {"\\uD83Dx", "?x"},  {"\\b\\f\\t\\r", "\b\f\t\r"}};
  for (const auto& [text, result] : cases)
    EXPECT_EQ(unescaped(&unescape_json, text), result) << text;
  EXPECT_EQ(unescaped(&unescape_json, "\\0"), std::string(1, '\0'));
  for (const char* text : {"\\u12", "\\uzzzz", "\\u"}) {
    EXPECT_EQ(unescaped(&unescape_json, text), std::nullopt) << text;
  }
}

TEST(Escape, Xml) {
  EXPECT_EQ(escaped(&escape_xml, "a\"b<f>&'g"), "a&quot;b&lt;f&gt;&amp;&apos;g");
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(escaped(&escape_xml, "x\0\1\b\f\x1F\x7F\u0085\u0086\uFFFEy\n"sv),
            "x&#127;\u0085&#134;y\n");
  const std::pair<const char*, const char*> cases[] = {{"&#65;&#x42;&#X43;", "ABC"},
                                                       {"&nbsp;", "&nbsp;"},
                                                       {"&#128512;", "\U0001F600"},
                                                       {"&amp;lt;", "&lt;"},
                                                       {"& lone", "& lone"},
                                                       {"&#;", "&#;"},
                                                       {"&#x;", "&#x;"},
                                                       {"&apos;", "'"},
                                                       {"&#xZZ;", "&#xZZ;"},
                                                       {"&lt", "&lt"},
                                                       {"&#65", "&#65"},
                                                       {"&#99999999999;", "&#99999999999;"},
                                                       {"&#55357;&#56832;", "\U0001F600"}};
  for (const auto& [text, result] : cases)
    EXPECT_EQ(unescaped(&unescape_xml, text), result) << text;
  EXPECT_EQ(unescaped(&unescape_xml, "&#x110000;"), std::nullopt);
}

TEST(Escape, Html) {
  EXPECT_EQ(escaped(&escape_html3, markup),
            "&lt;p class=&quot;x&quot;&gt;&copy; &uuml; \u20AC \u2014 \u03B1 &frac12; &amp; "
            "co&lt;/p&gt;");
  EXPECT_EQ(escaped(&escape_html4, markup),
            "&lt;p class=&quot;x&quot;&gt;&copy; &uuml; &euro; &mdash; &alpha; &frac12; &amp; "
            "co&lt;/p&gt;");
  EXPECT_EQ(escaped(&escape_html3, "\u00A0\u00AD'\u0152"), "&nbsp;&shy;'\u0152");
  EXPECT_EQ(unescaped(&unescape_html3, "&eacute;&Eacute;&euro;&#8364;"),
            "\u00E9\u00C9&euro;\u20AC");
  EXPECT_EQ(unescaped(&unescape_html4, "&thetasym;&hearts;&apos;&unknown; &eacute"),
            "\u03D1\u2665&apos;&unknown; &eacute");
}

TEST(Escape, Csv) {
  EXPECT_EQ(escaped(&escape_csv, "plain "), "plain ");
  EXPECT_EQ(escaped(&escape_csv, "say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(escaped(&escape_csv, "a,b"), "\"a,b\"");
  EXPECT_EQ(escaped(&escape_csv, "cr\ronly"), "\"cr\ronly\"");
  const std::pair<const char*, const char*> cases[] = {{"\"say \"\"hi\"\"\"", "say \"hi\""},
                                                       {"plain", "plain"},
                                                       {"\"unbalanced", "\"unbalanced"},
                                                       {"mid\"dle", "mid\"dle"},
                                                       {"\"\"", ""},
                                                       {"\" a\"", " a"},
                                                       {"a,b", "a,b"},
                                                       {"", ""}};
  for (const auto& [text, result] : cases)
    EXPECT_EQ(unescaped(&unescape_csv, text), result) << text;
  EXPECT_EQ(unescaped(&unescape_csv, "\""), std::nullopt);
}

TEST(Escape, ComesBackUnchanged) {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  const std::pair<Escape, Unescape> pairs[] = {{&escape_json, &unescape_json},
                                               {&escape_xml, &unescape_xml},
                                               {&escape_html3, &unescape_html3},
                                               {&escape_html4, &unescape_html4},
                                               {&escape_csv, &unescape_csv}};
  for (int i = 0; i < 2000; ++i) {
    std::string text = "x";  // CSV leaves quotes alone that enclose a text
    for (unsigned length = random() % 12; length > 0; --length) {
      const char32_t limits[] = {0x7F, 0x250, 0x2700, 0x1FFFF};
      const char32_t c = 0x20 + random() % (limits[random() % 4] - 0x20);
      append_code_point(text, c == 0xFFFE || c == 0xFFFF ? U'y' : c);
    }
    for (const auto& [escape, unescape] : pairs) {
      ASSERT_EQ(unescaped(unescape, escaped(escape, text)), text) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace weir::text
