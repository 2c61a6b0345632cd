#include "engine/text/url.h"

#include <gtest/gtest.h>

namespace weir::text {
namespace {

TEST(Url, Encodes) {
  EXPECT_EQ(url_encode("a b~-_.*/"), "a+b%7E-_.*%2F");
  EXPECT_EQ(url_encode("\u00FC\U0001F600\n"), "%C3%BC%F0%9F%98%80%0A");
}

TEST(Url, Decodes) {
  EXPECT_EQ(url_decode("a+b%41%e2%82%ac%2B"), "a bA\u20AC+");
  EXPECT_EQ(url_decode("%C3"), "\uFFFD");
  EXPECT_EQ(url_decode("\u00E9%20"), "\u00E9 ");
  for (const char* text : {"%4", "a%2", "%", "%-1", "%zz"}) EXPECT_FALSE(url_decode(text)) << text;
  EXPECT_EQ(url_decode("ab%zz").error().offset, 2u);
}

struct UriCase {
  UriParts parts;
  const char* text;  // null: rejected
};

const UriCase uri_cases[] = {
    {{"https", {}, "cargo.example.net", 8443, "/a b/\u00E9", "x=1&y=a b", "top"},
     "https://cargo.example.net:8443/a%20b/\u00E9?x=1&y=a%20b#top"},
    {{"http", "u:p@x", "h", 80, "/", "", ""}, "http://u:p%40x@h:80/?#"},
    {{{}, {}, "h", 80, "/x", {}, {}}, "//h:80/x"},
    {{"1http", {}, "h", 80, "/x", {}, {}}, nullptr},
    {{"http", {}, "h", 0, "/x", {}, {}}, "http://h:0/x"},
    {{"http", {}, "h", -5, "/x", {}, {}}, nullptr},
    {{"http", {}, "h", 99999, "/x", {}, {}}, "http://h:99999/x"},
    {{"http", {}, "bad host", 80, "/x", {}, {}}, nullptr},
    {{"http", {}, "host_name", 80, "/x", {}, {}}, nullptr},
    {{"http", {}, "::1", 80, "/x", {}, {}}, "http://[::1]:80/x"},
    {{"http", {}, "[::1]", 80, "/x", {}, {}}, "http://[::1]:80/x"},
    {{"http", {}, "1:2:3", 80, "/x", {}, {}}, nullptr},
    {{"http", {}, "1.2.3.4", 80, "/x", {}, {}}, "http://1.2.3.4:80/x"},
    {{"http", {}, "1.2.3.400", 80, "/x", {}, {}}, nullptr},
    {{"http", {}, "h", 80, "/%41/%zz", "a%20b", "c%25"}, "http://h:80/%2541/%25zz?a%2520b#c%2525"},
    {{"http", {}, "h", 80, "/a?b#c", "x?y#z", "f#g"}, "http://h:80/a%3Fb%23c?x?y%23z#f%23g"},
    {{"http", {}, "h", 80, "/[x]", "[y]", "{z}"}, "http://h:80/%5Bx%5D?[y]#%7Bz%7D"},
    {{"http", {}, "h", 80, "x", {}, {}}, nullptr},
    {{"http", "u", {}, -1, "/x", {}, {}}, "http:/x"},
    {{"http", {}, {}, -1, {}, {}, "f"}, nullptr},
    {{"HTTP", "", "H", 80, "/X", "", ""}, "HTTP://@H:80/X?#"}};

TEST(Url, BuildsUrisAsJava) {
  for (const UriCase& c : uri_cases) {
    const auto uri = build_uri(c.parts);
    ASSERT_EQ(uri.has_value(), c.text != nullptr) << uri.value_or("rejected");
    if (uri) {
      EXPECT_EQ(*uri, c.text);
    }
  }
}

}  // namespace
}  // namespace weir::text
