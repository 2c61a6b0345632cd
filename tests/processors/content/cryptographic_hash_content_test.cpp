#include "processors/content/cryptographic_hash_content.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

std::string hash(const std::string& algorithm, std::string content) {
  TestBench bench(cryptographic_hash_content(), {{"hash_algorithm", algorithm}});
  bench.enqueue(std::move(content));
  bench.run();
  return bench.outputs("success").at(0).attribute("content_" + algorithm);
}

TEST(CryptographicHashContent, PublishedExamples) {
  EXPECT_EQ(hash("MD2", "abc"), "da853b0d3f88d99b30283a69e6ded6bb");
  EXPECT_EQ(hash("MD2", ""), "8350e5a3e24c153df2275c9f80692773");
  EXPECT_EQ(hash("SHA-256", "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("BLAKE2-512", "abc").substr(0, 16), "ba80a53f981c4d0d");
  EXPECT_EQ(hash("SHA-1", std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(CryptographicHashContent, EveryAlgorithmWorks) {
  for (const auto& value :
       cryptographic_hash_content().find_property("hash_algorithm")->allowable_values) {
    EXPECT_GE(hash(value.value, "x").size(), 32u) << value.value;
  }
}

TEST(CryptographicHashContent, EmptyFailsWhereAsked) {
  TestBench bench(cryptographic_hash_content(), {{"fail_when_empty", "true"}});
  bench.enqueue("");
  bench.enqueue("x");
  bench.run(2);
  EXPECT_EQ(bench.count("failure"), 1u);
  EXPECT_EQ(bench.count("success"), 1u);
}

}  // namespace
}  // namespace weir::processors
