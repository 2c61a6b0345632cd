#include "processors/kinesis/line_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "tests/processors/kinesis/buffer_fixture.h"

namespace weir::processors::kinesis::test {
namespace {

TEST(LineBuffer, ALongLineAsksForRoomAndGivesItBack) {
  LineBuffer buffer(64);
  const auto room = buffer.room();
  ASSERT_EQ(room.size(), LineBuffer::kSmallBytes);
  std::memset(room.data(), 'a', room.size());
  buffer.filled(room.size());
  EXPECT_EQ(buffer.next_line(), std::nullopt);
  EXPECT_TRUE(buffer.room().empty());
  EXPECT_EQ(buffer.large_bytes(), 0u);
  buffer.grow(40'000);
  EXPECT_EQ(buffer.large_bytes(), 40'000u);
  ASSERT_EQ(buffer.room().size(), 40'000 - LineBuffer::kSmallBytes);
  std::memcpy(buffer.room().data(), "b\ncd", 4);
  buffer.filled(4);
  std::string line(LineBuffer::kSmallBytes, 'a');
  line += 'b';
  EXPECT_EQ(buffer.next_line(), line);
  EXPECT_EQ(buffer.next_line(), std::nullopt);
  EXPECT_TRUE(buffer.shrink());
  EXPECT_EQ(buffer.large_bytes(), 0u);
  std::memcpy(buffer.room().data(), "e\n", 2);
  buffer.filled(2);
  EXPECT_EQ(buffer.next_line(), "cde");
}

TEST(LineBuffer, MoreThanTheSmallPartUnreadStays) {
  LineBuffer buffer(64);
  buffer.grow(40'000);
  std::memset(buffer.room().data(), 'a', 20'000);
  buffer.filled(20'000);
  EXPECT_EQ(buffer.next_line(), std::nullopt);
  EXPECT_FALSE(buffer.shrink());
  std::memcpy(buffer.room().data(), "\n", 1);
  buffer.filled(1);
  EXPECT_EQ(buffer.next_line(), std::string(20'000, 'a'));
}

TEST(LineBuffer, RandomLinesComeAsTheyWent) {
  std::mt19937_64 random(seed_of_run());
  for (std::uint64_t loop = 0; loop < loops(50); ++loop) {
    LineBuffer buffer(64);
    std::vector<std::string> lines(1 + random() % 40);
    std::string all;
    for (std::string& line : lines) {
      line.assign(random() % (random() % 4 == 0 ? 100'000 : 300), 'a');
      for (char& c : line) c = static_cast<char>('a' + random() % 26);
      all += line + '\n';
    }
    std::size_t seen = 0, sent = 0;
    while (sent < all.size()) {
      auto room = buffer.room();
      if (room.empty()) {
        buffer.grow(buffer.capacity_bytes() * 2);
        room = buffer.room();
      }
      const std::size_t size =
          std::min({room.size(), all.size() - sent, std::size_t(1 + random() % 20'000)});
      std::memcpy(room.data(), all.data() + sent, size);
      buffer.filled(size);
      sent += size;
      while (const auto line = buffer.next_line()) ASSERT_TRUE(*line == lines.at(seen++));
      if (random() % 2 == 0) static_cast<void>(buffer.shrink());
    }
    EXPECT_EQ(seen, lines.size());
  }
}

}  // namespace
}  // namespace weir::processors::kinesis::test
