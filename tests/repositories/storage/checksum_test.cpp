#include "repositories/storage/checksum.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::storage {
namespace {

TEST(ChecksumTest, IsXxh3) {
  // The published value for no input; it is on disk, so it may never change.
  EXPECT_EQ(checksum({}), 0x2D06800538D394C2U);
}

TEST(ChecksumTest, PiecesGiveTheValueOfTheWhole) {
  std::vector<std::byte> data(5000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte(i * 7 >> 2);
  const std::span<const std::byte> whole(data);
  for (const std::uint64_t seed : {0ULL, 1ULL, 0xFFFFFFFFFFFFFFFFULL}) {
    StreamingChecksum sum(seed);
    for (const std::size_t size : {0U, 1U, 16U, 17U, 240U, 241U, 5000U}) {
      sum.reset();
      for (std::size_t at = 0; at < size; at += 13) {
        sum.update(whole.subspan(at, std::min<std::size_t>(13, size - at)));
      }
      EXPECT_EQ(sum.value(), checksum(whole.first(size), seed)) << size << " " << seed;
    }
  }
  EXPECT_NE(checksum(whole, 1), checksum(whole, 2));
}

}  // namespace
}  // namespace weir::storage
