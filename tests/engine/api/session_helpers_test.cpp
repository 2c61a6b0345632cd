#include <gtest/gtest.h>

#include <cstring>

#include "engine/api/process_session.h"

namespace weir {
namespace {

// Hands its text out in pieces of three bytes.
class Trickle : public InputStream {
 public:
  explicit Trickle(std::string text) : text_(std::move(text)) {}
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = std::min({out.size(), text_.size() - at_, std::size_t{3}});
    std::memcpy(out.data(), text_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::uint64_t size() const override { return text_.size(); }
  std::uint64_t position() const override { return at_; }
  void seek(std::uint64_t position) override { at_ = position; }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

TEST(InputStream, ReadsAllThatIsLeft) {
  Trickle stream("0123456789");
  stream.seek(2);
  EXPECT_EQ(stream.read_all(), "23456789");
  EXPECT_EQ(stream.read_all(), "");
}

TEST(InputStream, ReadFullyIsShortOnlyAtTheEnd) {
  Trickle stream("0123456789");
  std::array<std::byte, 7> buffer;
  EXPECT_EQ(stream.read_fully(buffer), 7u);
  EXPECT_EQ(stream.read_fully(buffer), 3u);
  EXPECT_EQ(stream.read_fully(buffer), 0u);
}

}  // namespace
}  // namespace weir
