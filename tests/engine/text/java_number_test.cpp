#include "engine/text/java_number.h"

#include <gtest/gtest.h>

namespace weir::text {
namespace {

TEST(JavaNumber, PrintsDoublesAsJava) {
  EXPECT_EQ(double_to_string(1e7), "1.0E7");
}

}  // namespace
}  // namespace weir::text
