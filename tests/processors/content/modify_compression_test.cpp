#include "processors/content/modify_compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/content/codec.h"
#include "processors/content/compress_content.h"
#include "processors/support/expansion.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using testing::HasSubstr;

constexpr char input[] = "Input Compression Strategy";
constexpr char output[] = "Output Compression Strategy";

std::string compressed(const std::string& format, const std::string& content) {
  const auto codec = find_compression_format(format)->compressor(1);
  std::string out;
  const CodecSink sink = [&](std::span<const std::byte> data) {
    out.append(reinterpret_cast<const char*>(data.data()), data.size());
  };
  codec->update(std::as_bytes(std::span(content.data(), content.size())), sink);
  codec->finish(sink);
  return out;
}

// A compressed content that is nothing but zeros.
std::string zeros(const std::string& format, std::uint64_t size) {
  const auto codec = find_compression_format(format)->compressor(9);
  std::string out;
  const CodecSink sink = [&](std::span<const std::byte> data) {
    out.append(reinterpret_cast<const char*>(data.data()), data.size());
  };
  const std::vector<std::byte> piece(1 << 20);
  for (std::uint64_t done = 0; done < size; done += piece.size()) codec->update(piece, sink);
  codec->finish(sink);
  return out;
}

TEST(ModifyCompression, FromEachFormatToAnother) {
  const std::string content(100'000, 'c');
  std::string before = "gzip";
  for (const char* after : {"zstd", "bzip2", "xz-lzma2", "lzma", "snappy", "snappy framed",
                            "deflate", "lz4-framed", "brotli", "gzip"}) {
    const auto spelled = [](std::string name) {
      return name == "snappy framed" ? "snappy-framed" : name;
    };
    TestBench bench(modify_compression(), {{input, spelled(before)}, {output, spelled(after)}});
    EXPECT_TRUE(bench.validate().empty());
    bench.enqueue(compressed(before, content),
                  {{"filename", "a" + find_compression_format(before)->extension}});
    bench.run();
    ASSERT_EQ(bench.count("success"), 1u) << before << " to " << after;
    const Output got = bench.outputs("success")[0];
    EXPECT_EQ(got.attribute("filename"), "a" + find_compression_format(after)->extension);
    EXPECT_EQ(got.attribute("mime.type"), find_compression_format(after)->mime_type);
    TestBench back(compress_content(), {{"Mode", "decompress"}, {"Compression Format", after}});
    back.enqueue(got.content);
    back.run();
    EXPECT_TRUE(back.outputs("success").at(0).content == content) << after;
    before = after;
  }
}

TEST(ModifyCompression, ByMimeTypeOrNotAtAll) {
  TestBench bench(modify_compression(), {{input, "use mime.type attribute"}});
  bench.enqueue(compressed("xz-lzma2", "x"), {{"mime.type", "application/x-xz"}});
  bench.enqueue("plain", {{"mime.type", "text/plain"}});
  bench.enqueue("x", {{"mime.type", "application/x-snappy-hadoop"}});
  bench.enqueue("plain");
  bench.run(4);
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].content, "x");
  EXPECT_FALSE(bench.outputs("success")[0].attributes.contains("mime.type"));
  EXPECT_EQ(bench.count("failure"), 3u);
}

TEST(ModifyCompression, WithoutAnyCompressionOnlyTheTypeGoes) {
  TestBench bench(modify_compression());
  bench.enqueue("x", {{"filename", "a.gz"}, {"mime.type", "text/plain"}});
  bench.run();
  EXPECT_EQ(bench.outputs("success").at(0).content, "x");
  EXPECT_EQ(bench.outputs("success").at(0).attribute("filename"), "a.gz");
  EXPECT_FALSE(bench.outputs("success").at(0).attributes.contains("mime.type"));
}

TEST(ModifyCompression, DamageFailsWithItsReason) {
  TestBench bench(modify_compression(), {{input, "gzip"}, {output, "zstd"}});
  const std::string whole = compressed("gzip", "content");
  bench.enqueue(whole.substr(0, whole.size() - 3), {{"filename", "a.GZ"}});
  bench.enqueue("none at all");
  bench.run(2);
  ASSERT_EQ(bench.count("failure"), 2u);
  EXPECT_EQ(bench.outputs("failure")[0].content, whole.substr(0, whole.size() - 3));
  EXPECT_THAT(bench.outputs("failure")[0].attribute("modifyCompression.error"),
              HasSubstr("ends too early"));
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 2u);
}

TEST(ModifyCompression, ABombFailsBeforeItFillsTheDisk) {
  const std::string bomb = zeros("gzip", 300 << 20);
  TestBench bench(modify_compression(), {{input, "gzip"}, {output, "zstd"}});
  bench.enqueue(bomb);
  bench.run();
  ASSERT_EQ(bench.count("failure"), 1u);
  EXPECT_THAT(bench.outputs("failure")[0].attribute("modifyCompression.error"),
              HasSubstr("more than 200 times as many"));
}

TEST(CompressContent, ABombFailsBeforeItFillsTheDisk) {
  for (const char* format : {"gzip", "zstd"}) {
    TestBench bench(compress_content(), {{"Mode", "decompress"}, {"Compression Format", format}});
    bench.enqueue(zeros(format, 300 << 20));
    bench.run();
    ASSERT_EQ(bench.count("failure"), 1u) << format;
    EXPECT_THAT(bench.outputs("failure")[0].attribute("compressContent.error"),
                HasSubstr("more than 200 times as many"));
  }
}

TEST(Expansion, OnlyWhatIsLargeAndGrewMuchIsABomb) {
  EXPECT_NO_THROW(check_expansion(1, free_expansion_bytes));
  EXPECT_THROW(check_expansion(1, free_expansion_bytes + 1), ExpansionLimitExceeded);
  EXPECT_NO_THROW(check_expansion(std::uint64_t{10} << 30, std::uint64_t{1000} << 30));
  EXPECT_THROW(check_expansion(std::uint64_t{10} << 20, std::uint64_t{3} << 30),
               ExpansionLimitExceeded);
}

}  // namespace
}  // namespace weir::processors
