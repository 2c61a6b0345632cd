#include "processors/kinesis/put_kinesis_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/json/parse.h"
#include "engine/text/base64.h"
#include "processors/aws/credentials.h"
#include "tests/processors/aws/http_server.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using bench::Values;
using std::chrono::milliseconds;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;
using tests::HttpReceived;
using tests::HttpReply;
using tests::HttpServer;

constexpr const char* throughput = "ProvisionedThroughputExceededException";

class Keys : public aws::CredentialsProvider {
 public:
  aws::Credentials credentials() override {
    if (missing) throw ProcessException("No AWS credentials: nothing was found");
    return {.access_key_id = "AKIA", .secret_access_key = "s3cret"};
  }
  aws::JavaCredentials for_java(const std::filesystem::path&) override { return {}; }
  bool missing = false;
};

struct Put {
  std::string stream;
  std::string key;
  std::string data;
};

// A stream that accepts what its `refuse` does not. Remembers what it accepted, and when.
class FakeKinesis {
 public:
  // The error code of a record; "" accepts it.
  using Refuse = std::function<std::string(const Put&)>;
  explicit FakeKinesis(Refuse refuse_record = [](const Put&) { return std::string(); })
      : refuse(std::move(refuse_record)) {}

  HttpReply answer(const HttpReceived& request) {
    if (!replies.empty()) {
      const HttpReply reply = replies.front();
      replies.erase(replies.begin());
      if (reply.status != 0) return reply;  // 0: as usual
    }
    json::Arena arena;
    const auto body = json::parse(request.body, arena);
    EXPECT_TRUE(body) << request.body.substr(0, 200);
    if (!body) return {400};
    std::string results;
    sizes.push_back(body->find("Records")->size());
    for (const json::Value& record : body->find("Records")->items()) {
      Put put{std::string(body->find("StreamName")->as_text()),
              std::string(record.find("PartitionKey")->as_text()),
              text::base64_decode(record.find("Data")->as_text()).value_or("?")};
      const std::string code = refuse(put);
      results += results.empty() ? "" : ",";
      if (code.empty()) {
        results += R"({"SequenceNumber":")" + std::to_string(accepted.size()) +
                   R"(","ShardId":"shardId-7"})";
        accepted.push_back(std::move(put));
      } else {
        results += R"({"ErrorCode":")" + code + R"(","ErrorMessage":"not now"})";
      }
    }
    return {200, R"({"FailedRecordCount":0,"Records":[)" + results + "]}"};
  }

  std::vector<std::string> accepted_data() const {
    std::vector<std::string> data;
    for (const Put& put : accepted) data.push_back(put.data);
    return data;
  }

  Refuse refuse;
  std::vector<HttpReply> replies;  // to the first requests
  std::vector<Put> accepted;
  std::vector<std::size_t> sizes;  // records of each request
  HttpServer server{[this](const HttpReceived& request) { return answer(request); }};
};

class PutKinesisStreamTest : public testing::Test {
 protected:
  TestBench& make(Values values = {}) {
    values.try_emplace("Stream Name", "events");
    values.try_emplace("Region", "eu-west-1");
    values.try_emplace("Endpoint Override URL", kinesis.server.url());
    processor = std::make_unique<TestBench>(definition, std::move(values));
    processor->provide("AWS Credentials Provider service", keys);
    return *processor;
  }
  void enqueue(int count, const std::string& key = "") {
    for (int i = 0; i < count; ++i) {
      Values attributes;
      if (!key.empty()) attributes["kinesis.partition.key"] = key;
      processor->enqueue(std::to_string(next++), attributes);
    }
  }
  static std::vector<std::string> contents(const std::vector<Output>& outputs) {
    std::vector<std::string> all;
    for (const Output& output : outputs) all.push_back(output.content);
    return all;
  }

  const ProcessorDefinition definition = put_kinesis_stream(milliseconds(1));
  std::shared_ptr<Keys> keys = std::make_shared<Keys>();
  FakeKinesis kinesis;
  std::unique_ptr<TestBench> processor;
  int next = 0;
};

TEST_F(PutKinesisStreamTest, WritesContentsByOneSignedRequest) {
  TestBench& bench = make();
  bench.enqueue("first", {{"kinesis.partition.key", "a"}});
  bench.enqueue(std::string("\0\xff", 2), {{"kinesis.partition.key", "b\"\xc3\xa9"}});
  bench.enqueue("", {{"kinesis.partition.key", "c"}});
  bench.run();
  const auto received = kinesis.server.received();
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].header("x-amz-target"), "Kinesis_20131202.PutRecords");
  EXPECT_EQ(received[0].header("authorization"),
            tests::expected_authorization(received[0], "AKIA", "s3cret", "eu-west-1", "kinesis"));
  EXPECT_THAT(kinesis.accepted_data(), ElementsAre("first", std::string("\0\xff", 2), ""));
  EXPECT_EQ(kinesis.accepted[1].key, "b\"\xc3\xa9");
  EXPECT_EQ(kinesis.accepted[1].stream, "events");
  const auto outputs = bench.outputs("success");
  ASSERT_THAT(outputs, SizeIs(3));
  EXPECT_THAT(outputs[1].attributes, Contains(Pair("aws.kinesis.shard.id", "shardId-7")));
  EXPECT_THAT(outputs[1].attributes, Contains(Pair("aws.kinesis.sequence.number", "1")));
}

TEST_F(PutKinesisStreamTest, TellsProvenanceWhereTheContentWent) {
  TestBench& bench = make();
  enqueue(1);
  bench.run();
  EXPECT_EQ(bench.count_events("SEND"), 1u);
  EXPECT_THAT(bench.transit_uris(), ElementsAre(kinesis.server.url() + "/events"));
}

TEST_F(PutKinesisStreamTest, TakesARandomKeyWhereThereIsNone) {
  TestBench& bench = make();
  enqueue(2);
  enqueue(1, "  ");
  bench.run();
  std::set<std::string> used;
  for (const Put& put : kinesis.accepted) used.insert(put.key);
  EXPECT_THAT(used, SizeIs(3));
  EXPECT_THAT(used, Each(Not(HasSubstr(" "))));
}

TEST_F(PutKinesisStreamTest, TakesNoMoreThanItsBatch) {
  TestBench& bench = make({{"Message Batch Size", "3"}});
  enqueue(5);
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(3u));
  EXPECT_EQ(bench.queued(), 2u);
}

TEST_F(PutKinesisStreamTest, TakesNoMoreOnceItsBufferIsFull) {
  TestBench& bench = make({{"Max Message Buffer Size", "10 KB"}});
  for (int i = 0; i < 10; ++i) bench.enqueue(std::string(4096, 'x'));
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(3u));
  EXPECT_EQ(bench.queued(), 7u);
}

TEST_F(PutKinesisStreamTest, CutsARequestBeforeFiveMegabytes) {
  TestBench& bench = make({{"Max Message Buffer Size", "100 MB"}});
  for (int i = 0; i < 12; ++i) bench.enqueue(std::string(1'000'000, 'x'));
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(5u, 5u, 2u));
  EXPECT_EQ(bench.count("success"), 12u);
}

TEST_F(PutKinesisStreamTest, SendsEachStreamItsOwnRequest) {
  TestBench& bench = make({{"Stream Name", "${stream}"}});
  for (const char* stream : {"a", "b", "a"}) bench.enqueue(stream, {{"stream", stream}});
  bench.enqueue("lost");
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(2u, 1u));
  for (const Put& put : kinesis.accepted) EXPECT_EQ(put.stream, put.data);
  ASSERT_THAT(bench.outputs("failure"), SizeIs(1));
  EXPECT_THAT(bench.outputs("failure")[0].attributes["aws.kinesis.error.message"],
              HasSubstr("Stream Name is empty"));
}

TEST_F(PutKinesisStreamTest, FailsWhatIsTooLargeAlone) {
  TestBench& bench = make({{"Max Message Buffer Size", "10 MB"}});
  bench.enqueue(std::string((1 << 20) - 1, 'x'), {{"kinesis.partition.key", "k"}});
  bench.enqueue(std::string(1 << 20, 'y'), {{"kinesis.partition.key", "k"}});
  bench.enqueue("z", {{"kinesis.partition.key", std::string(257, 'k')}});
  bench.enqueue("small", {{"kinesis.partition.key", std::string(256, 'k')}});
  bench.run();
  EXPECT_THAT(kinesis.accepted, SizeIs(2));
  const auto failed = bench.outputs("failure");
  ASSERT_THAT(failed, SizeIs(2));
  EXPECT_THAT(failed[0].attributes.at("aws.kinesis.error.message"), HasSubstr("1048577 bytes"));
  EXPECT_THAT(failed[1].attributes.at("aws.kinesis.error.message"), HasSubstr("256 characters"));
  EXPECT_FALSE(bench.yielded()) << "the service has nothing to do with it";
}

TEST_F(PutKinesisStreamTest, TakesLargerRecordsWhereTheStreamDoes) {
  TestBench& bench = make({{"Max Record Size", "10 MB"}});
  bench.enqueue(std::string(9'000'000, 'x'));
  bench.run();
  EXPECT_THAT(bench.outputs("success"), SizeIs(1));
}

TEST_F(PutKinesisStreamTest, FailsAnExpressionThatCannotBeEvaluatedAlone) {
  TestBench& bench = make({{"Stream Partition Key", "${number:toDate('yyyy')}"}});
  bench.enqueue("good", {{"number", "2026"}});
  bench.enqueue("bad", {{"number", "none"}});
  bench.run();
  EXPECT_THAT(kinesis.accepted_data(), ElementsAre("good"));
  EXPECT_THAT(contents(bench.outputs("failure")), ElementsAre("bad"));
}

TEST_F(PutKinesisStreamTest, RepeatsOnlyWhatWasNotAccepted) {
  TestBench& bench = make();
  int refusals = 0;
  kinesis.refuse = [&](const Put& put) {
    return put.data == "1" && refusals++ < 2 ? std::string(throughput) : std::string();
  };
  enqueue(3);
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(3u, 1u, 1u));
  EXPECT_THAT(kinesis.accepted_data(), ElementsAre("0", "2", "1"));
  EXPECT_THAT(contents(bench.outputs("success")), ElementsAre("0", "1", "2"));
  EXPECT_THAT(bench.messages(LogLevel::error), IsEmpty());
}

TEST_F(PutKinesisStreamTest, GivesUpAfterAFewAttempts) {
  TestBench& bench = make();
  kinesis.refuse = [](const Put& put) { return put.data == "1" ? throughput : std::string(); };
  enqueue(3);
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(3u, 1u, 1u, 1u, 1u));
  EXPECT_EQ(bench.count("success"), 2u);
  const auto failed = bench.outputs("failure");
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_THAT(failed[0].attributes, Contains(Pair("aws.kinesis.error.code", throughput)));
  EXPECT_THAT(failed[0].attributes, Contains(Pair("aws.kinesis.error.message", "not now")));
  EXPECT_TRUE(bench.yielded());
  EXPECT_THAT(
      bench.messages(LogLevel::error),
      ElementsAre("1 of 3 FlowFiles go to failure: " + std::string(throughput) + ": not now"));
}

TEST_F(PutKinesisStreamTest, DoesNotRepeatWhatIsRefusedForGood) {
  TestBench& bench = make();
  kinesis.refuse = [](const Put& put) { return put.data == "1" ? "KMSDisabledException" : ""; };
  enqueue(3);
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(3u));
  EXPECT_THAT(contents(bench.outputs("failure")), ElementsAre("1"));
}

TEST_F(PutKinesisStreamTest, ForgetsAFormerErrorOnceAccepted) {
  TestBench& bench = make();
  bench.enqueue("x", {{"aws.kinesis.error.code", "Old"}, {"aws.kinesis.error.message", "old"}});
  bench.run();
  const Values attributes = bench.outputs("success").at(0).attributes;
  EXPECT_FALSE(attributes.contains("aws.kinesis.error.code"));
  EXPECT_FALSE(attributes.contains("aws.kinesis.error.message"));
}

TEST_F(PutKinesisStreamTest, FailsAllWhereTheStreamIsMissing) {
  TestBench& bench = make();
  kinesis.replies = {
      {400, R"({"__type":"ResourceNotFoundException","message":"Stream events not found"})"}};
  enqueue(3);
  bench.run();
  EXPECT_THAT(kinesis.server.received(), SizeIs(1));
  const auto failed = bench.outputs("failure");
  ASSERT_THAT(failed, SizeIs(3));
  for (const Output& output : failed) {
    EXPECT_THAT(output.attributes,
                Contains(Pair("aws.kinesis.error.code", "ResourceNotFoundException")));
    EXPECT_THAT(output.attributes.at("aws.kinesis.error.message"), HasSubstr("Stream events"));
  }
  EXPECT_THAT(bench.messages(LogLevel::error),
              ElementsAre(HasSubstr("ResourceNotFoundException: Stream events not found")));
  EXPECT_TRUE(bench.yielded());
}

TEST_F(PutKinesisStreamTest, FailsAllWithoutCredentials) {
  TestBench& bench = make();
  keys->missing = true;
  enqueue(2);
  bench.run();
  EXPECT_EQ(bench.last_error(), std::nullopt);
  ASSERT_THAT(bench.outputs("failure"), SizeIs(2));
  EXPECT_THAT(bench.messages(LogLevel::error), ElementsAre(HasSubstr("No AWS credentials")));
}

TEST_F(PutKinesisStreamTest, RepeatsARequestThatFailedWithinTheService) {
  TestBench& bench = make();
  kinesis.replies = {{500, R"({"__type":"InternalFailure"})"},
                     {400, R"({"__type":"ProvisionedThroughputExceededException"})"},
                     {.how = HttpReply::How::cut}};
  enqueue(3);
  bench.run();
  EXPECT_EQ(bench.count("success"), 3u);
}

TEST_F(PutKinesisStreamTest, FailsAllWhereNothingAnswers) {
  TestBench& bench = make({{"Endpoint Override URL", "http://127.0.0.1:1"}});
  enqueue(2);
  bench.run();
  ASSERT_THAT(bench.outputs("failure"), SizeIs(2));
  const Values attributes = bench.outputs("failure")[0].attributes;
  EXPECT_FALSE(attributes.contains("aws.kinesis.error.code"));
  EXPECT_THAT(attributes.at("aws.kinesis.error.message"), HasSubstr("http://127.0.0.1:1"));
}

TEST_F(PutKinesisStreamTest, FailsAllWhereTheAnswerMakesNoSense) {
  for (const char* nonsense : {"", "<html>", "[]", R"({"Records":7})", R"({"Records":[]})",
                               R"({"Records":[null]})", R"({"Records":[{},{}]})"}) {
    TestBench& bench = make();
    kinesis.replies = {{200, nonsense}};
    enqueue(1);
    bench.run();
    EXPECT_EQ(bench.count("failure"), 1u) << nonsense;
    EXPECT_EQ(bench.last_error(), std::nullopt);
  }
}

TEST_F(PutKinesisStreamTest, KeepsWhatWasAcceptedWhereALaterRequestFails) {
  TestBench& bench = make({{"Stream Name", "${stream}"}});
  kinesis.replies = {{.status = 0}, {400, R"({"__type":"ResourceNotFoundException"})"}};
  for (const char* stream : {"a", "b", "a"}) bench.enqueue(stream, {{"stream", stream}});
  bench.run();
  EXPECT_THAT(contents(bench.outputs("success")), ElementsAre("a", "a"));
  EXPECT_THAT(contents(bench.outputs("failure")), ElementsAre("b"));
}

TEST_F(PutKinesisStreamTest, KeepsTheOrderOfAKeyWhereAsked) {
  TestBench& bench = make({{"Record Ordering", "PARTITION_KEY"}});
  std::map<std::string, int> refusals;
  kinesis.refuse = [&](const Put& put) {
    return refusals[put.data]++ < std::stoi(put.data) % 3 ? throughput : std::string();
  };
  for (int i = 0; i < 4; ++i) {
    enqueue(1, "a");
    enqueue(1, "b");
  }
  for (int i = 0; i < 10; ++i) bench.run();
  std::map<std::string, std::vector<std::string>> by_key;
  for (const Put& put : kinesis.accepted) by_key[put.key].push_back(put.data);
  EXPECT_THAT(by_key["a"], ElementsAre("0", "2", "4", "6"));
  EXPECT_THAT(by_key["b"], ElementsAre("1", "3", "5", "7"));
  EXPECT_EQ(bench.count("success"), 8u);
  EXPECT_THAT(kinesis.sizes, Each(testing::Le(2u)));
}

TEST_F(PutKinesisStreamTest, LeavesInTheQueueWhatMustNotBeOvertaken) {
  TestBench& bench = make({{"Record Ordering", "PARTITION_KEY"}});
  bool busy = true;
  kinesis.refuse = [&](const Put& put) {
    return put.data == "0" && busy ? throughput : std::string();
  };
  enqueue(3, "a");
  enqueue(1, "b");
  bench.run();
  EXPECT_THAT(kinesis.accepted_data(), ElementsAre("3"));
  EXPECT_EQ(bench.queued(), 3u);
  EXPECT_EQ(bench.count("failure"), 0u);
  EXPECT_TRUE(bench.yielded());
  EXPECT_THAT(bench.messages(LogLevel::warn), ElementsAre(HasSubstr("stay in the queue")));
  busy = false;
  bench.run();
  EXPECT_THAT(kinesis.accepted_data(), ElementsAre("3", "0", "1", "2"));
}

TEST_F(PutKinesisStreamTest, ShowsNoUserOfAnEndpointThatAnExpressionGives) {
  TestBench bench(definition,
                  {{"Stream Name", "events"},
                   {"Endpoint Override URL", "${literal('http://user:word@h'):trim()}"}});
  bench.provide("AWS Credentials Provider service", keys);
  try {
    bench.run();
    FAIL();
  } catch (const ProcessException& error) {
    EXPECT_THAT(error.what(), HasSubstr("user's name"));
    EXPECT_THAT(error.what(), Not(HasSubstr("word")));
  }
}

TEST_F(PutKinesisStreamTest, IsInvalidWithAProxyService) {
  TestBench& bench = make();
  EXPECT_THAT(bench.validate(), IsEmpty());
  bench.set("proxy-configuration-service", "id");
  ASSERT_THAT(bench.validate(), SizeIs(1));
  EXPECT_THAT(bench.validate()[0].message, HasSubstr("not supported"));
}

TEST_F(PutKinesisStreamTest, IsInvalidWithoutCredentials) {
  TestBench bench(definition, {{"Stream Name", "events"}});
  ASSERT_THAT(bench.validate(), SizeIs(1));
  EXPECT_EQ(bench.validate()[0].property, "AWS Credentials Provider service");
}

TEST_F(PutKinesisStreamTest, DoesNothingWithoutInput) {
  make().run();
  EXPECT_THAT(kinesis.server.received(), IsEmpty());
}

// Never more than the buffer and one FlowFile is held, however large the contents are.
TEST_F(PutKinesisStreamTest, StopsTakingBehindALargeFlowFile) {
  TestBench& bench = make({{"Max Record Size", "10 MB"}, {"Max Message Buffer Size", "1 MB"}});
  for (int i = 0; i < 3; ++i) bench.enqueue(std::string(4'000'000, 'x'));
  bench.run();
  EXPECT_THAT(kinesis.sizes, ElementsAre(1u));
  EXPECT_EQ(bench.queued(), 2u);
}

TEST_F(PutKinesisStreamTest, CountsFlowFilesThatAreTooLargeAsTaken) {
  TestBench& bench = make({{"Message Batch Size", "2"}});
  for (int i = 0; i < 3; ++i) bench.enqueue(std::string(2'000'000, 'x'));
  bench.run();
  EXPECT_THAT(kinesis.server.received(), IsEmpty());
  EXPECT_EQ(bench.count("failure"), 2u);
}

}  // namespace
}  // namespace weir::processors
