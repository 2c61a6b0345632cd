#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/archive/avro_container.h"
#include "processors/archive/instant.h"
#include "processors/archive/merge_content.h"
#include "processors/archive/tar_writer.h"
#include "processors/archive/unpack_content.h"
#include "tests/processors/archive/archive_samples.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using testing::HasSubstr;

constexpr char error_attribute[] = "mergeContent.error";

using FlowFiles = std::vector<std::pair<bench::Values, std::string>>;

bench::Values with_format(const std::string& format, std::size_t entries,
                          bench::Values properties) {
  properties["Merge Format"] = format;
  properties["Minimum Number of Entries"] = std::to_string(entries);
  return properties;
}

// Some FlowFiles, merged into one bundle.
struct Merged : TestBench {
  Merged(const std::string& format, const FlowFiles& flow_files, bench::Values properties = {})
      : TestBench(merge_content(), with_format(format, flow_files.size(), std::move(properties))) {
    for (const auto& [attributes, content] : flow_files) enqueue(content, attributes);
    run(2);
    EXPECT_FALSE(last_error());
  }
};

std::vector<Output> unpacked(const std::string& content, const std::string& mime_type) {
  TestBench bench(unpack_content());
  bench.enqueue(content, {{"mime.type", mime_type}});
  bench.run();
  EXPECT_EQ(bench.count("failure"), 0u) << mime_type;
  return bench.outputs("success");
}

TEST(MergeFormat, EachComesOutOfUnpackContentAgain) {
  const std::string large(300'000, 'l');
  for (const char* format :
       {"TAR", "ZIP", "FlowFile Stream, v3", "FlowFile Stream, v2", "FlowFile Tar, v1"}) {
    const Merged bench(format, {{{{"filename", "a\xc3\xa9.txt"}}, "one"},
                                {{{"filename", "b"}}, ""},
                                {{{"filename", std::string(150, 'n')}}, large}});
    ASSERT_EQ(bench.count("merged"), 1u) << format;
    EXPECT_EQ(bench.count("original"), 3u);
    const Output bundle = bench.outputs("merged")[0];
    const auto outputs = unpacked(bundle.content, bundle.attribute("mime.type"));
    ASSERT_EQ(outputs.size(), 3u) << format;
    EXPECT_EQ(outputs[0].attribute("filename"), "a\xc3\xa9.txt");
    EXPECT_EQ(outputs[0].content, "one");
    EXPECT_EQ(outputs[1].content, "");
    EXPECT_EQ(outputs[2].attribute("filename"), std::string(150, 'n'));
    EXPECT_TRUE(outputs[2].content == large) << format;
  }
}

TEST(MergeFormat, EveryLevelOfAZipCanBeRead) {
  for (int level = 0; level <= 9; ++level) {
    const std::string content(10'000, 'x');
    const Merged bench("ZIP", {{{{"filename", "a"}}, content}},
                       {{"Compression Level", std::to_string(level)}});
    const Output bundle = bench.outputs("merged").at(0);
    EXPECT_EQ(bundle.attribute("filename"), "a.zip");
    EXPECT_EQ(bundle.content.size() < content.size(), level > 0);
    EXPECT_TRUE(unpacked(bundle.content, "application/zip").at(0).content == content);
  }
}

TEST(MergeFormat, AZipOfManyEntriesHasADirectoryOfItsOwnKind) {
  TestBench bench(merge_content(), {{"Merge Format", "ZIP"},
                                    {"Minimum Number of Entries", "70000"},
                                    {"Maximum Number of Entries", "70000"}});
  for (int i = 0; i < 70'000; ++i) bench.enqueue("", {{"filename", std::to_string(i)}});
  bench.run(2);
  ASSERT_EQ(bench.count("merged"), 1u);
  const std::string zip = bench.outputs("merged")[0].content;
  EXPECT_NE(zip.find("PK\x06\x06"), std::string::npos);
}

TEST(MergeFormat, TheSecondOfANameIsLeftOutOfAZip) {
  const Merged bench("ZIP",
                     {{{{"filename", "same"}}, "first"}, {{{"filename", "same"}}, "second"}});
  ASSERT_EQ(bench.count("failure"), 1u);
  EXPECT_EQ(bench.outputs("failure")[0].content, "second");
  EXPECT_THAT(bench.outputs("failure")[0].attribute(error_attribute), HasSubstr("this name"));
  EXPECT_EQ(bench.count("original"), 2u);
}

TEST(MergeFormat, PathsGoInWhereTheyAreKept) {
  const auto path_of = [](const std::string& path) {
    const Merged bench("TAR", {{{{"filename", "a"}, {"path", path}}, "x"}},
                       {{"Keep Path", "true"}});
    return unpacked(bench.outputs("merged").at(0).content, "application/tar")
        .at(0)
        .attribute("path");
  };
  EXPECT_EQ(path_of("./"), "/");
  EXPECT_EQ(path_of("."), "/");
  EXPECT_EQ(path_of("/"), "/");
  EXPECT_EQ(path_of("d"), "d/");
  EXPECT_EQ(path_of("./d//e/"), "d/e/");
  EXPECT_EQ(path_of("/abs"), "abs/");
}

TEST(MergeFormat, ATarTakesItsTimesAndPermissionsFromAttributes) {
  const Merged bench("TAR", {{{{"filename", "a"},
                               {"tar.permissions", "420"},
                               {"file.lastModifiedTime", "2024-02-03T04:05:06Z"}},
                              "x"},
                             {{{"filename", "b"}, {"tar.permissions", "rw"}}, "y"}});
  const auto outputs = unpacked(bench.outputs("merged").at(0).content, "application/tar");
  EXPECT_EQ(outputs.at(0).attribute("file.permissions"), "rw-r--r--");
  EXPECT_THAT(outputs.at(0).attribute("file.lastModifiedTime"), HasSubstr("2024-02-03T0"));
  EXPECT_EQ(outputs.at(1).attribute("file.permissions"), "rw-r--r--");
}

TEST(MergeFormat, InstantsAreThoseOfJava) {
  EXPECT_EQ(parse_instant_s("1970-01-01T00:00:01Z"), 1);
  EXPECT_EQ(parse_instant_s("1970-01-01T01:00:01.999+01:00"), 1);
  EXPECT_EQ(parse_instant_s("1969-12-31T23:59:59Z"), -1);
  for (const char* text : {"", "1970-01-01T00:00:01+0000", "1970-01-01T00:00:01", "1970-02-30T0",
                           "1970-01-01T24:00:00Z", "1970-01-01T00:00:01Zx"}) {
    EXPECT_FALSE(parse_instant_s(text)) << text;
  }
}

TEST(MergeFormat, ATarHoldsSizesAndTimesBeyondOctalDigits) {
  TextOutput out;
  BufferedOutput buffered(out);
  TarWriter tar(buffered);
  tar.add({.name = "a", .modified_s = -5}, "x");
  tar.finish();
  buffered.flush();
  EXPECT_EQ(unpacked(out.text, "application/tar").at(0).attribute("file.lastModifiedTime"),
            "1969-12-31T23:59:55+0000");
}

TEST(MergeFormat, ADelimiterFileThatWentAwayFailsTheBin) {
  const Merged bench("Binary Concatenation", {{{{"file", "/no/such/file"}}, "one"}},
                     {{"Delimiter Strategy", "Filename"}, {"Header File", "${file}"}});
  ASSERT_EQ(bench.count("failure"), 1u);
  EXPECT_THAT(bench.outputs("failure")[0].attribute(error_attribute), HasSubstr("cannot be read"));
}

struct AvroFile {
  std::string schema = R"({"type": "record", "name": "t", "fields": []})";
  std::string codec = "null";
  std::map<std::string, std::string> metadata = {};
  std::vector<std::string> blocks = {};
};

constexpr AvroMarker marker{std::byte{1}, std::byte{2}};

std::string avro(const AvroFile& file) {
  TextOutput out;
  BufferedOutput buffered(out);
  write_avro_header({.metadata = file.metadata, .schema = file.schema, .codec = file.codec}, marker,
                    buffered);
  for (const std::string& block : file.blocks) {
    buffered.write(std::string(1, 2));  // one record
    buffered.write(std::string(1, static_cast<char>(2 * block.size())));
    buffered.write(block);
    buffered.write(marker);
  }
  buffered.flush();
  return out.text;
}

// The blocks of a file, one after another.
std::string blocks_of(const std::string& file) {
  TextInput in(file);
  AvroReader reader(in);
  TextOutput out;
  BufferedOutput buffered(out);
  while (reader.copy_block(buffered, marker)) continue;
  buffered.flush();
  return out.text;
}

Merged merged_avro(const std::vector<AvroFile>& files, bench::Values properties = {}) {
  FlowFiles flow_files;
  for (const AvroFile& file : files) flow_files.emplace_back(bench::Values(), avro(file));
  return Merged("Avro", flow_files, std::move(properties));
}

TEST(MergeFormat, AvroBlocksFollowEachOther) {
  const Merged bench = merged_avro({{.blocks = {"ab", "c"}}, {}, {.blocks = {"def"}}});
  ASSERT_EQ(bench.count("merged"), 1u);
  const Output bundle = bench.outputs("merged")[0];
  EXPECT_EQ(bundle.attribute("mime.type"), "application/avro-binary");
  EXPECT_EQ(blocks_of(bundle.content), blocks_of(avro({.blocks = {"ab", "c", "def"}})));
}

TEST(MergeFormat, AvroThatDisagreesIsLeftOut) {
  const AvroFile other_schema{.schema = R"({"type": "record", "name": "u", "fields": []})"};
  // Order of keys and documentation make no other schema.
  const AvroFile same_schema{.schema = R"({"fields":[],"name":"t","doc":"d","type":"record"})",
                             .blocks = {"x"}};
  const Merged bench =
      merged_avro({{.blocks = {"a"}}, other_schema, same_schema, {.codec = "deflate"}});
  EXPECT_EQ(bench.count("failure"), 2u);
  EXPECT_EQ(bench.count("original"), 4u);
  EXPECT_EQ(blocks_of(bench.outputs("merged").at(0).content),
            blocks_of(avro({.blocks = {"a", "x"}})));
}

TEST(MergeFormat, AvroMetadataCountsAsTheStrategySays) {
  const std::vector<AvroFile> files = {{.metadata = {{"k", "v"}}},
                                       {.metadata = {{"k", "w"}}},
                                       {.metadata = {{"k", "v"}, {"new", "1"}}},
                                       {}};
  const std::map<std::string, std::size_t> failures = {{"Use First Metadata", 0},
                                                       {"Ignore Metadata", 0},
                                                       {"Keep Only Common Metadata", 1},
                                                       {"Do Not Merge Uncommon Metadata", 2}};
  for (const auto& [strategy, count] : failures) {
    const Merged bench = merged_avro(files, {{"mergecontent-metadata-strategy", strategy}});
    EXPECT_EQ(bench.count("failure"), count) << strategy;
    TextInput in(bench.outputs("merged").at(0).content);
    EXPECT_EQ(AvroReader(in).header().metadata.contains("k"), strategy != "Ignore Metadata");
  }
}

TEST(MergeFormat, DamagedAvroFailsTheBinAndNothingElse) {
  const std::string whole = avro({.metadata = {{"k", "v"}}, .blocks = {"abc", "def"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Merged bench("Avro", {{{}, whole.substr(0, size)}});
    EXPECT_EQ(bench.count("merged") + bench.count("failure"), 1u);
  }
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Merged bench = merged_avro({{.schema = deep}});
  EXPECT_THAT(bench.outputs("failure").at(0).attribute(error_attribute), HasSubstr("too deep"));
  EXPECT_EQ(merged_avro({{.codec = "unheard of"}}).count("failure"), 1u);
}

}  // namespace
}  // namespace weir::processors
