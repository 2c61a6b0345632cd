#include "processors/json/json_content.h"

#include <gtest/gtest.h>

namespace weir::processors {
namespace {

TEST(JsonScratchPool, GivesTheSameScratchAgain) {
  JsonScratchPool pool;
  JsonScratch* first = nullptr;
  {
    const auto lease = pool.take();
    first = &*lease;
    const auto other = pool.take();
    EXPECT_NE(&*other, first);
  }
  const auto lease = pool.take();
  EXPECT_EQ(&*lease, first);
}

}  // namespace
}  // namespace weir::processors
