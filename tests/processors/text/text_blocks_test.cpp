#include "processors/text/text_blocks.h"

#include <gtest/gtest.h>

#include <cstring>

#include "processors/text/text_lines.h"
#include "tests/processors/text/text_bench.h"

namespace weir::processors {
namespace {

// Gives at most so many bytes a read.
class SlowStream : public InputStream {
 public:
  SlowStream(std::string bytes, std::size_t most) : bytes_(std::move(bytes)), most_(most) {}
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = std::min({out.size(), most_, bytes_.size() - at_});
    std::memcpy(out.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::uint64_t size() const override { return bytes_.size(); }
  std::uint64_t position() const override { return at_; }
  void seek(std::uint64_t position) override { at_ = position; }

 private:
  std::string bytes_;
  std::size_t most_;
  std::size_t at_ = 0;
};

// The lines of all blocks; each block but the last must end with a line end.
Strings lines_of(const std::string& bytes, std::size_t most, const char* character_set = "UTF-8") {
  SlowStream in(bytes, most);
  TextBlocks blocks(in, *text::CharacterSet::find(character_set), 1 << 20);
  Strings lines;
  EXPECT_FALSE(blocks.is_last() && !bytes.empty());
  for (std::string_view block = blocks.next(); !block.empty(); block = blocks.next()) {
    LineCursor cursor(block);
    for (TextLine line; cursor.next(line);) lines.emplace_back(line.text);
    EXPECT_TRUE(blocks.is_last() || block.ends_with('\n') || block.ends_with('\r'));
  }
  EXPECT_TRUE(blocks.is_last());
  return lines;
}

// By the rule, a character at a time.
Strings plain_lines(const std::string& text) {
  Strings lines;
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    line += text[i];
    const bool is_cr = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
    if (text[i] != '\n' && !is_cr) continue;
    lines.push_back(line);
    line.clear();
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

TEST(TextBlocks, GiveTheLinesOfAnyBytesHoweverTheyAreRead) {
  const Strings pieces = {"a", "\n",   "\r",       "\r\n", "\xC3\xA9",        "\xC3",
                          "b", "\xFF", "\xE2\x82", "\x80", "\xF0\x9F\x98\x80"};
  std::uint64_t seed = 11;
  for (int round = 0; round < 400; ++round) {
    std::string bytes;
    for (int i = 0; i < 30; ++i) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      bytes += pieces[(seed >> 40) % pieces.size()];
    }
    for (const std::size_t most : {1, 2, 3, 7, 1000}) {
      ASSERT_EQ(lines_of(bytes, most), plain_lines(text::repair_utf8(bytes))) << round;
    }
  }
}

TEST(TextBlocks, LongTextsOfEachCharacterSet) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "line \u00e9 " + std::to_string(i) + "\r\n";
  const Strings wanted = plain_lines(text);
  for (const char* name : {"UTF-8", "ISO-8859-1", "UTF-16", "UTF-16LE", "windows-1252"}) {
    const std::string bytes = text::encode(text, *text::CharacterSet::find(name));
    EXPECT_TRUE(lines_of(bytes, 50'000, name) == wanted) << name;
    EXPECT_TRUE(lines_of(bytes, 4'099, name) == wanted) << name;
  }
  // One bad byte in the middle: what comes after it is decoded all the same.
  std::string damaged = text;
  damaged[damaged.size() / 2] = '\xFF';
  EXPECT_TRUE(lines_of(damaged, 50'000) == plain_lines(text::repair_utf8(damaged)));
}

TEST(TextBlocks, ALineMayBeAsLongAsTheLimit) {
  const auto fits = [](const std::string& bytes) {
    SlowStream in(bytes, 10'000);
    TextBlocks blocks(in, text::CharacterSet::utf8(), 8192);
    try {
      std::string all;
      for (std::string_view block = blocks.next(); !block.empty(); block = blocks.next()) {
        all += block;
      }
      EXPECT_TRUE(all == bytes);
      return true;
    } catch (const LineTooLong&) {
      return false;
    }
  };
  EXPECT_TRUE(fits("a\n" + repeated(8191, 'x') + "\nb"));
  EXPECT_FALSE(fits("a\n" + repeated(8192, 'x') + "\nb"));
  std::string wide;
  for (int i = 0; i < 8191; ++i) wide += "\u20ac";
  EXPECT_TRUE(fits(wide + "\n" + wide + "\n"));
  EXPECT_FALSE(fits("a\n" + wide + "\u20ac\n"));
}

TEST(TextBlocks, TheLimitOfNiFisLineReader) {
  EXPECT_EQ(line_buffer_units(8), 8192u);
  EXPECT_EQ(line_buffer_units(20'000), 16384u);
  EXPECT_EQ(line_buffer_units(1u << 20), 1u << 20);
  EXPECT_EQ(line_buffer_units((5u << 20) + 7), 5u << 20);
}

TEST(TextLines, FindBytesIsMemmem) {
  std::uint64_t seed = 3;
  const auto text_of = [&](std::size_t length) {
    std::string text;
    while (text.size() < length) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      text += static_cast<char>('a' + (seed >> 40) % 3);
    }
    return text;
  };
  for (std::size_t length = 0; length < 400; ++length) {
    const std::string text = text_of(length);
    for (const std::size_t size : {1, 2, 4, 6}) {
      const std::string what = text_of(size);
      for (std::size_t from = 0; from <= length; from += 1 + length / 5) {
        ASSERT_EQ(find_bytes(text, what, from), text.find(what, from)) << text << " " << what;
      }
    }
  }
}

}  // namespace
}  // namespace weir::processors
