#include "processors/content/compress_content.h"

#include <gtest/gtest.h>

#include <random>

#include "processors/content/codec.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;

std::string convert(const std::string& mode, const std::string& format, std::string content,
                    const std::string& relationship = "success") {
  TestBench bench(compress_content(), {{"Mode", mode}, {"Compression Format", format}});
  bench.enqueue(std::move(content));
  bench.run();
  const auto outputs = bench.outputs(relationship);
  EXPECT_EQ(outputs.size(), 1u) << format << " " << mode;
  return outputs.empty() ? "" : outputs[0].content;
}

std::string sample(std::size_t size) {
  std::minstd_rand random(7);
  std::string content;
  while (content.size() < size) content += "line " + std::to_string(random() % 5000) + "\n";
  content.resize(size);
  return content;
}

TEST(CompressContent, EveryFormatGoesThereAndBack) {
  for (const CompressionFormat& format : compression_formats()) {
    if (!format.decompressor) continue;
    for (const std::size_t size : {0, 1, 1000, 65'536, 65'537, 700'000}) {
      const std::string content = sample(size);
      const std::string compressed = convert("compress", format.name, content);
      if (size > 1000) {
        EXPECT_LT(compressed.size(), size) << format.name;
      }
      EXPECT_TRUE(convert("decompress", format.name, compressed) == content)
          << format.name << " of " << size;
    }
  }
}

TEST(CompressContent, CutOrFlippedDataFailsOrDiffersButNeverCrashes) {
  for (const CompressionFormat& format : compression_formats()) {
    if (!format.decompressor) continue;
    const std::string compressed = convert("compress", format.name, sample(5000));
    const std::string cut = compressed.substr(0, compressed.size() / 2);
    EXPECT_EQ(convert("decompress", format.name, cut, "failure"), cut) << format.name;
    for (std::size_t at = 0; at < compressed.size(); at += 1 + compressed.size() / 100) {
      std::string flipped = compressed;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
      TestBench bench(compress_content(),
                      {{"Mode", "decompress"}, {"Compression Format", format.name}});
      bench.enqueue(flipped);
      bench.run();
      EXPECT_FALSE(bench.last_error());
      EXPECT_EQ(bench.count("success") + bench.count("failure"), 1u);
    }
  }
}

TEST(CompressContent, BytesBehindTheEndCountAsInNiFi) {
  for (const char* format : {"deflate", "lzma"}) {
    EXPECT_EQ(convert("decompress", format, convert("compress", format, "x") + "rest"), "x");
  }
  for (const char* format : {"gzip", "bzip2", "xz-lzma2", "zstd", "brotli", "lz4-framed"}) {
    const std::string content = convert("compress", format, "x") + "rest";
    EXPECT_EQ(convert("decompress", format, content, "failure"), content) << format;
  }
}

TEST(CompressContent, NothingAtAllIsNoCompressedContentButForZstd) {
  EXPECT_EQ(convert("decompress", "zstd", ""), "");
  for (const CompressionFormat& format : compression_formats()) {
    if (!format.decompressor || format.name == "zstd") continue;
    convert("decompress", format.name, "", "failure");
  }
}

TEST(CompressContent, ARawSnappyBlockThatLiesAboutItsSizeTakesNoMemory) {
  const std::string claims_4_gib("\xff\xff\xff\xff\x0f\x00x", 7);
  EXPECT_EQ(convert("decompress", "snappy", claims_4_gib, "failure"), claims_4_gib);
}

TEST(CompressContent, AnExtensionIsTakenOffInCapitalsToo) {
  TestBench bench(
      compress_content(),
      {{"Mode", "decompress"}, {"Compression Format", "gzip"}, {"Update Filename", "true"}});
  bench.enqueue(convert("compress", "gzip", "x"), {{"filename", "A.GZ"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success").at(0).attribute("filename"), "A");
}

TEST(CompressContent, DamageIsNamed) {
  TestBench bench(compress_content(), {{"Mode", "decompress"}, {"Compression Format", "gzip"}});
  bench.enqueue("none at all");
  bench.run();
  EXPECT_NE(bench.outputs("failure").at(0).attribute("compressContent.error").find("no valid gzip"),
            std::string::npos);
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
}

TEST(CompressContent, NamesAndTypesFollow) {
  TestBench bench(compress_content(),
                  {{"Compression Format", "zstd"}, {"Update Filename", "true"}});
  bench.enqueue("x", {{"filename", "a"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success")[0].attribute("filename"), "a.zst");
  EXPECT_EQ(bench.outputs("success")[0].attribute("mime.type"), "application/zstd");
}

TEST(CompressContent, ByMimeType) {
  TestBench bench(compress_content(), {{"Mode", "decompress"}});
  bench.enqueue("no type");
  bench.enqueue("other", {{"mime.type", "text/plain"}});
  bench.enqueue(convert("compress", "gzip", "zipped"), {{"mime.type", "application/gzip"}});
  bench.run(3);
  ASSERT_EQ(bench.count("success"), 2u);
  EXPECT_EQ(bench.outputs("success")[0].content, "other");
  EXPECT_EQ(bench.outputs("success")[1].content, "zipped");
  EXPECT_EQ(bench.outputs("failure")[0].content, "no type");
}

TEST(CompressContent, HadoopSnappyOnlyCompresses) {
  TestBench bench(compress_content(),
                  {{"Mode", "decompress"}, {"Compression Format", "snappy-hadoop"}});
  EXPECT_FALSE(bench.validate().empty());
  EXPECT_FALSE(convert("compress", "snappy-hadoop", "x").empty());
}

}  // namespace
}  // namespace weir::processors
