#include "processors/kinesis/protocol.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/text/base64.h"
#include "tests/engine/runtime/random_test.h"

namespace weir::processors::kinesis::protocol {
namespace {

using Read = std::expected<Message, std::string>;

// Reads a line that lies in memory with no byte to spare behind its padding.
Read read(std::string_view line) {
  std::vector<char> memory(line.begin(), line.end());
  memory.resize(line.size() + Reader::padding(), '}');
  return Reader().read({memory.data(), line.size()});
}

template <typename T>
T message(std::string_view line) {
  Read read_line = read(line);
  EXPECT_TRUE(read_line) << read_line.error();
  if (!read_line || !std::holds_alternative<T>(*read_line)) {
    ADD_FAILURE() << "another message: " << line;
    return {};
  }
  return std::get<T>(*read_line);
}

std::string error(std::string_view line) {
  const Read read_line = read(line);
  EXPECT_FALSE(read_line) << line;
  return read_line ? "" : read_line.error();
}

std::string with_record(std::string_view record) {
  return R"({"action":"processRecords","records":[)" + std::string(record) +
         R"(],"millisBehindLatest":0})";
}

const std::string kRecord =
    R"({"data":"YWdnLTAtMQ==","partitionKey":"agg-0-1",)"
    R"("sequenceNumber":"49680701883194856576154521781985492952249611959331192834",)"
    R"("approximateArrivalTimestamp":1796029040590,"subSequenceNumber":1,"action":"record"})";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(KclProtocol, ReadsInitialize) {
  const auto first = message<Initialize>(
      R"({"action":"initialize","shardId":"shardId-000000000002","sequenceNumber":"TRIM_HORIZON","subSequenceNumber":0})");
  EXPECT_EQ(first.shard_id, "shardId-000000000002");
  EXPECT_EQ(first.sequence_number, "TRIM_HORIZON");
  EXPECT_EQ(first.sub_sequence_number, 0);
  const auto again = message<Initialize>(
      R"({"action":"initialize","shardId":"s","sequenceNumber":"4968","subSequenceNumber":2})");
  EXPECT_EQ(again.sequence_number, "4968");
  EXPECT_EQ(again.sub_sequence_number, 2);
  const auto without = message<Initialize>(
      R"({"action":"initialize","shardId":"s","sequenceNumber":null,"subSequenceNumber":null})");
  EXPECT_EQ(without.sequence_number, "");
  EXPECT_EQ(error(R"({"action":"initialize","sequenceNumber":"1"})"), "shardId: is missing");
  EXPECT_EQ(error(R"({"action":"initialize","shardId":null})"), "shardId: is missing");
}

TEST(KclProtocol, ReadsARecord) {
  const auto batch = message<ProcessRecords>(with_record(kRecord)).batch;
  ASSERT_EQ(batch->records().size(), 1u);
  const Record& record = batch->records().front();
  EXPECT_EQ(record.data, "agg-0-1");
  EXPECT_EQ(record.partition_key, "agg-0-1");
  EXPECT_EQ(record.sequence_number, "49680701883194856576154521781985492952249611959331192834");
  EXPECT_EQ(record.sub_sequence_number, 1);
  EXPECT_EQ(record.approximate_arrival_ms, 1'796'029'040'590);
}

TEST(KclProtocol, ReadsACallWithoutRecords) {
  const auto call =
      message<ProcessRecords>(R"({"action":"processRecords","records":[],"millisBehindLatest":7})");
  EXPECT_TRUE(call.batch->records().empty());
  EXPECT_EQ(call.batch->millis_behind_latest(), 7);
  EXPECT_EQ(message<ProcessRecords>(
                R"({"action":"processRecords","records":[],"millisBehindLatest":null})")
                .batch->millis_behind_latest(),
            0);
  EXPECT_EQ(message<ProcessRecords>(R"({"action":"processRecords","records":[]})")
                .batch->millis_behind_latest(),
            0);
  EXPECT_EQ(error(R"({"action":"processRecords","millisBehindLatest":0})"), "records: is missing");
}

TEST(KclProtocol, ReadsTheOtherMessages) {
  message<LeaseLost>(R"({"action":"leaseLost"})");
  message<ShardEnded>(R"({"action":"shardEnded"})");
  message<ShutdownRequested>(R"({"action":"shutdownRequested"})");
  EXPECT_EQ(
      message<CheckpointResult>(
          R"({"action":"checkpoint","sequenceNumber":"4968","subSequenceNumber":0,"error":null})")
          .error,
      std::nullopt);
  EXPECT_EQ(
      message<CheckpointResult>(
          R"({"action":"checkpoint","sequenceNumber":null,"subSequenceNumber":null,"error":null})")
          .error,
      std::nullopt);
  EXPECT_EQ(message<CheckpointResult>(
                R"({"action":"checkpoint","sequenceNumber":"1","error":"ShutdownException"})")
                .error,
            "ShutdownException");
}

TEST(KclProtocol, TakesFieldsInAnyOrderAndIgnoresUnknownOnes) {
  const auto batch =
      message<ProcessRecords>(R"( { "new" : {"a":[1,{"records":2}]} , "records" : [ )" +
                              replaced(kRecord, "{", R"({ "schema" : {"data":[null]}, )") +
                              R"( ] , "millisBehindLatest" : 3 , "action" : "processRecords" } )")
          .batch;
  ASSERT_EQ(batch->records().size(), 1u);
  EXPECT_EQ(batch->records().front().data, "agg-0-1");
  EXPECT_EQ(batch->millis_behind_latest(), 3);
}

TEST(KclProtocol, TakesEmptyDataAndAnArrivalThatIsNotKnown) {
  for (const char* data : {R"("")", "null"}) {
    const auto batch =
        message<ProcessRecords>(with_record(replaced(kRecord, R"("YWdnLTAtMQ==")", data))).batch;
    ASSERT_EQ(batch->records().size(), 1u);
    EXPECT_EQ(batch->records().front().data, "");
    EXPECT_EQ(batch->records().front().partition_key, "agg-0-1");
  }
  for (const char* arrival :
       {R"("approximateArrivalTimestamp":null,)", R"("arrival":1796029040590,)"}) {
    const auto line =
        with_record(replaced(kRecord, R"("approximateArrivalTimestamp":1796029040590,)", arrival));
    EXPECT_EQ(message<ProcessRecords>(line).batch->records().front().approximate_arrival_ms, 0);
  }
}

TEST(KclProtocol, UnescapesTexts) {
  const std::pair<const char*, const char*> keys[] = {
      {R"(a\"b\\c\/d)", "a\"b\\c/d"},
      {R"(\u00e9\n\u4e2d)", "\xC3\xA9\n\xE4\xB8\xAD"},
      {R"(\ud83d\ude00)", "\xF0\x9F\x98\x80"},
      {R"(\\ud83d)", R"(\ud83d)"},
      {"\xC3\xA9\xF0\x9F\x98\x80", "\xC3\xA9\xF0\x9F\x98\x80"},
      {R"(\u0000)", nullptr},
  };
  for (const auto& [escaped, key] : keys) {
    const auto batch =
        message<ProcessRecords>(
            with_record(replaced(kRecord, R"("partitionKey":"agg-0-1")",
                                 R"("partitionKey":")" + std::string(escaped) + '"')))
            .batch;
    ASSERT_EQ(batch->records().size(), 1u) << escaped;
    EXPECT_EQ(batch->records().front().partition_key,
              key != nullptr ? std::string_view(key) : std::string_view("\0", 1));
  }
  const auto batch =
      message<ProcessRecords>(with_record(replaced(kRecord, "YWdnLTAtMQ==", R"(\/\/\/\/)"))).batch;
  EXPECT_EQ(batch->records().front().data, "\xFF\xFF\xFF");
}

TEST(KclProtocol, RefusesTextThatIsNoUnicode) {
  const char* keys[] = {R"(\ud83d)",       R"(\ud83dx)",       R"(\ude00)", R"(\ud83d\u0041)",
                        R"(\ud83d\ud83d)", R"(\ud83d\)",       R"(\u12)",   R"(\u12g4)",
                        R"(\x)",           R"(a\ude00\ud83d)", "\xFF",      "\xC3",
                        "\xED\xA0\x80",    "\xC0\xAF"};
  for (const char* key : keys) {
    EXPECT_NE(error(with_record(replaced(kRecord, R"("partitionKey":"agg-0-1")",
                                         R"("partitionKey":")" + std::string(key) + '"'))),
              "")
        << key;
  }
}

TEST(KclProtocol, RefusesTheWholeLineForOneBadRecord) {
  struct Case {
    const char *from, *to, *error;
  };
  const Case cases[] = {
      {R"("data":"YWdnLTAtMQ==",)", "", "records[1].data: is missing"},
      {R"("partitionKey":"agg-0-1",)", "", "records[1].partitionKey: is missing"},
      {R"("subSequenceNumber":1,)", "", "records[1].subSequenceNumber: is missing"},
      {R"("sequenceNumber")", R"("number")", "records[1].sequenceNumber: is missing"},
      {R"("4968)", R"("-4968)", "records[1].sequenceNumber: is no decimal number"},
      {R"("4968)", R"("TRIM_HORIZON)", "records[1].sequenceNumber: is no decimal number"},
      {R"("subSequenceNumber":1)", R"("subSequenceNumber":"1")",
       "records[1].subSequenceNumber: is no whole number"},
      {R"("subSequenceNumber":1)", R"("subSequenceNumber":1.5)",
       "records[1].subSequenceNumber: is no whole number"},
      {R"("subSequenceNumber":1)", R"("subSequenceNumber":99999999999999999999)",
       "records[1].subSequenceNumber: is no whole number"},
      {R"("subSequenceNumber":1)", R"("subSequenceNumber":null)",
       "records[1].subSequenceNumber: is no whole number"},
      {R"("subSequenceNumber":1)", R"("subSequenceNumber":-1)",
       "records[1].subSequenceNumber: is negative"},
      {R"(1796029040590)", R"("x")", "records[1].approximateArrivalTimestamp: is no whole number"},
      {R"("agg-0-1")", "7", "records[1].partitionKey: is no string"},
      {R"("agg-0-1")", "null", "records[1].partitionKey: is no string"},
      {"YWdnLTAtMQ==", "YWdnLTAtMQ=", "records[1].data: is no Base64: padding is missing at 11"},
      {"YWdnLTAtMQ==", "YW-nLTAtMQ==",
       "records[1].data: is no Base64: byte 0x2d is out of place at 2"},
  };
  for (const auto& [from, to, wanted] : cases) {
    EXPECT_EQ(error(with_record(kRecord + "," + replaced(kRecord, from, to))), wanted);
  }
  EXPECT_EQ(error(with_record(kRecord + ",7")), "records[1]: is no object");
  EXPECT_EQ(error(R"({"action":"processRecords","records":7})"), "records: is no array");
  EXPECT_EQ(error(R"({"records":[],"action":"processRecords","records":[]})"),
            "records: is there twice");
}

TEST(KclProtocol, NamesAnUnknownAction) {
  EXPECT_EQ(error(R"({"action":"reboot"})"), "action: is unknown: reboot");
  EXPECT_EQ(error(R"({"shardId":"s"})"), "action: is missing");
  EXPECT_EQ(error(R"({"action":7})"), "action: is no string");
  EXPECT_LT(error(R"({"action":")" + std::string(100'000, 'x') + R"("})").size(), 100u);
}

TEST(KclProtocol, RefusesBrokenLines) {
  const char* lines[] = {"",
                         " ",
                         "x",
                         "7",
                         "null",
                         "[]",
                         "{",
                         "}",
                         R"({"action")",
                         R"({"action":"leaseLost")",
                         R"({"action":"leaseLost)",
                         R"({"action":"leaseLost"}x)",
                         R"({"action":"leaseLost"}{"action":"leaseLost"})",
                         R"({"action":"leaseLost"x})",
                         R"({"action":"leaseLost",})",
                         R"({"action" "leaseLost"})",
                         R"({"action":"leaseLost","a":})",
                         R"({"action":"processRecords","records":[)",
                         R"({"action":"processRecords","records":[,]})",
                         R"({"action":"processRecords","records":[{]})"};
  for (const char* line : lines) EXPECT_NE(error(line), "") << line;
}

TEST(KclProtocol, GoesOnAfterABrokenLine) {
  Reader reader;
  const auto read_one = [&](std::string line) {
    const std::size_t size = line.size();
    line.resize(size + Reader::padding());
    return reader.read({line.data(), size});
  };
  EXPECT_FALSE(read_one(with_record(kRecord + ",{")));
  const auto good = read_one(with_record(kRecord));
  ASSERT_TRUE(good) << good.error();
  EXPECT_EQ(std::get<ProcessRecords>(*good).batch->records().size(), 1u);
}

TEST(KclProtocol, ABatchOutlivesItsLineAndItsReader) {
  RecordBatchPtr batch;
  {
    Reader reader;
    std::string line = with_record(kRecord);
    const std::size_t size = line.size();
    line.resize(size + Reader::padding());
    batch = std::get<ProcessRecords>(*reader.read({line.data(), size})).batch;
    line.assign(line.size(), '#');
  }
  EXPECT_EQ(batch->records().front().data, "agg-0-1");
  EXPECT_EQ(batch->records().front().partition_key, "agg-0-1");
}

TEST(KclProtocol, CountsTheMemoryOfABatchAndNoMore) {
  const std::string data = text::base64_encode(std::string(1 << 20, 'd'));
  const auto batch =
      message<ProcessRecords>(with_record(replaced(kRecord, "YWdnLTAtMQ==", data))).batch;
  EXPECT_EQ(batch->records().front().data.size(), 1u << 20);
  EXPECT_GE(batch->bytes(), (1u << 20) + 63);
  EXPECT_LE(batch->bytes(), (1u << 20) + 1024);
}

TEST(KclProtocol, WritesReplies) {
  EXPECT_EQ(status("processRecords"), R"({"action":"status","responseFor":"processRecords"})");
  EXPECT_EQ(checkpoint({"4968", 3}),
            R"({"action":"checkpoint","sequenceNumber":"4968","subSequenceNumber":3})");
  EXPECT_EQ(checkpoint({"4968", 0}),
            R"({"action":"checkpoint","sequenceNumber":"4968","subSequenceNumber":0})");
  EXPECT_EQ(checkpoint_all(), R"({"action":"checkpoint"})");
}

// Lines damaged at random: whatever comes out, nothing is read outside of the line, and a batch
// that is taken holds records that are whole.
TEST(KclProtocol, SurvivesDamagedLines) {
  const std::uint64_t seed = runtime::testing::test_seed(5);
  std::mt19937_64 random(seed);
  const std::string whole = with_record(kRecord + "," + kRecord + "," + kRecord);
  for (int i = runtime::testing::test_loops(20'000); i > 0; --i) {
    std::string line = whole;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0 && !line.empty(); --changes) {
      const std::size_t at = random() % line.size();
      const std::uint64_t kind = random() % 4;
      if (kind == 0) line.resize(at);
      if (kind == 1) line[at] = static_cast<char>(random());
      if (kind == 2) line.erase(at, 1 + random() % 20);
      if (kind == 3) line.insert(at, 1, R"("\{}[],:u0n=)"[random() % 13]);
    }
    const Read read_line = read(line);
    if (!read_line) {
      ASSERT_FALSE(read_line.error().empty()) << seed;
      continue;
    }
    const auto* const call = std::get_if<ProcessRecords>(&*read_line);
    if (call == nullptr) continue;
    for (const Record& record : call->batch->records()) {
      ASSERT_FALSE(record.sequence_number.empty()) << seed << ' ' << line;
      ASSERT_EQ(record.sequence_number.find_first_not_of("0123456789"), std::string::npos) << seed;
    }
  }
}

}  // namespace
}  // namespace weir::processors::kinesis::protocol
