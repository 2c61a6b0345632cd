#include "engine/text/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace weir::text {
namespace {

using Strictness = BinaryTextDecoder::Strictness;

TEST(Base64, EncodesWholeTexts) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"42.5", "NDIuNQ=="}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(base64_encode(bytes), text);
  EXPECT_EQ(base32_encode("foob"), "MZXW6YQ=");
  EXPECT_EQ(base32_encode("f"), "MY======");
  EXPECT_EQ(hex_encode("\x01\xAB"), "01ab");
}

TEST(Base64, DecodesAsStrictlyAsJava) {
  EXPECT_EQ(base64_decode("YQ=="), "a");
  EXPECT_EQ(base64_decode("YQ"), "a");
  EXPECT_EQ(base64_decode("YWI"), "ab");
  EXPECT_EQ(base64_decode("/+8="), "\xFF\xEF");
  EXPECT_EQ(base64_decode(""), "");
  for (const char* text :
       {"Y", "YQ=", "YWJj\n", "!!!!", "_-8=", "=", "YQ==YQ==", "YWJj=", "Y==="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
  EXPECT_EQ(base64_decode("YWJj\n").error().offset, 4u);
  EXPECT_EQ(base32_decode("MZXW6YQ="), "foob");
  EXPECT_FALSE(base32_decode("mzxw6yq="));
  EXPECT_EQ(hex_decode("01aB"), "\x01\xAB");
  EXPECT_FALSE(hex_decode("01a"));
  EXPECT_FALSE(hex_decode("0g"));
}

std::expected<std::string, Error> decoded(BinaryText form, Strictness strictness,
                                          std::string_view text) {
  std::string out;
  BinaryTextDecoder decoder(form, strictness);
  auto done = decoder.update(text, out);
  if (done) done = decoder.finish(out);
  if (!done) return std::unexpected(done.error());
  return out;
}

TEST(Base64, DecodesLenientlyAsCommonsCodec) {
  EXPECT_EQ(decoded(BinaryText::base64, Strictness::lenient, "Y W\r\nJ*j"), "abc");
  EXPECT_EQ(decoded(BinaryText::base64, Strictness::lenient, "_-8="), "\xFF\xEF");
  EXPECT_EQ(decoded(BinaryText::base64, Strictness::lenient, "YQ==YQ=="), "a");
  EXPECT_EQ(decoded(BinaryText::base32, Strictness::lenient, "mzxw\n6yq"), "foob");
  EXPECT_EQ(decoded(BinaryText::base64, Strictness::skip_space, "YW Jj\r\n"), "abc");
  EXPECT_FALSE(decoded(BinaryText::base64, Strictness::skip_space, "YW*Jj"));
  EXPECT_FALSE(decoded(BinaryText::hex, Strictness::lenient, "0 1"));
}

TEST(Base64, BreaksLinesAsCommonsCodec) {
  BinaryTextEncoder encoder(BinaryText::base64, 8, "\r\n");
  std::string out;
  encoder.update("foobarfoobar", out);
  encoder.finish(out);
  EXPECT_EQ(out, "Zm9vYmFy\r\nZm9vYmFy\r\n");
}

TEST(Base64, CutsOfTheStreamDoNotMatter) {
  const unsigned seed = 3;
  std::mt19937 random(seed);
  for (int i = 0; i < 500; ++i) {
    const auto form = static_cast<BinaryText>(random() % 3);
    const std::size_t line_length = random() % 2 * 76;
    std::string bytes;
    for (unsigned length = random() % 300; length > 0; --length) {
      bytes += static_cast<char>(random());
    }
    std::string whole;
    BinaryTextEncoder at_once(form, line_length);
    at_once.update(bytes, whole);
    at_once.finish(whole);

    std::string pieces;
    BinaryTextEncoder encoder(form, line_length);
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), random() % 9);
      encoder.update(rest.substr(0, size), pieces);
      rest.remove_prefix(size);
    }
    encoder.finish(pieces);
    ASSERT_EQ(pieces, whole) << "seed " << seed;

    std::string back;
    BinaryTextDecoder decoder(form, Strictness::skip_space);
    for (std::string_view rest = whole; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), random() % 9);
      ASSERT_TRUE(decoder.update(rest.substr(0, size), back));
      rest.remove_prefix(size);
    }
    ASSERT_TRUE(decoder.finish(back));
    ASSERT_EQ(back, bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir::text
