#include "processors/kafka/records/demarcated_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace weir::processors::kafka {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Gives its text in small pieces.
class Text : public InputStream {
 public:
  Text(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t size = std::min({piece_, out.size(), text_.size() - position_});
    std::memcpy(out.data(), text_.data() + position_, size);
    position_ += size;
    return size;
  }
  std::uint64_t size() const override { return text_.size(); }
  std::uint64_t position() const override { return position_; }
  void seek(std::uint64_t position) override { position_ = position; }

 private:
  const std::string text_;
  const std::size_t piece_;
  std::size_t position_ = 0;
};

std::vector<std::string> records(const std::string& text, std::string_view demarcator,
                                 std::size_t piece = 3, std::size_t most = 100) {
  Text content(text, piece);
  DemarcatedReader reader(content, demarcator, most);
  std::vector<std::string> found;
  while (const auto record = reader.next()) found.emplace_back(*record);
  return found;
}

TEST(DemarcatedReader, SplitsWhereverPiecesEnd) {
  for (std::size_t piece = 1; piece < 20; ++piece) {
    EXPECT_THAT(records("one##two#three##four", "##", piece),
                ElementsAre("one", "two#three", "four"));
  }
}

TEST(DemarcatedReader, LeavesEmptyRecordsOut) {
  EXPECT_THAT(records("\na\n\n\nb\n", "\n"), ElementsAre("a", "b"));
  EXPECT_THAT(records("", "\n"), IsEmpty());
  EXPECT_THAT(records("\n\n", "\n"), IsEmpty());
}

TEST(DemarcatedReader, FindsADemarcatorBehindItsOwnBeginning) {
  for (std::size_t piece = 1; piece < 8; ++piece) {
    EXPECT_THAT(records("aaab", "aab", piece), ElementsAre("a"));
    EXPECT_THAT(records("x--", "---", piece), ElementsAre("x--"));
  }
}

TEST(DemarcatedReader, RefusesRecordsThatAreTooLarge) {
  for (std::size_t piece = 1; piece < 12; ++piece) {
    EXPECT_THAT(records("12345##12345", "##", piece, 5), ElementsAre("12345", "12345"));
    EXPECT_THROW(records("12345##123456", "##", piece, 5), ProcessException);
    EXPECT_THROW(records("123456##12345", "##", piece, 5), ProcessException);
  }
}

TEST(DemarcatedReader, GoesThroughMuchMoreThanItHolds) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + "\r\n";
  const auto found = records(text, "\r\n", 100'000);
  ASSERT_EQ(found.size(), 50'000u);
  EXPECT_EQ(found.back(), "49999");
}

}  // namespace
}  // namespace weir::processors::kafka
