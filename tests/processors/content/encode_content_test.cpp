#include "processors/content/encode_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using bench::Values;
using testing::HasSubstr;

std::string convert(const char* encoding, std::string content, Values properties) {
  properties["Encoding"] = encoding;
  TestBench bench(encode_content(), std::move(properties));
  bench.enqueue(std::move(content), {{"len", "8"}});
  bench.run();
  if (bench.count("success") != 1) return "failed";
  EXPECT_EQ(bench.count_events("CONTENT_MODIFIED"), 1u);
  return bench.outputs("success")[0].content;
}
std::string encode(const char* encoding, std::string content, Values properties = {}) {
  return convert(encoding, std::move(content), std::move(properties));
}
std::string decode(const char* encoding, std::string content) {
  return convert(encoding, std::move(content), {{"Mode", "Decode"}});
}

TEST(EncodeContent, Encodes) {
  EXPECT_EQ(encode("base64", "hello"), "aGVsbG8=");
  EXPECT_EQ(encode("base32", "hello!"), "NBSWY3DPEE======");
  EXPECT_EQ(encode("hex", "hi\xFF\n"), "6869FF0A");
  for (const char* encoding : {"base64", "base32", "hex"}) EXPECT_EQ(encode(encoding, ""), "");
}

TEST(EncodeContent, LinesAreRoundedDownAndEndWithALineFeed) {
  Values lines = {{"Line Output Mode", "MULTIPLE_LINES"}, {"Encoded Line Length", "10"}};
  EXPECT_EQ(encode("base64", "abcdefghi", lines), "YWJjZGVm\nZ2hp\n");
  EXPECT_EQ(encode("base32", "abcdeabcde", lines), "MFRGGZDF\nMFRGGZDF\n");
  EXPECT_EQ(encode("hex", "abcdefghi", lines), "616263646566676869");
  EXPECT_EQ(encode("base64", "", lines), "");
  lines["Encoded Line Length"] = "${len}";
  EXPECT_EQ(encode("base64", "abcdefghi", lines), "YWJjZGVm\nZ2hp\n");
  lines["Encoded Line Length"] = "3";  // less than one block: one line
  EXPECT_EQ(encode("base64", "abcdefghi", lines), "YWJjZGVmZ2hp");
}

TEST(EncodeContent, DecodesAsCommonsCodecDoes) {
  EXPECT_EQ(decode("base64", "aGVs\r\nbG8="), "hello");
  EXPECT_EQ(decode("base64", "aGVsbG8"), "hello");   // without padding
  EXPECT_EQ(decode("base64", "a-_w"), "k\xEF\xF0");  // the alphabet for URLs
  EXPECT_EQ(decode("base64", "YQ==YQ=="), "a");      // padding is the end
  EXPECT_EQ(decode("base32", "NBSW Y3DP"), "hello");
  EXPECT_EQ(decode("base32", "nbswy3dp"), "hello");
  EXPECT_EQ(decode("hex", "68656C6c6f"), "hello");
  for (const char* encoding : {"base64", "base32", "hex"}) EXPECT_EQ(decode(encoding, ""), "");
}

TEST(EncodeContent, WhatIsNotOfTheEncodingFailsUnchanged) {
  const std::pair<const char*, std::string> bad[] = {
      {"base64", "!!!*"},  {"base64", "aGVs\xC3\xA9"},
      {"base32", "NBSW1"}, {"hex", "686"},
      {"hex", "zz"},       {"hex", "6 8"}};
  for (const auto& [encoding, content] : bad) {
    TestBench bench(encode_content(), {{"Mode", "Decode"}, {"Encoding", encoding}});
    bench.enqueue(content);
    bench.run();
    ASSERT_EQ(bench.count("failure"), 1u) << encoding << " " << content;
    const auto output = bench.outputs("failure")[0];
    EXPECT_EQ(output.content, content);
    EXPECT_THAT(output.attribute("encodeContent.error"), HasSubstr("at byte"));
    EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
  }
}

TEST(EncodeContent, LargeContentsSurviveTheRoundTrip) {
  std::string content;
  for (int i = 0; i < 300'001; ++i) content += static_cast<char>(i * 31 + i / 256);
  for (const char* encoding : {"base64", "base32", "hex"}) {
    EXPECT_TRUE(decode(encoding, encode(encoding, content)) == content) << encoding;
    const Values lines = {{"Line Output Mode", "MULTIPLE_LINES"}};
    if (std::string_view(encoding) == "hex") continue;
    EXPECT_TRUE(decode(encoding, encode(encoding, content, lines)) == content) << encoding;
  }
}

TEST(EncodeContent, ABadLineLengthRollsBack) {
  TestBench bench(encode_content(),
                  {{"Line Output Mode", "MULTIPLE_LINES"}, {"Encoded Line Length", "${len}"}});
  bench.enqueue("x", {{"len", "wide"}});
  bench.run();
  EXPECT_TRUE(bench.last_error());
  EXPECT_EQ(bench.queued(), 1u);
}

}  // namespace
}  // namespace weir::processors
