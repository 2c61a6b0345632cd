#include "processors/attribute/attributes_to_csv.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using bench::Values;

Output convert(Values properties, Values attributes) {
  TestBench bench(attributes_to_csv(), std::move(properties));
  bench.enqueue("x", std::move(attributes));
  bench.run();
  EXPECT_EQ(bench.count("success"), 1u);
  return bench.outputs("success").at(0);
}

std::string data(Values properties, Values attributes) {
  properties.try_emplace("include-core-attributes", "false");
  return convert(std::move(properties), std::move(attributes)).attribute("CSVData");
}

TEST(AttributesToCSV, TheListIsTheOrder) {
  EXPECT_EQ(data({{"attribute-list", "b, a"}}, {{"a", "1"}, {"b", "two"}}), "two,1");
  EXPECT_EQ(data({{"attribute-list", "a,,b,,"}}, {{"a", "1"}, {"b", "2"}}), "1,,2");
  EXPECT_EQ(data({{"attribute-list", "\"a,b\",c"}}, {{"a,b", "1"}, {"c", "2"}}), "1,2");
}

TEST(AttributesToCSV, QuotesWhatNeedsIt) {
  EXPECT_EQ(data({{"attribute-list", "q,c,n"}}, {{"q", "say \"hi\""}, {"c", "a,b"}, {"n", "1\n2"}}),
            "\"say \"\"hi\"\"\",\"a,b\",\"1\n2\"");
}

TEST(AttributesToCSV, MissingValues) {
  EXPECT_EQ(data({{"attribute-list", "a,e,m"}}, {{"a", "1"}, {"e", ""}}), "1,,");
  EXPECT_EQ(data({{"attribute-list", "a,e,m"}, {"null-value", "true"}}, {{"a", "1"}, {"e", ""}}),
            "1,null,null");
}

TEST(AttributesToCSV, CoreAttributesComeLastUnlessListed) {
  const Values attributes = {{"a", "1"}, {"filename", "f"}, {"path", "p/"}};
  const std::string with =
      data({{"attribute-list", "filename,a"}, {"include-core-attributes", "true"}}, attributes);
  EXPECT_TRUE(with.starts_with("f,1,p/,")) << with;  // then the uuid
  EXPECT_EQ(data({{"attribute-list", "filename,a"}}, attributes), "f,1");
  EXPECT_EQ(data({}, attributes), "1");
  EXPECT_EQ(data({{"attributes-regex", ".*"}}, attributes), "1");
}

TEST(AttributesToCSV, ToContentWithNames) {
  const Output out = convert({{"attribute-list", "a"},
                              {"attributes-regex", "k\\d"},
                              {"destination", "flowfile-content"},
                              {"include-core-attributes", "false"},
                              {"include-schema", "true"}},
                             {{"a", "1"}, {"k1", "2"}, {"k2", "3"}, {"k33", "4"}});
  EXPECT_EQ(out.content, "a,k1,k2\n1,2,3");
  EXPECT_EQ(out.attribute("mime.type"), "text/csv");
  EXPECT_FALSE(out.attributes.contains("CSVData"));
}

TEST(AttributesToCSV, NamesAsAnAttribute) {
  const Output out = convert({{"attribute-list", "b,a"}, {"include-schema", "true"}}, {{"b", "2"}});
  EXPECT_TRUE(out.attribute("CSVSchema").starts_with("b,a,"));
  EXPECT_EQ(out.content, "x");
}

TEST(AttributesToCSV, ContentIsUtf8WhateverTheAttributesAre) {
  const Output out = convert({{"attribute-list", "a"},
                              {"destination", "flowfile-content"},
                              {"include-core-attributes", "false"}},
                             {{"a", "p\xFFq"}});
  EXPECT_EQ(out.content, "p\xEF\xBF\xBDq");
}

TEST(AttributesToCSV, ABrokenPatternFromAttributesRollsBack) {
  TestBench bench(attributes_to_csv(), {{"attributes-regex", "${r}"}});
  bench.enqueue("x", {{"r", "["}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
  EXPECT_FALSE(TestBench(attributes_to_csv(), {{"attributes-regex", "["}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
