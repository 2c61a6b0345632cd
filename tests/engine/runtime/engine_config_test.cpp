#include "engine/runtime/engine_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/runtime/engine_config_keys.h"
#include "engine/runtime/engine_config_syntax.h"

namespace weir::runtime {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

LoadedConfig load(std::string_view text) {
  auto loaded = load_config(text, "f", "");
  if (loaded) return *loaded;
  for (const auto& problem : loaded.error()) ADD_FAILURE() << problem.to_string();
  return {};
}

std::vector<std::string> problems_of(std::string_view text) {
  const auto loaded = load_config(text, "f", "");
  std::vector<std::string> lines;
  for (const auto& one : loaded ? loaded->problems : loaded.error()) {
    lines.push_back(one.to_string());
  }
  return lines;
}

void expect_same(const EngineConfig& a, const EngineConfig& b) {
  EXPECT_EQ(a.flow_file_store, b.flow_file_store);
  EXPECT_EQ(a.flow_files.directory, b.flow_files.directory);
  EXPECT_EQ(a.flow_files.always_sync, b.flow_files.always_sync);
  EXPECT_EQ(a.flow_files.checkpoint_interval, b.flow_files.checkpoint_interval);
  EXPECT_EQ(a.flow_files.flush_interval, b.flow_files.flush_interval);
  EXPECT_EQ(a.flow_files.segment_bytes, b.flow_files.segment_bytes);
  EXPECT_EQ(a.swap_threshold, b.swap_threshold);
  EXPECT_EQ(a.content_store, b.content_store);
  EXPECT_EQ(a.contents.containers, b.contents.containers);
  EXPECT_EQ(a.contents.max_appendable_bytes, b.contents.max_appendable_bytes);
  EXPECT_EQ(a.contents.archive_enabled, b.contents.archive_enabled);
  EXPECT_EQ(a.contents.archive_max_age, b.contents.archive_max_age);
  EXPECT_EQ(a.contents.archive_max_usage, b.contents.archive_max_usage);
  EXPECT_EQ(a.contents.always_sync, b.contents.always_sync);
  EXPECT_EQ(a.volatile_content_bytes, b.volatile_content_bytes);
  EXPECT_EQ(a.provenance_store, b.provenance_store);
  EXPECT_EQ(a.provenance.directories, b.provenance.directories);
  EXPECT_EQ(a.provenance.max_storage_time, b.provenance.max_storage_time);
  EXPECT_EQ(a.provenance.max_storage_bytes, b.provenance.max_storage_bytes);
  EXPECT_EQ(a.provenance.rollover_time, b.provenance.rollover_time);
  EXPECT_EQ(a.provenance.rollover_bytes, b.provenance.rollover_bytes);
  EXPECT_EQ(a.provenance.indexed_attributes, b.provenance.indexed_attributes);
  EXPECT_EQ(a.volatile_provenance_events, b.volatile_provenance_events);
  EXPECT_EQ(a.state_directory, b.state_directory);
  EXPECT_EQ(a.flow_copy, b.flow_copy);
  EXPECT_EQ(a.flow_archive_directory, b.flow_archive_directory);
  EXPECT_EQ(a.flow_archive_enabled, b.flow_archive_enabled);
  EXPECT_EQ(a.backpressure_count, b.backpressure_count);
  EXPECT_EQ(a.backpressure_size, b.backpressure_size);
  EXPECT_EQ(a.administrative_yield, b.administrative_yield);
  EXPECT_EQ(a.bored_yield, b.bored_yield);
  EXPECT_EQ(a.graceful_shutdown, b.graceful_shutdown);
  EXPECT_EQ(a.auto_resume, b.auto_resume);
}

TEST(EngineConfig, DefaultsAreNiFis) {
  const EngineConfig config = load("").config;
  EXPECT_EQ(config.flow_file_store, EngineConfig::FlowFileStore::write_ahead);
  EXPECT_EQ(config.flow_files.directory, "flowfile_repository");
  EXPECT_EQ(config.flow_files.checkpoint_interval, milliseconds(20'000));
  EXPECT_FALSE(config.flow_files.always_sync);
  EXPECT_EQ(config.swap_threshold, 20000u);
  EXPECT_EQ(config.contents.containers.at("default"), "content_repository");
  EXPECT_EQ(config.contents.max_appendable_bytes, 50u * 1024);
  EXPECT_EQ(config.contents.archive_max_age, std::chrono::hours(3));
  EXPECT_EQ(config.contents.archive_max_usage, 0.9);
  EXPECT_EQ(config.provenance.directories.at("default"), "provenance_repository");
  EXPECT_EQ(config.provenance.max_storage_bytes, 10ull << 30);
  EXPECT_EQ(config.provenance.rollover_time, std::chrono::minutes(10));
  EXPECT_EQ(config.flow_copy, "conf/flow.json.gz");
  EXPECT_EQ(config.graceful_shutdown, std::chrono::seconds(10));
}

TEST(EngineConfig, TheFileInConfIsTheDefaults) {
  const std::string text = read_file("conf/weir.properties");
  const LoadedConfig loaded = load(text);
  EXPECT_THAT(loaded.problems, SizeIs(0));
  expect_same(loaded.config, load("").config);

  std::map<std::string, std::string> given;
  for (const auto& one : parse_properties(text)) given[one.key] = one.value;
  for (const ConfigKey& key : config_keys()) {
    ASSERT_TRUE(given.contains(std::string(key.name))) << key.name;
    EXPECT_EQ(given[std::string(key.name)], key.default_value) << key.name;
  }
}

TEST(EngineConfig, TakesTheFileOfANiFiUserWithOneWarningForEachKeyWithoutMeaning) {
  const std::string text = read_file("tests/engine/runtime/nifi_2_6.properties");
  const LoadedConfig loaded = load(text);
  expect_same(loaded.config, load("").config);
  std::map<std::string, int> warnings;
  for (const auto& problem : loaded.problems) {
    EXPECT_FALSE(problem.error) << problem.to_string();
    EXPECT_EQ(++warnings[problem.key], 1) << problem.key;
  }
  EXPECT_TRUE(warnings.contains("nifi.web.https.port"));
  EXPECT_FALSE(warnings.contains("nifi.queue.swap.threshold"));
  std::set<std::string_view> meaningful;
  for (const ConfigKey& key : config_keys()) meaningful.insert(key.name);
  for (const auto& one : parse_properties(text)) {
    const bool used = meaningful.contains(one.key) ||
                      one.key.starts_with(kContentDirectoryPrefix) ||
                      one.key.starts_with(kProvenanceDirectoryPrefix);
    EXPECT_EQ(warnings.contains(one.key), !used) << one.key;
  }
}

TEST(EngineConfig, TakesKeysOfNiFi1) {
  const LoadedConfig loaded = load(
      "nifi.version=1.23.2\n"
      "nifi.flow.configuration.file=./conf/flow.xml.gz\n"
      "nifi.flow.configuration.json.file=./conf/my.json.gz\n"
      "nifi.swap.in.threads=1\n"
      "nifi.variable.registry.properties=\n"
      "nifi.provenance.repository.implementation="
      "org.apache.nifi.provenance.PersistentProvenanceRepository\n");
  EXPECT_EQ(loaded.config.flow_copy, "conf/my.json.gz");
  EXPECT_EQ(loaded.config.provenance_store, EngineConfig::ProvenanceStore::write_ahead);
  EXPECT_THAT(loaded.problems, SizeIs(4));
}

TEST(EngineConfig, NeverWritesOverAFlowInXml) {
  const LoadedConfig loaded = load("nifi.flow.configuration.file=./conf/flow.xml.gz\n");
  EXPECT_EQ(loaded.config.flow_copy, "conf/flow.json.gz");
  EXPECT_THAT(loaded.problems, SizeIs(1));
}

TEST(EngineConfig, NamesAllProblemsAtOnceWithLineAndNearestKey) {
  EXPECT_THAT(
      problems_of("# comment\n"
                  "nifi.queue.swap.treshold=10\n"
                  "nifi.flowfile.repository.checkpoint.interval=soon\n"
                  "nifi.web.https.port=8443\n"
                  "\n"
                  "nifi.content.repository.archive.max.usage.percentage=190%\n"
                  "nifi.provenance.repository.implementation=Nothing\n"),
      ElementsAre("f:2: error: nifi.queue.swap.treshold: is no key that is known here (did you "
                  "mean nifi.queue.swap.threshold?)",
                  HasSubstr("f:3: error: nifi.flowfile.repository.checkpoint.interval: "),
                  HasSubstr("f:4: warning: nifi.web.https.port: has no effect here"),
                  "f:6: error: nifi.content.repository.archive.max.usage.percentage: must be a "
                  "percentage from 0% to 100%",
                  HasSubstr("f:7: error: nifi.provenance.repository.implementation: 'Nothing' is "
                            "no implementation")));
}

TEST(EngineConfig, RefusesValuesOutOfBounds) {
  EXPECT_THAT(problems_of("nifi.queue.swap.threshold=0"), SizeIs(1));
  EXPECT_THAT(problems_of("nifi.queue.backpressure.count=-1"), SizeIs(1));
  EXPECT_THAT(problems_of("nifi.flowfile.repository.checkpoint.interval=0 secs"), SizeIs(1));
  EXPECT_THAT(problems_of("nifi.flowfile.repository.always.sync=yes"), SizeIs(1));
  EXPECT_THAT(problems_of("nifi.queue.backpressure.size=1 XB"), SizeIs(1));
  EXPECT_THAT(problems_of("nifi.queue.swap.threshold=20000 "), SizeIs(0));
}

TEST(EngineConfig, AnEmptyValueLeavesTheDefault) {
  const LoadedConfig loaded = load("nifi.queue.swap.threshold=\n");
  EXPECT_EQ(loaded.config.swap_threshold, 20000u);
  EXPECT_THAT(loaded.problems, SizeIs(0));
}

TEST(EngineConfig, NamedDirectoriesReplaceTheDefaultOne) {
  const LoadedConfig loaded = load(
      "nifi.content.repository.directory.a=/disk/a\n"
      "nifi.content.repository.directory.b=sub/b\n");
  EXPECT_THAT(loaded.config.contents.containers,
              ElementsAre(testing::Pair("a", "/disk/a"), testing::Pair("b", "sub/b")));
}

TEST(EngineConfig, RefusesTwoRepositoriesInOneFolder) {
  EXPECT_THAT(problems_of("nifi.content.repository.directory.a=x\n"
                          "nifi.content.repository.directory.b=./x/\n"),
              ElementsAre(HasSubstr("nifi.content.repository.directory.b: names the same folder")));
}

TEST(EngineConfig, PutsTheBaseBeforeRelativePathsOnly) {
  const auto loaded = load_config("nifi.flowfile.repository.directory=/abs/ff", "f", "/data");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->config.flow_files.directory, "/abs/ff");
  EXPECT_EQ(loaded->config.state_directory, "/data/state/local");
  EXPECT_EQ(loaded->config.contents.containers.at("default"), "/data/content_repository");
}

TEST(EngineConfig, AcceptsShortNamesOfImplementations) {
  const EngineConfig config = load(
                                  "nifi.flowfile.repository.implementation=rocksdb\n"
                                  "nifi.content.repository.implementation="
                                  "VolatileContentRepository\n"
                                  "nifi.provenance.repository.implementation=none\n")
                                  .config;
  EXPECT_EQ(config.flow_file_store, EngineConfig::FlowFileStore::rocksdb);
  EXPECT_EQ(config.content_store, EngineConfig::ContentStore::volatile_memory);
  EXPECT_EQ(config.provenance_store, EngineConfig::ProvenanceStore::none);
}

TEST(EngineConfig, TheLastOfEqualKeysHoldsWithAWarning) {
  const LoadedConfig loaded = load("nifi.queue.swap.threshold=5\nnifi.queue.swap.threshold=7\n");
  EXPECT_EQ(loaded.config.swap_threshold, 7u);
  ASSERT_THAT(loaded.problems, SizeIs(1));
  EXPECT_EQ(loaded.problems[0].to_string(),
            "f:2: warning: nifi.queue.swap.threshold: is given in line 1 already; this line holds");
}

TEST(EngineConfig, OverridesWinAndAreCheckedAlike) {
  const auto good =
      load_config("nifi.queue.swap.threshold=5\n", "f", "", {{"nifi.queue.swap.threshold", "9"}});
  ASSERT_TRUE(good);
  EXPECT_EQ(good->config.swap_threshold, 9u);
  EXPECT_THAT(good->problems, SizeIs(0));

  const auto bad = load_config("", "f", "", {{"nifi.queue.swap.threshold", "many"}});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error()[0].to_string(), testing::StartsWith("error: nifi.queue.swap.threshold"));
}

TEST(EngineConfig, IndexedAttributesAreAList) {
  EXPECT_THAT(load("nifi.provenance.repository.indexed.attributes=a, mime.type ,b\n")
                  .config.provenance.indexed_attributes,
              ElementsAre("a", "mime.type", "b"));
}

TEST(PropertiesSyntax, IsJavas) {
  const auto all = parse_properties(
      "\xEF\xBB\xBF# c\n! d\n  a = b c \r\nk:v\nk2 v2\nk3\t=  v3\rempty=\nlone\n"
      "long=one,\\\n    two,\\\n  # three\nesc\\=k\\ ey=\\u00e9\\t\\q\\\\\nend=x\\");
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& one : all) {
    EXPECT_EQ(one.error, "");
    pairs.emplace_back(one.key, one.value);
  }
  EXPECT_THAT(
      pairs,
      ElementsAre(testing::Pair("a", "b c"), testing::Pair("k", "v"), testing::Pair("k2", "v2"),
                  testing::Pair("k3", "v3"), testing::Pair("empty", ""), testing::Pair("lone", ""),
                  testing::Pair("long", "one,two,# three"),
                  testing::Pair("esc=k ey", "\xC3\xA9\tq\\"), testing::Pair("end", "x")));
  EXPECT_EQ(all[0].line, 3u);
  EXPECT_EQ(all[7].line, 12u);
}

TEST(PropertiesSyntax, ReadsSurrogatePairsAndRefusesHalves) {
  EXPECT_EQ(parse_properties("a=\\uD83D\\uDE00").at(0).value, "\xF0\x9F\x98\x80");
  EXPECT_NE(parse_properties("a=\\uD83D").at(0).error, "");
  EXPECT_NE(parse_properties("a=\\u12").at(0).error, "");
  EXPECT_THAT(problems_of("x=1\\u12"), ElementsAre(HasSubstr("f:1: error: x")));
}

}  // namespace
}  // namespace weir::runtime
