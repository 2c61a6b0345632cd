#include "processors/content/identify_mime_type.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using namespace std::string_literals;

// "type extension character-set".
std::string identify(bench::Values values, std::string content, const std::string& filename) {
  TestBench bench(identify_mime_type(), std::move(values));
  EXPECT_TRUE(bench.validate().empty());
  bench.enqueue(std::move(content), {{"filename", filename}});
  bench.run();
  EXPECT_FALSE(bench.last_error());
  if (bench.count("success") != 1) return "none";
  EXPECT_EQ(bench.count_events("ATTRIBUTES_MODIFIED"), 1u);
  const auto output = bench.outputs("success")[0];
  return output.attribute("mime.type") + " " + output.attribute("mime.extension") + " " +
         output.attribute("mime.charset");
}

TEST(IdentifyMimeType, ByContentAndName) {
  EXPECT_EQ(identify({}, "a,b\n", "d.csv"), "text/csv .csv ISO-8859-1");
  EXPECT_EQ(identify({{"use-filename-in-detection", "false"}}, "a,b\n", "d.csv"),
            "text/plain .txt ISO-8859-1");
  EXPECT_EQ(identify({}, "\x1F\x8B\x08\0"s, "d.tgz"), "application/gzip .gz ");
  EXPECT_EQ(identify({}, "NiFiFF3\0\1"s, "p.pkg"), "application/flowfile-v3  ");
  EXPECT_EQ(identify({}, "", "x"), "application/octet-stream .bin ");
}

TEST(IdentifyMimeType, TheMagicDatabaseKnowsMore) {
  EXPECT_EQ(identify({}, "wOF2\0\1\0\0"s + std::string(60, '\0'), "x"), "font/woff2 .woff2 ");
  EXPECT_EQ(identify({}, "\0\1\2\3"s, "x"), "application/octet-stream .bin ");
}

TEST(IdentifyMimeType, OnlyTheBeginningIsRead) {
  EXPECT_EQ(identify({}, std::string(70'000, 'a') + std::string(70'000, '\0'), "x"),
            "text/plain .txt ISO-8859-1");
}

TEST(IdentifyMimeType, OwnRules) {
  const std::string xml =
      "<mime-info><mime-type type='application/x-own'><magic priority='90'>"
      "<match value='own:' offset='0'/></magic><glob pattern='*.own'/></mime-type></mime-info>";
  const bench::Values replace = {{"config-strategy", "Replace"},
                                 {"Custom MIME Configuration", xml}};
  EXPECT_EQ(identify(replace, "own:1", "x"), "application/x-own .own ");
  EXPECT_EQ(identify(replace, "GIF89a", "x"), "text/plain  ISO-8859-1");
  const auto path = std::filesystem::path(testing::TempDir()) / "mime_rules.xml";
  std::ofstream(path) << xml;
  const bench::Values merge = {{"config-strategy", "Merge"},
                               {"Custom MIME Configuration", path.string()}};
  EXPECT_EQ(identify(merge, "own:1", "x"), "application/x-own .own ");
  EXPECT_EQ(identify(merge, "GIF89a", "x"), "image/gif .gif ");
  std::filesystem::remove(path);
}

TEST(IdentifyMimeType, WhatIsNotValid) {
  const auto message = [](const std::string& configuration) {
    TestBench bench(identify_mime_type(),
                    {{"config-strategy", "Merge"}, {"Custom MIME Configuration", configuration}});
    const auto problems = bench.validate();
    return problems.empty() ? std::string() : problems[0].property + ": " + problems[0].message;
  };
  EXPECT_TRUE(message("<mime-info>").starts_with("Custom MIME Configuration: no element found"));
  EXPECT_TRUE(message("http://host/rules.xml").contains("a URL cannot be read here"));
  EXPECT_TRUE(message("/no/such/file").contains("cannot be read"));
  EXPECT_FALSE(
      TestBench(identify_mime_type(), {{"config-strategy", "Replace"}}).validate().empty());
}

}  // namespace
}  // namespace weir::processors
