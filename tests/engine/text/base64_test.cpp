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

// Each character at each place of texts long enough for every way of decoding.
TEST(Base64, TakesEachSymbolAndNothingElseAtEveryPlace) {
  const std::string symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const std::size_t size : {4u, 44u, 76u, 104u, 130u, 131u}) {
    std::string text;
    while (text.size() < size) text += symbols[text.size() * 7 % symbols.size()];
    for (std::size_t at = 0; at < size; ++at) {
      const char before = text[at];
      for (int c = 0; c < 256; ++c) {
        text[at] = static_cast<char>(c);
        const auto bytes = base64_decode(text);
        if (symbols.find(text[at]) == std::string::npos) {
          // Padding is right at the very end of whole groups only.
          if (c == '=' && at + 1 == size && size % 4 == 0) continue;
          ASSERT_FALSE(bytes) << size << ' ' << at << ' ' << c;
          if (c != '=') {
            ASSERT_EQ(bytes.error().offset, at);
          }
          continue;
        }
        ASSERT_TRUE(bytes) << size << ' ' << at << ' ' << c;
        ASSERT_EQ(bytes->size(), base64_decoded_size(text));
        std::string again = base64_encode(*bytes);
        if (size % 4 != 0) {  // the last symbol's spare bits are lost
          again.resize(size - 1);
          ASSERT_EQ(again, text.substr(0, size - 1));
        } else {
          ASSERT_EQ(again, text);
        }
      }
      text[at] = before;
    }
  }
}

TEST(Base64, WritesNothingBehindTheBytes) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string bytes(size, '\xA5');
    const std::string text = base64_encode(bytes);
    ASSERT_EQ(base64_decoded_size(text), size);
    std::string out(size + 64, '#');
    ASSERT_EQ(base64_decode(text, out.data()), size);
    ASSERT_EQ(out, bytes + std::string(64, '#'));
  }
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
