#include "processors/archive/unpack_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "processors/archive/package_flow_file.h"
#include "processors/archive/unpacking.h"
#include "processors/archive/zip_writer.h"
#include "tests/processors/archive/archive_samples.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using testing::HasSubstr;

constexpr char error_attribute[] = "unpackContent.error";

bench::Values with_format(const std::string& format, bench::Values properties) {
  properties["Packaging Format"] = format;
  return properties;
}

// One content, unpacked.
struct Unpacked : TestBench {
  Unpacked(const std::string& format, std::string content, bench::Values properties = {})
      : TestBench(unpack_content(), with_format(format, std::move(properties))) {
    enqueue(std::move(content), {{"filename", "archive." + format}});
    run();
    EXPECT_FALSE(last_error());
  }
};

// Nothing but the unchanged original comes out, with a reason.
void expect_failure(const std::string& format, const std::string& content,
                    const std::string& reason, bench::Values properties = {}) {
  const Unpacked bench(format, content, std::move(properties));
  ASSERT_EQ(bench.count("failure"), 1u) << format;
  EXPECT_EQ(bench.count("success") + bench.count("original"), 0u);
  EXPECT_TRUE(bench.outputs("failure")[0].content == content);
  EXPECT_THAT(bench.outputs("failure")[0].attribute(error_attribute), HasSubstr(reason));
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
}

std::string zipped(const std::string& name, InputStream& content, int level) {
  TextOutput out;
  BufferedOutput buffered(out);
  ZipWriter zip(buffered, level, 0);
  zip.add(name, content.size(), content);
  zip.finish();
  buffered.flush();
  return out.text;
}

std::string zeros_in_a_zip(std::uint64_t bytes) {
  // Without the bytes ever being there.
  class Zeros : public InputStream {
   public:
    explicit Zeros(std::uint64_t size) : size_(size) {}
    std::size_t read(std::span<std::byte> out) override {
      const std::size_t count = std::min<std::uint64_t>(out.size(), size_ - position_);
      std::fill_n(out.begin(), count, std::byte{0});
      position_ += count;
      return count;
    }
    std::uint64_t size() const override { return size_; }
    std::uint64_t position() const override { return position_; }
    void seek(std::uint64_t position) override { position_ = position; }

   private:
    std::uint64_t size_;
    std::uint64_t position_ = 0;
  } zeros(bytes);
  return zipped("zeros", zeros, 9);
}

TEST(UnpackContent, NamesThatPointOutsideStayNames) {
  const std::string tar = sample_tar({{"../../etc/passwd", "x"}, {"/abs", "y"}, {"a/../b", "z"}});
  const Unpacked bench("tar", tar);
  ASSERT_EQ(bench.count("success"), 3u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("path"), "../../etc/");
  EXPECT_EQ(bench.outputs("success")[0].attribute("filename"), "passwd");
  EXPECT_EQ(bench.outputs("success")[0].attribute("absolute.path"), "");
  EXPECT_EQ(bench.outputs("success")[1].attribute("path"), "//");
  EXPECT_EQ(bench.outputs("success")[2].attribute("path"), "a/../");
}

TEST(UnpackContent, LinksAreEmptyFilesAndFoldersNothing) {
  const Unpacked bench("tar", sample_tar({{"d/"}, {"d/link", "", "/etc/passwd"}, {"d/file", "x"}}));
  ASSERT_EQ(bench.count("success"), 2u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("filename"), "link");
  EXPECT_EQ(bench.outputs("success")[0].content, "");
  EXPECT_EQ(bench.outputs("success")[1].content, "x");
}

TEST(UnpackContent, ATarCutOffWithinAContentFailsAsAWhole) {
  const std::string tar = sample_tar({{"a", std::string(2000, 'a')}, {"b", "bb"}});
  const Unpacked in_header("tar", tar.substr(0, 2700));
  EXPECT_EQ(in_header.count("success"), 1u);
  EXPECT_EQ(in_header.count("original"), 1u);
  for (const std::size_t size : {100, 600, 1500, 2100, 2530, 3073}) {
    expect_failure("tar", tar.substr(0, size), "");
  }
  expect_failure("tar", std::string(600, 'x'), "");
}

TEST(UnpackContent, AZipCutOffBetweenEntriesGivesThoseBefore) {
  const std::string zip = sample_zip({{"a", "AAA"}, {"b", "BBB"}});
  const std::size_t second = zip.find("PK\x03\x04", 4);
  const Unpacked bench("zip", zip.substr(0, second + 10));
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].content, "AAA");
  EXPECT_EQ(bench.outputs("success")[0].attribute("fragment.count"), "1");
  EXPECT_EQ(Unpacked("zip", zip.substr(0, second + 30)).count("success"), 1u);
  expect_failure("zip", zip.substr(0, 20), "");
  expect_failure("zip", zip.substr(0, second - 18), "");
  expect_failure("zip", zip.substr(0, second) + std::string(100, 'x'), "");
}

TEST(UnpackContent, AWrongChecksumFails) {
  TextInput content("AAAAAAAAAA");
  std::string zip = zipped("a", content, 0);
  zip[zip.find("AAA")] = 'B';
  expect_failure("zip", zip, "CRC");
}

TEST(UnpackContent, DamagedBytesNeverDoMoreThanFail) {
  const std::string archives[] = {sample_zip({{"a", "AAAAAAAAAA"}, {"b", "BBB"}}),
                                  sample_tar({{"a", "AAA"}, {"b", "BBB"}})};
  for (const std::string& archive : archives) {
    for (std::size_t at = 0; at < archive.size(); at += 1 + archive.size() / 200) {
      std::string damaged = archive;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
      const bool is_zip = &archive == archives;
      const Unpacked bench(is_zip ? "zip" : "tar", damaged);
      EXPECT_EQ(bench.count("original") + bench.count("failure"), 1u);
    }
  }
}

TEST(UnpackContent, NothingThatMatchesIsFailure) {
  const std::string zip = sample_zip({{"a", "AAA"}});
  expect_failure("zip", zip, "no entry that matches", {{"File Filter", "^b"}});
  expect_failure("zip", sample_zip({{"d/"}}), "no entry that matches");
  expect_failure("zip", sample_zip({}), "");
  expect_failure("tar", std::string(1024, '\0'), "");
}

TEST(UnpackContent, AnExplodingFilterFails) {
  std::string name(5000, 'a');
  name += '!';
  const std::string zip = sample_zip({{name, "x"}});
  expect_failure("zip", zip, "", {{"File Filter", "^(a|aa|a?)*(a|aa)*$"}});
}

TEST(UnpackContent, ABombFailsBeforeItFillsTheDisk) {
  // One that stays below the bound passes, whatever its ratio.
  EXPECT_EQ(Unpacked("zip", zeros_in_a_zip(1 << 20)).count("success"), 1u);
  const std::string bomb = zeros_in_a_zip(300ull << 20);
  EXPECT_LT(bomb.size(), 500'000u);
  expect_failure("zip", bomb, "more than 200 times as many");
  // Also where nobody wants the entry: its end has to be looked for.
  expect_failure("zip", bomb, "more than 200 times as many", {{"File Filter", "other"}});
}

TEST(UnpackContent, TooManyEntriesFail) {
  bench::World world;
  UnpackSettings settings;
  settings.limits.most_children = 3;
  world.relationships = {"failure"};
  for (const std::size_t entries : {3, 4}) {
    std::vector<SampleEntry> samples;
    for (std::size_t i = 0; i < entries; ++i) samples.push_back({std::to_string(i), "x"});
    bench::MemorySession session(world);
    const FlowFile source = session.create();
    session.write(source, [&](OutputStream& out) { out.write(sample_tar(samples)); });
    Unpacking unpacking(session, source, settings, "id");
    if (entries == 3) {
      unpacking.run(PackagingFormat::tar);
    } else {
      EXPECT_THROW(unpacking.run(PackagingFormat::tar), EntryLimitExceeded);
    }
    EXPECT_EQ(unpacking.children().size(), 3u);
  }
}

TEST(UnpackContent, AttributesOfAllEntriesTogetherAreBounded) {
  bench::World world;
  UnpackSettings settings;
  settings.limits.most_attribute_bytes = 1000;
  bench::MemorySession session(world);
  const FlowFile source = session.create();
  session.write(source, [&](OutputStream& out) {
    out.write(sample_tar({{std::string(400, 'a')}, {std::string(400, 'b')}, {"c"}}));
  });
  Unpacking unpacking(session, source, settings, "id");
  EXPECT_THROW(unpacking.run(PackagingFormat::tar), EntryLimitExceeded);
}

TEST(UnpackContent, EncryptedZipsNeedTheirPassword) {
  for (const auto& [options, method] :
       {std::pair{"zip:encryption=aes256", "AES"}, {"zip:encryption=zipcrypt", "ZIP_STANDARD"}}) {
    const std::string zip = sample_zip({{"a", "secret"}}, options, "open sesame");
    const Unpacked bench("zip", zip, {{"Password", "open sesame"}});
    ASSERT_EQ(bench.count("success"), 1u) << options;
    EXPECT_EQ(bench.outputs("success")[0].content, "secret");
    EXPECT_EQ(bench.outputs("success")[0].attribute("file.encryptionMethod"), method);
    expect_failure("zip", zip, "assphrase");
    expect_failure("zip", zip, "assphrase", {{"Password", "wrong"}});
  }
  const Unpacked plain("zip", sample_zip({{"a", "x"}}), {{"Password", "any"}});
  EXPECT_EQ(plain.count("success"), 1u);
}

TEST(UnpackContent, StoredEntriesWithDescriptorOnlyWhereAllowed) {
  const std::string zip = sample_zip({{"a", "stored"}}, "zip:compression=store");
  expect_failure("zip", zip, "stored with its size behind it");
  const Unpacked bench("zip", zip, {{"allow-stored-entries-wdd", "true"}});
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].content, "stored");
}

TEST(UnpackContent, NamesInTheCharacterSetOfTheZip) {
  TextInput content("x");
  std::string bytes = zipped("dir\\\x81.txt", content, 1);
  bytes[7] = '\0';  // no UTF-8
  const Unpacked bench("zip", bytes, {{"Filename Character Set", "IBM437"}});
  ASSERT_EQ(bench.count("success"), 1u);
  EXPECT_EQ(bench.outputs("success")[0].attribute("filename"), "\xc3\xbc.txt");
  EXPECT_EQ(bench.outputs("success")[0].attribute("path"), "dir");
}

// R074: the format of one FlowFile was kept in the processor and used for the next.
TEST(UnpackContent, DoesNotTakeTheFormatOfTheFlowFileBefore) {
  TestBench packer(package_flow_file());
  packer.enqueue("packed", {{"filename", "p"}});
  packer.run();
  const std::string contents[] = {sample_zip({{"z", "zipped"}}), sample_tar({{"t", "tarred"}}),
                                  packer.outputs("success")[0].content};
  const std::string types[] = {"application/zip", "application/tar", "application/flowfile-v3"};
  const std::string wanted[] = {"zipped", "tarred", "packed"};
  TestBench bench(unpack_content());
  constexpr int rounds = 60;
  for (int i = 0; i < rounds; ++i) {
    const int kind = i * 7 % 5 % 3;
    bench.enqueue(contents[kind], {{"mime.type", types[kind]}, {"wanted", wanted[kind]}});
  }
  bench.run(rounds);
  ASSERT_EQ(bench.count("success"), static_cast<std::size_t>(rounds));
  for (const auto& output : bench.outputs("success")) {
    EXPECT_EQ(output.content, output.attribute("wanted"));
  }
}

// The same with 8 threads that share the settings, as the tasks of one processor do.
TEST(UnpackContent, TasksDoNotDisturbEachOther) {
  const std::string contents[] = {sample_zip({{"z", "zipped"}}), sample_tar({{"t", "tarred"}}),
                                  sample_tar({{"u", std::string(200'000, 'u')}})};
  constexpr PackagingFormat formats[] = {PackagingFormat::zip, PackagingFormat::tar,
                                         PackagingFormat::tar};
  UnpackSettings settings;
  settings.file_filter = *Pattern::compile("^[tuz]$");
  std::atomic<int> wrong = 0;
  const auto work = [&](int seed) {
    bench::World world;
    for (int i = 0; i < 125; ++i) {
      const int kind = (i * 7 + seed) % 3;
      bench::MemorySession session(world);
      const FlowFile source = session.create();
      session.write(source, [&](OutputStream& out) { out.write(contents[kind]); });
      Unpacking unpacking(session, source, settings, "id");
      unpacking.run(formats[kind]);
      const std::size_t sizes[] = {6, 6, 200'000};
      const auto& children = unpacking.children();
      if (children.size() != 1 || children[0].size() != sizes[kind]) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(UnpackContent, DamagedPackagesFail) {
  TestBench packer(package_flow_file());
  packer.enqueue("packed");
  packer.run();
  const std::string package = packer.outputs("success")[0].content;
  expect_failure("flowfile-stream-v3", package.substr(0, package.size() - 2), "ends within");
  expect_failure("flowfile-stream-v3", package + package.substr(0, 20), "ends too early");
  expect_failure("flowfile-stream-v3", package + "x", "ends too early");
  expect_failure("flowfile-stream-v2", package, "");
  expect_failure("flowfile-tar-v1", package, "");
}

}  // namespace
}  // namespace weir::processors
