#include "repositories/storage/codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace weir::storage {
namespace {

using Bytes = std::span<const std::byte>;

class CodecTest : public testing::Test {
 protected:
  std::vector<std::byte> bytes_;
  Encoder encoder_{bytes_};
};

TEST_F(CodecTest, ReadsBackTheLimitsOfEachType) {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  encoder_.u8(0xFF);
  encoder_.u32(0xFFFFFFFF);
  encoder_.u64(largest);
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                    std::uint64_t{1} << 63, largest}) {
    encoder_.varint(value);
  }
  for (const std::int64_t value : {lowest, std::int64_t{-1}, std::int64_t{0}, highest}) {
    encoder_.signed_varint(value);
  }
  encoder_.string("");
  encoder_.string(std::string("a\0b", 3));

  Decoder decoder(bytes_);
  EXPECT_EQ(decoder.u8(), 0xFF);
  EXPECT_EQ(decoder.u32(), 0xFFFFFFFF);
  EXPECT_EQ(decoder.u64(), largest);
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                    std::uint64_t{1} << 63, largest}) {
    EXPECT_EQ(decoder.varint(), value);
  }
  for (const std::int64_t value : {lowest, std::int64_t{-1}, std::int64_t{0}, highest}) {
    EXPECT_EQ(decoder.signed_varint(), value);
  }
  EXPECT_EQ(decoder.string(), "");
  EXPECT_EQ(decoder.string(), std::string("a\0b", 3));
  EXPECT_TRUE(decoder.at_end());
  EXPECT_THROW(decoder.u8(), DecodeError);
}

TEST_F(CodecTest, RefusesEachTruncation) {
  encoder_.u32(1);
  encoder_.varint(300);
  encoder_.string("hello");
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    Decoder decoder{Bytes(bytes_).first(size)};
    EXPECT_THROW(
        {
          decoder.u32();
          decoder.varint();
          decoder.string();
        },
        DecodeError)
        << size;
  }
}

TEST_F(CodecTest, RefusesAVarintOfMoreThan64Bits) {
  bytes_.assign(10, std::byte{0xFF});
  EXPECT_THROW(Decoder(bytes_).varint(), DecodeError);
  bytes_[9] = std::byte{0x02};
  EXPECT_THROW(Decoder(bytes_).varint(), DecodeError);
  bytes_[9] = std::byte{0x01};
  EXPECT_EQ(Decoder(bytes_).varint(), std::numeric_limits<std::uint64_t>::max());
  bytes_.assign(11, std::byte{0x80});
  EXPECT_THROW(Decoder(bytes_).varint(), DecodeError);
}

TEST_F(CodecTest, RefusesACountThatTheInputCannotHold) {
  encoder_.varint(3);
  encoder_.raw(std::vector<std::byte>(5));
  EXPECT_EQ(Decoder(bytes_).count(), 3U);
  EXPECT_THROW(Decoder(bytes_).count(2), DecodeError);
  bytes_.clear();
  encoder_.varint(std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(Decoder(bytes_).count(8), DecodeError);
  EXPECT_THROW(Decoder(bytes_).string(), DecodeError);
}

}  // namespace
}  // namespace weir::storage
