#include "processors/kinesis/consume_kinesis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "processors/kinesis/flow_file_output.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors::kinesis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

struct Given {
  std::string data;
  std::string key = "k";
  std::string sequence = "100";
  std::int64_t sub_sequence = 0;
  std::int64_t arrival_ms = 1000;
};

RecordBatchPtr batch(const std::vector<Given>& given, std::int64_t behind_ms = 0) {
  std::string all;
  for (const Given& record : given) all += record.data + record.key + record.sequence;
  auto storage = std::make_unique<char[]>(all.size());
  std::memcpy(storage.get(), all.data(), all.size());
  std::vector<Record> records;
  const char* at = storage.get();
  const auto take = [&at](const std::string& text) {
    const std::string_view view(at, text.size());
    at += text.size();
    return view;
  };
  for (const Given& record : given) {
    Record made;
    made.data = take(record.data);
    made.partition_key = take(record.key);
    made.sequence_number = take(record.sequence);
    made.sub_sequence_number = record.sub_sequence;
    made.approximate_arrival_ms = record.arrival_ms;
    records.push_back(made);
  }
  return std::make_shared<const RecordBatch>(std::move(storage), all.size(), std::move(records),
                                             behind_ms);
}

// Writes the batches it was given, once.
class Writer : public Processor {
 public:
  Writer(OutputRules rules, std::vector<RecordBatchPtr> batches)
      : rules_(std::move(rules)), batches_(std::move(batches)) {}
  void on_trigger(ProcessContext&, ProcessSession& session) override {
    write_flow_files(session, success, rules_, "shardId-000000000001", batches_);
  }
  static inline const Relationship success{.name = "success"};

 private:
  const OutputRules rules_;
  const std::vector<RecordBatchPtr> batches_;
};

std::vector<bench::Output> written(const OutputRules& rules, std::vector<RecordBatchPtr> batches) {
  ProcessorDefinition definition;
  definition.type = "test.Writer";
  definition.relationships = {Writer::success};
  definition.input = InputRequirement::forbidden;
  definition.make = [&] { return std::make_unique<Writer>(rules, batches); };
  bench::TestBench bench(definition);
  bench.run();
  EXPECT_EQ(bench.last_error(), std::nullopt);
  EXPECT_EQ(bench.count_events("RECEIVE"), bench.count("success"));
  if (bench.count("success") > 0) {
    EXPECT_THAT(bench.transit_uris(), Contains("kinesis://eu-west-1/orders/shardId-000000000001"));
  }
  return bench.outputs("success");
}

const OutputRules one_each{.stream = "orders", .region = "eu-west-1"};

OutputRules merged(std::string demarcator, std::uint64_t max_bytes = 1 << 20) {
  OutputRules rules = one_each;
  rules.merge = true;
  rules.demarcator = std::move(demarcator);
  rules.max_bytes = max_bytes;
  return rules;
}

std::vector<std::string> contents(const std::vector<bench::Output>& outputs) {
  std::vector<std::string> contents;
  for (const bench::Output& output : outputs) contents.push_back(output.content);
  return contents;
}

TEST(KinesisOutput, AFlowFileARecordWithItsOwnNumbers) {
  const auto outputs = written(
      one_each, {batch({{"a", "first", "100", 0, 1}, {"b", "zweiter-ü", "101", 3, 2}}, 250)});
  ASSERT_THAT(contents(outputs), ElementsAre("a", "b"));
  const auto& attributes = outputs[1].attributes;
  EXPECT_EQ(attributes.at("aws.kinesis.stream.name"), "orders");
  EXPECT_EQ(attributes.at("aws.kinesis.shard.id"), "shardId-000000000001");
  EXPECT_EQ(attributes.at("aws.kinesis.partition.key"), "zweiter-ü");
  EXPECT_EQ(attributes.at("aws.kinesis.first.sequence.number"), "101");
  EXPECT_EQ(attributes.at("aws.kinesis.first.subsequence.number"), "3");
  EXPECT_EQ(attributes.at("aws.kinesis.last.sequence.number"), "101");
  EXPECT_EQ(attributes.at("aws.kinesis.last.subsequence.number"), "3");
  EXPECT_EQ(attributes.at("aws.kinesis.approximate.arrival.timestamp.ms"), "2");
  EXPECT_EQ(attributes.at("aws.kinesis.millis.behind.latest"), "250");
  EXPECT_EQ(attributes.at("record.count"), "1");
}

TEST(KinesisOutput, DemarcatorsStandBetweenRecordsOnly) {
  const auto outputs = written(merged("\n"), {batch({{"a", "k", "100"}, {"", "k", "101"}}),
                                              batch({{"b", "last", "102", 7, 9}}, 40)});
  ASSERT_THAT(contents(outputs), ElementsAre("a\n\nb"));
  const auto& attributes = outputs[0].attributes;
  EXPECT_EQ(attributes.at("aws.kinesis.partition.key"), "last");
  EXPECT_EQ(attributes.at("aws.kinesis.first.sequence.number"), "100");
  EXPECT_EQ(attributes.at("aws.kinesis.last.sequence.number"), "102");
  EXPECT_EQ(attributes.at("aws.kinesis.last.subsequence.number"), "7");
  EXPECT_EQ(attributes.at("aws.kinesis.millis.behind.latest"), "40");
  EXPECT_EQ(attributes.at("record.count"), "3");
}

TEST(KinesisOutput, WithoutADemarcatorRecordsFollowEachOther) {
  EXPECT_THAT(contents(written(merged(""), {batch({{"a"}, {"b"}})})), ElementsAre("ab"));
}

TEST(KinesisOutput, AMergedFlowFileEndsWhereItIsLargeEnough) {
  EXPECT_THAT(
      contents(written(merged("|", 4), {batch({{"aa"}, {"bb"}, {"cc"}, {"dddddd"}, {"e"}})})),
      ElementsAre("aa|bb", "cc|dddddd", "e"));
}

TEST(KinesisOutput, EmptyRecordsAreRecords) {
  EXPECT_THAT(contents(written(one_each, {batch({{""}, {""}})})), ElementsAre("", ""));
  const auto outputs = written(merged("\n"), {batch({{""}})});
  ASSERT_THAT(contents(outputs), ElementsAre(""));
  EXPECT_EQ(outputs[0].attributes.at("record.count"), "1");
}

TEST(KinesisOutput, NothingMakesNothing) {
  EXPECT_THAT(written(one_each, {}), IsEmpty());
  EXPECT_THAT(written(merged("\n"), {batch({})}), IsEmpty());
}

std::vector<ValidationProblem> problems(bench::Values more) {
  bench::Values values{{"Stream Name", "orders"},
                       {"Application Name", "orders-reader"},
                       {"AWS Credentials Provider Service", "credentials"}};
  for (auto& [name, value] : more) values[name] = value;
  return bench::TestBench(consume_kinesis(), values).validate();
}

auto problem_of(const std::string& property, const std::string& text) {
  return Contains(testing::AllOf(Field(&ValidationProblem::property, property),
                                 Field(&ValidationProblem::message, HasSubstr(text))));
}

TEST(ConsumeKinesis, RefusesRecordsUntilThereAreReaders) {
  EXPECT_THAT(problems({{"Processing Strategy", "RECORD"},
                        {"Record Reader", "reader"},
                        {"Record Writer", "writer"}}),
              problem_of("Processing Strategy", "use FLOW_FILE or DEMARCATOR"));
}

TEST(ConsumeKinesis, RefusesUnknownSettingsOfTheKcl) {
  EXPECT_THAT(problems({{"maxLeaseForWorker", "7"}}),
              problem_of("maxLeaseForWorker", "is 'maxLeasesForWorker' meant?"));
}

TEST(ConsumeKinesis, RefusesBadNamesUrlsAndTimes) {
  EXPECT_THAT(problems({{"Stream Name", "a b"}}), problem_of("Stream Name", "letters"));
  EXPECT_THAT(problems({{"Application Name", "ab"}}), problem_of("Application Name", "3 to 255"));
  EXPECT_THAT(problems({{"Endpoint Override URL", "127.0.0.1:4567"}}),
              problem_of("Endpoint Override URL", "http://"));
  EXPECT_THAT(problems({{"Initial Stream Position", "AT_TIMESTAMP"},
                        {"Stream Position Timestamp", "yesterday"}}),
              problem_of("Stream Position Timestamp", "ISO 8601"));
  EXPECT_THAT(problems({{"Poll Interval", "1 ms"}, {"Consumer Type", "SHARED_THROUGHPUT"}}),
              problem_of("Poll Interval", ""));
}

// Where Java or the library are missing, this processor says so and no other part suffers.
TEST(ConsumeKinesis, IsInvalidWithoutTheLibrary) {
  ::setenv("WEIR_KINESIS_HOME", "/nonexistent", 1);
  const auto found = problems({});
  ::unsetenv("WEIR_KINESIS_HOME");
  EXPECT_THAT(found, problem_of("", "/nonexistent"));
}

}  // namespace
}  // namespace weir::processors::kinesis
