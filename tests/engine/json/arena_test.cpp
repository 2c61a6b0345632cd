#include "engine/json/arena.h"

#include <gtest/gtest.h>

namespace weir::json {
namespace {

TEST(Arena, MemoryIsReused) {
  Arena arena;
  void* const first = arena.allocate(100);
  arena.clear();
  EXPECT_EQ(arena.allocate(100), first);
}

TEST(Arena, LargeBlocksAreGivenBack) {
  Arena arena;
  for (int i = 0; i < 100; ++i) std::memset(arena.allocate(1'000'000), 1, 1'000'000);
  arena.clear();
  EXPECT_EQ(arena.copy("abc"), "abc");
  EXPECT_EQ(arena.copy(""), "");
}

}  // namespace
}  // namespace weir::json
