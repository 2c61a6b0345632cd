#include "repositories/provenance/key_filter.h"

#include "tests/repositories/provenance/test_support.h"

namespace weir::provenance {
namespace {

using namespace test;

TEST(KeyFilter, NeverDeniesAKeyItHolds) {
  const auto start = seed(3);
  RecordProperty("seed", std::to_string(start));
  std::mt19937_64 random(start);
  KeyFilterBuilder builder;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{26},
                                  std::size_t{1000}, std::size_t{30000}}) {
    std::vector<std::uint64_t> keys{0};
    for (std::size_t i = 0; i < count; ++i) {
      keys.push_back(i % 2 == 0 ? random() : uuid_key(uuid(i)));
    }
    for (int twice = 0; twice < 2; ++twice) {
      for (const auto key : keys) builder.add(key);
    }
    const auto filter = builder.build();
    for (const auto key : keys) ASSERT_TRUE(may_contain(filter, key));
    EXPECT_LE(filter.size(), 64 + keys.size() * 10 / 8);
    EXPECT_EQ(builder.keys(), 0u);
  }
}

TEST(KeyFilter, DeniesMostOthers) {
  KeyFilterBuilder builder;
  for (std::uint64_t i = 0; i < 5000; ++i) builder.add(uuid_key(uuid(i)));
  const auto filter = builder.build();
  int wrong = 0;
  for (std::uint64_t i = 5000; i < 15000; ++i) wrong += may_contain(filter, uuid_key(uuid(i)));
  EXPECT_LT(wrong, 300);
}

TEST(KeyFilter, AttributesAreToldApart) {
  EXPECT_NE(attribute_key("a", "bc"), attribute_key("ab", "c"));
  EXPECT_NE(attribute_key("a", "b"), attribute_key("b", "a"));
}

}  // namespace
}  // namespace weir::provenance
