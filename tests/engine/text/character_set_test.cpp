#include "engine/text/character_set.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/text/utf16.h"

namespace weir::text {
namespace {

using std::string_view_literals::operator""sv;

const CharacterSet& set(std::string_view name) {
  return *CharacterSet::find(name);
}

TEST(CharacterSet, FindsNamesAndAliases) {
  const std::pair<const char*, const char*> known[] = {{"utf8", "UTF-8"},
                                                       {"ASCII", "US-ASCII"},
                                                       {"latin1", "ISO-8859-1"},
                                                       {"UTF_16BE", "UTF-16BE"},
                                                       {"Cp1252", "windows-1252"},
                                                       {"windows-1251", "windows-1251"},
                                                       {"ISO-8859-15", "ISO-8859-15"},
                                                       {"shift_jis", "Shift_JIS"},
                                                       {"IBM037", "IBM037"},
                                                       {"GB18030", "GB18030"},
                                                       {"EUC-KR", "EUC-KR"}};
  for (const auto& [alias, name] : known) {
    ASSERT_NE(CharacterSet::find(alias), nullptr) << alias;
    EXPECT_EQ(set(alias).name(), name) << alias;
  }
  for (const char* name : {"", "nonsense", "utf 8", "\u00FC", "-x"}) {
    EXPECT_EQ(CharacterSet::find(name), nullptr) << name;
  }
  EXPECT_EQ(&set("UTF-8"), &CharacterSet::utf8());
  EXPECT_EQ(&set("Cp1252"), &set("windows-1252"));
}

TEST(CharacterSet, DecodesAndEncodes) {
  struct Case {
    std::string_view name, bytes, text;
  };
  const Case cases[] = {{"ISO-8859-1", "caf\xE9", "caf\u00E9"},
                        {"windows-1252", "\x80", "\u20AC"},
                        {"UTF-16BE", "\0a\xD8\x3D\xDE\x00"sv, "a\U0001F600"},
                        {"UTF-16LE", "a\0\x3D\xD8\x00\xDE"sv, "a\U0001F600"},
                        {"UTF-16", "\xFE\xFF\0a"sv, "a"},
                        {"Shift_JIS", "\x93\xFA\x96\x7B", "\u65E5\u672C"},
                        {"ISO-2022-JP", "\x1B$BF|K\\\x1B(B", "\u65E5\u672C"},
                        {"IBM037", "\xC1\xC2", "AB"},
                        {"ISO-8859-15", "\xA4\x85", "\u20AC\u0085"},
                        {"windows-1251", "\xCF\xF0 a", "\u041F\u0440 a"},
                        {"UTF-32BE", "\0\0\0a"sv, "a"}};
  for (const Case& c : cases) {
    EXPECT_EQ(decode(c.bytes, set(c.name)), c.text) << c.name;
    EXPECT_EQ(encode(c.text, set(c.name)), c.bytes) << c.name;
  }
  EXPECT_EQ(decode("\xFF\xFE"
                   "a\0"sv,
                   set("UTF-16")),
            "a");
  EXPECT_EQ(decode("\0a"sv, set("UTF-16")), "a");
  EXPECT_EQ(encode("A\U0001F600", set("IBM037")), "\xC1\x6F");
  EXPECT_EQ(encode("a\u0081", set("windows-1252")), "a?");
  EXPECT_EQ(encode("a", set("UTF-32")), "\0\0\0a"sv);
}

TEST(CharacterSet, ReplacesWhatIsMalformed) {
  Decoder decoder(set("UTF-8"));
  std::string out;
  decoder.update("ab\xFF\xE2\x82", out);
  decoder.finish(out);
  EXPECT_EQ(out, "ab\uFFFD\uFFFD");
  EXPECT_EQ(decoder.malformed_count(), 2u);
  EXPECT_EQ(decoder.first_malformed_offset(), 2u);
  EXPECT_EQ(decode("a\xFFz", set("US-ASCII")), "a\uFFFDz");
  EXPECT_EQ(decode("\xDC\x00\0a\0"sv, set("UTF-16BE")),
            "\uFFFD"
            "a\uFFFD");
  EXPECT_EQ(decode("\x81", set("windows-1252")), "\uFFFD");
}

TEST(CharacterSet, WritesAQuestionMarkForWhatASetDoesNotHave) {
  for (const char* name : {"US-ASCII", "ISO-8859-1", "windows-1251", "Shift_JIS"}) {
    Encoder encoder(set(name));
    std::string out;
    encoder.update("a\U0001F600z", out);
    encoder.finish(out);
    EXPECT_EQ(out, "a?z") << name;
    EXPECT_EQ(encoder.unmappable_count(), 1u) << name;
  }
}

TEST(CharacterSet, CutsOfTheStreamDoNotMatter) {
  const unsigned seed = 11;
  std::mt19937 random(seed);
  const char* const names[] = {"UTF-8",        "UTF-16", "UTF-16LE",  "ISO-8859-1", "US-ASCII",
                               "windows-1252", "IBM037", "Shift_JIS", "GB18030",    "ISO-2022-JP"};
  for (int i = 0; i < 1500; ++i) {
    const CharacterSet& character_set = set(names[random() % std::size(names)]);
    // Half are texts, half are bytes without sense.
    std::string bytes;
    for (unsigned length = random() % 60; length > 0; --length) {
      if (i % 2 == 0) {
        bytes += static_cast<char>(random());
      } else {
        append_code_point(bytes, random() % (random() % 2 ? 0x80 : 0x20000));
      }
    }
    const std::string text = decode(bytes, character_set);
    ASSERT_TRUE(is_valid_utf8(text)) << character_set.name();
    Decoder decoder(character_set);
    std::string pieces;
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), random() % 5);
      decoder.update(rest.substr(0, size), pieces);
      rest.remove_prefix(size);
    }
    decoder.finish(pieces);
    ASSERT_EQ(pieces, text) << character_set.name() << ", seed " << seed;

    Encoder encoder(character_set);
    std::string encoded;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), random() % 5);
      encoder.update(rest.substr(0, size), encoded);
      rest.remove_prefix(size);
    }
    encoder.finish(encoded);
    ASSERT_EQ(encoded, encode(text, character_set)) << character_set.name() << ", seed " << seed;
  }
}

TEST(Utf8, KnowsWhatIsWellFormed) {
  const std::pair<std::string_view, bool> cases[] = {
      {"", true},
      {"plain ascii that is longer than one word of eight bytes", true},
      {"\u00E9\u20AC\U0001F600", true},
      {"\xC0\x80", false},          // overlong
      {"\xE0\x80\x80", false},      // overlong
      {"\xED\xA0\x80", false},      // a surrogate
      {"\xF4\x90\x80\x80", false},  // past U+10FFFF
      {"\xE2\x82", false},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x80", false}};
  for (const auto& [bytes, valid] : cases) EXPECT_EQ(is_valid_utf8(bytes), valid) << bytes;
  EXPECT_EQ(valid_utf8_prefix("ab\u20AC\xE2\x82"), 5u);
}

TEST(Utf8, RepairsEachMaximalPart) {
  EXPECT_EQ(repair_utf8("a\xE2\x82z"), "a\uFFFDz");
  EXPECT_EQ(repair_utf8("\xF0\x9F\x98"), "\uFFFD");
  EXPECT_EQ(repair_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(repair_utf8("\xC0\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(repair_utf8("fine"), "fine");
}

}  // namespace
}  // namespace weir::text
