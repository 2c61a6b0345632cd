#include "engine/json/path.h"

#include <gtest/gtest.h>

#include "engine/json/parse.h"
#include "engine/json/write.h"

namespace weir::json {
namespace {

constexpr std::string_view store = R"({
  "book": [
    {"category": "reference", "author": "Rees", "title": "Sayings", "price": 8.95},
    {"category": "fiction", "author": "Waugh", "title": "Sword", "price": 12.99, "tags": ["a", "b"]},
    {"category": "fiction", "author": "Melville", "title": "Moby", "isbn": "0-553", "price": 8.99},
    {"category": "fiction", "author": "Tolkien", "title": "Lord", "isbn": "0-395", "price": 22}
  ],
  "bicycle": {"color": "red", "price": 19.95},
  "limit": 10, "empty": [], "none": null, "big": 12345678901234567890,
  "names": ["Rees", "Waugh"], "a b": 1, "d.t": 2, "nested": [[1, 2], [3]]
})";

std::string read(std::string_view path, std::string_view document = store) {
  Arena arena;
  const auto compiled = JsonPath::compile(path);
  if (!compiled) return "offset " + std::to_string(compiled.error().offset);
  const auto root = parse(document, arena);
  const auto found = compiled->read(*root, arena);
  if (found) return to_json(*found);
  switch (found.error().reason) {
    case EvaluationError::Reason::not_found:
      return "not found";
    case EvaluationError::Reason::invalid:
      return "invalid";
    case EvaluationError::Reason::limit:
      return "limit";
  }
  return {};
}

struct Case {
  std::string_view path;
  std::string_view result;
};

void check(std::initializer_list<Case> cases, std::string_view document = store) {
  for (const auto& [path, result] : cases) EXPECT_EQ(read(path, document), result) << path;
}

TEST(JsonPath, NamesAndIndexes) {
  check({{"$.bicycle.color", "\"red\""},
         {"bicycle.color", "\"red\""},
         {"$['bicycle']['color']", "\"red\""},
         {"$[ \"bicycle\" ].price", "19.95"},
         {"$['a b']", "1"},
         {"$['d.t']", "2"},
         {"$['bicycle']['color','price']", R"({"color":"red","price":19.95})"},
         {"$['bicycle','nothing'].price", "[19.95]"},
         {"$.book[0].title", "\"Sayings\""},
         {"$.book[-1].title", "\"Lord\""},
         {"$.book[9].title", "not found"},
         {"$.book[-9]", "not found"},
         {"$.nothing", "not found"},
         {"$.nothing.more", "not found"},
         {"$.none", "null"},
         {"$.none.more", "not found"},
         {"$.limit[0]", "not found"},
         {"$.big", "12345678901234567890"},
         {"$.book[0,2].title", R"(["Sayings","Moby"])"},
         {"$.book[1:3].title", R"(["Sword","Moby"])"},
         {"$.book[:2].title", R"(["Sayings","Sword"])"},
         {"$.book[2:].title", R"(["Moby","Lord"])"},
         {"$.book[-2:].title", R"(["Moby","Lord"])"},
         {"$.book[:-3].title", R"(["Sayings"])"},
         {"$.nested[0][1]", "2"},
         {"$.nested[*][0]", "[1,3]"},
         {"$.bicycle.*", R"(["red",19.95])"},
         {"$.bicycle[*]", R"(["red",19.95])"},
         {"$.empty[*]", "[]"},
         {"$.limit.*", "[]"},
         {"$.limit.*.x", "not found"},
         {"$.crew[", "not found"},
         {"$.names[", R"(["Rees","Waugh"])"}});
}

TEST(JsonPath, DeepScan) {
  check(
      {{"$..price", "[8.95,12.99,8.99,22,19.95]"},
       {"$..book[0].title", R"(["Sayings"])"},
       {"$..['color','price']", R"([{"color":"red","price":19.95}])"},
       {"$..[?(@.isbn)].title", R"(["Moby","Lord"])"},
       {"$..[0]",
        R"([{"category":"reference","author":"Rees","title":"Sayings","price":8.95},"a","Rees",[1,2],1,3])"},
       {"$..nothing", "[]"},
       {"$.book..tags", R"([["a","b"]])"}});
  check({{"$..*", R"([[{"p":1}],9,{"p":1},1])"}}, R"({"b":[{"p":1}],"l":9})");
}

TEST(JsonPath, Filters) {
  check({{"$.book[?(@.price < 10)].title", R"(["Sayings","Moby"])"},
         {"$.book[?(@.price<10&&@.category=='fiction')].title", R"(["Moby"])"},
         {"$.book[?(@.price < $.limit)].title", R"(["Sayings","Moby"])"},
         {"$.book[?(@.price == 22)].title", R"(["Lord"])"},
         {"$.book[?(@.price == '22')].title", R"(["Lord"])"},
         {"$.book[?(@.price >= 22.0 || @.author == 'Rees')].title", R"(["Sayings","Lord"])"},
         {"$.book[?(@.isbn)].title", R"(["Moby","Lord"])"},
         {"$.book[?(!@.isbn)].title", R"(["Sayings","Sword"])"},
         {"$.book[?(!(@.price > 10))].title", R"(["Sayings","Moby"])"},
         {"$.book[?(@.isbn == null)].title", "[]"},
         {"$.book[?(@.author =~ /.*l.*/i)].title", R"(["Moby","Lord"])"},
         {"$.book[?(@.author =~ /(rees|WAUGH)/i)].title", R"(["Sayings","Sword"])"},
         {"$.book[?(@.tags =~ /b/)].title", R"(["Sword"])"},
         {"$.book[?(@.author in ['Rees', \"Tolkien\"])].title", R"(["Sayings","Lord"])"},
         {"$.book[?(@.author in $.names)].title", R"(["Sayings","Sword"])"},
         {"$.book[?(@.author nin ['Rees'])].title", R"(["Sword","Moby","Lord"])"},
         {"$.book[?(@.tags contains 'b')].title", R"(["Sword"])"},
         {"$.book[?(@.title contains 'o')].title", R"(["Sword","Moby","Lord"])"},
         {"$.book[?(@.tags size 2)].title", R"(["Sword"])"},
         {"$.book[?(@.author size 4)].title", R"(["Sayings"])"},
         {"$.book[?(@.tags empty false)].title", R"(["Sword"])"},
         {"$.book[?(@.tags subsetof ['a','b','c'])].title", R"(["Sword"])"},
         {"$.book[?(@.tags anyof ['b','c'])].title", R"(["Sword"])"},
         {"$.book[?(@.tags noneof ['c'])].title", R"(["Sword"])"},
         {"$.book[?(@.tags all ['a','b'])].title", R"(["Sword"])"},
         {"$.book[?(@.tags == ['a','b'])].title", R"(["Sword"])"},
         {"$.book[?(@.price === 22)].title", R"(["Lord"])"},
         {"$.book[?(@.price === '22')].title", "[]"},
         {"$.book[?(@.price !== 22)].title", R"(["Sayings","Sword","Moby"])"},
         {"$.book[?(@['category'] != 'fiction')].title", R"(["Sayings"])"},
         {"$.book[?(@.tags[0] == 'a')].title", R"(["Sword"])"},
         {"$.book[?(@.tags.length() == 2)].title", R"(["Sword"])"},
         {"$.names[?(@ == 'Rees')]", R"(["Rees"])"},
         {"$.bicycle[?(@.color == 'red')].price", "[19.95]"},
         {"$.limit[?(@ > 1)]", "invalid"},
         {"$[?(@.limit < @.big)].bicycle.color", R"(["red"])"}});
  check({{"$[?(@ == 0.1)]", "[0.1,0.1]"},
         {"$[?(@ < 12345678901234567891)]", "[0.1,0.1,12345678901234567890]"},
         {"$[?(@ > 12345678901234567891)]", "[12345678901234567892]"}},
        "[0.1,0.10,12345678901234567890,12345678901234567892]");
}

TEST(JsonPath, Functions) {
  check({{"$.book.length()", "4"},
         {"$.bicycle.size()", "2"},
         {"$.limit.length()", "null"},
         {"$.length($.book)", "4"},
         {"$.length($..author)", "0"},
         {"$..tags.length()", "2"},
         {"$..length()", "invalid"},
         {"$..sum().a", "[]"},
         {"$.length($.nested.first())", "2"},
         {"$.bicycle.keys()", R"(["color","price"])"},
         {"$.limit.keys()", "null"},
         {"$.nested[0].sum()", "3.0"},
         {"$.nested[0].avg()", "1.5"},
         {"$.nested[0].min()", "1.0"},
         {"$.nested[0].max()", "2.0"},
         {"$.nested[0].stddev()", "0.5"},
         {"$..price.sum()", "72.88"},
         {"$.sum($..price)", "72.88"},
         {"$.nested[0].sum(3, $.limit)", "16.0"},
         {"$.names.concat()", "\"ReesWaugh\""},
         {"$.concat($.names[0], \"-\", $.limit)", "\"Rees-10\""},
         {"$.names.append(\"x\", 1)", R"(["Rees","Waugh","x",1])"},
         {"$.names.first()", "\"Rees\""},
         {"$.names.last()", "\"Waugh\""},
         {"$.names.index(1)", "\"Waugh\""},
         {"$.names.index(-2)", "\"Rees\""},
         {"$.names.index(5)", "invalid"},
         {"$.names.min()", "invalid"},
         {"$.names.nothing()", "invalid"},
         {"$.book.first().title", "\"Sayings\""},
         {"$.sum($.nothing)", "not found"}});
  check({{"$.max()", "-1.0"}, {"$.min()", "-3.0"}}, "[-3,-1]");
}

TEST(JsonPath, MalformedPaths) {
  check({{"", "offset 0"},
         {"$.", "offset 1"},
         {"$..", "offset 2"},
         {"$[", "offset 1"},
         {"$x", "offset 1"},
         {"$.a[abc]", "offset 3"},
         {"$.a[?(", "offset 5"},
         {"$.a[::2]", "offset 3"},
         {"$[1,,2]", "offset 1"},
         {"$.a[(@.length-1)].p", "offset 3"},
         {"$['a", "offset 1"},
         {"$['a'", "offset 4"},
         {"$['a' 'b']", "offset 4"},
         {"$['a',]", "offset 6"},
         {"$.a b", "offset 3"},
         {"not a path[", "offset 3"},
         {"$.sum(1", "offset 5"},
         {"$.a[?(@.b ~~ 1)]", "offset 10"},
         {"$.a[?(@.b == )]", "offset 13"},
         {"$.a[?(@.b =~ /(/)]", "offset 13"},
         {"$...a", "offset 3"}});
}

TEST(JsonPath, DefiniteAndNormalized) {
  const auto path = JsonPath::compile("$.a['b c'][0].d");
  EXPECT_TRUE(path->is_definite());
  EXPECT_EQ(path->normalized(), "$['a']['b c'][0]['d']");
  for (const char* text : {"$..a", "$.*", "$[0,1]", "$[1:]", "$[?(@.a)]", "$['a','b'].c"}) {
    EXPECT_FALSE(JsonPath::compile(text)->is_definite()) << text;
  }
  EXPECT_EQ(JsonPath::compile("$..a[?(@.b)].*[1:2].sum()")->normalized(), "$.sum(...)");
}

// Each step multiplies what the next one visits.
TEST(JsonPath, AnExplodingPathStops) {
  std::string document = "1";
  for (int i = 0; i < 60; ++i) document = "[" + document + ",1]";
  std::string path = "$";
  for (int i = 0; i < 12; ++i) path += "..*";
  EXPECT_EQ(read(path, document), "limit");
}

// The text of the whole document for each of its elements.
TEST(JsonPath, AnExplodingFunctionStops) {
  std::string document = "[";
  for (int i = 0; i < 100'000; ++i) document += "[" + std::to_string(i) + "],";
  document.back() = ']';
  EXPECT_EQ(read("$[*].concat($)", document), "limit");
}

TEST(JsonPath, AnExplodingPatternStops) {
  EXPECT_EQ(read("$[?(@ =~ /(a|aa)+d?/)]", "[\"" + std::string(60, 'a') + "c\"]"), "limit");
}

TEST(JsonPath, DeepPathsAreRefused) {
  std::string nested = "@.a";
  for (int i = 0; i < 500; ++i) nested = "@[?(" + nested + ")]";
  EXPECT_FALSE(JsonPath::compile("$[?(" + nested + ")]"));
  EXPECT_FALSE(JsonPath::compile("$[?(" + std::string(10'000, '(') + "@.a)]"));
  std::string longest = "$";
  for (int i = 0; i < 100'000; ++i) longest += ".a";
  EXPECT_FALSE(JsonPath::compile(longest));
}

TEST(JsonPath, FiltersFromTheRootAreEvaluatedOnce) {
  std::string document = "{\"limit\":5,\"list\":[";
  for (int i = 0; i < 20'000; ++i) document += std::to_string(i % 10) + ",";
  document.back() = ']';
  document += "}";
  Arena arena;
  const auto root = parse(document, arena);
  const auto found = JsonPath::compile("$.list[?(@ > $..limit.sum())]")->read(*root, arena);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size(), 8'000u);
}

}  // namespace
}  // namespace weir::json
