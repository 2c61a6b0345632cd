#include <fmt/format.h>

#include "tests/integration/kinesis/aggregate.h"
#include "tests/integration/kinesis/stream_fixture.h"

// What arrives, in all ways of reading a stream: one engine with a consumer for each.
namespace weir::kinesis_testing {
namespace {

using processors::kinesis::Position;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// A record as a consumer must see it.
struct Expected {
  std::string data;
  std::string partition_key;
  std::string shard;
  Position position;
};

class Reading : public StreamTest {
 protected:
  void make_shards(int count) {
    make_stream(count);
    shards_ = control_.open_shards(stream_);
  }

  void put(std::size_t shard, const std::string& data, const std::string& partition_key) {
    const auto placed = control_.put(stream_, {{.data = data,
                                                .partition_key = partition_key,
                                                .hash_key = shards_[shard].first_hash_key}});
    expected_.push_back({data, partition_key, placed[0].shard, {placed[0].sequence_number, 0}});
  }
  Position put_aggregate(std::size_t shard, const std::vector<AggregatedRecord>& records) {
    const std::string& hash_key = shards_[shard].first_hash_key;
    const auto placed = control_.put(stream_, {{.data = aggregate(records, hash_key),
                                                .partition_key = "aggregate",
                                                .hash_key = hash_key}});
    for (std::size_t index = 0; index < records.size(); ++index) {
      expected_.push_back({records[index].data,
                           records[index].partition_key,
                           placed[0].shard,
                           {placed[0].sequence_number, static_cast<std::int64_t>(index)}});
    }
    return {placed[0].sequence_number, 0};
  }

  void expect_records(KinesisEngine& engine, const std::string& consumer, std::size_t count);
  void check_flow_files(KinesisEngine& engine, const std::string& consumer,
                        const std::vector<Expected>& expected);
  void check_merged(KinesisEngine& engine, const std::string& consumer);

  std::vector<Shard> shards_;
  std::vector<Expected> expected_;
  std::int64_t begin_ms_ = now_ms();
};

std::string content(const KinesisEngine& engine, const std::string& consumer,
                    const Delivery& delivery) {
  return tools::testing::read_file(engine.folder() / ("out/" + consumer + "/" + delivery.uuid));
}

void Reading::expect_records(KinesisEngine& engine, const std::string& consumer,
                             std::size_t count) {
  std::size_t arrived = 0;
  const bool all = eventually(
      [&] {
        arrived = 0;
        for (const auto& one : engine.deliveries(consumer)) {
          arrived += std::stoul(one.attributes.at("record.count"));
        }
        return arrived >= count;
      },
      kArrivalTime);
  EXPECT_TRUE(all) << consumer << ": " << arrived << " of " << count << " records\n"
                   << engine.log();
}

// FLOW_FILE: each record is a FlowFile with its own attributes.
void Reading::check_flow_files(KinesisEngine& engine, const std::string& consumer,
                               const std::vector<Expected>& expected) {
  const auto deliveries = engine.deliveries(consumer);
  ASSERT_EQ(deliveries.size(), expected.size()) << consumer;
  std::map<std::pair<std::string, Position>, const Delivery*> by_place;
  for (const auto& one : deliveries) by_place[{one.shard, one.first}] = &one;
  for (const Expected& one : expected) {
    SCOPED_TRACE(fmt::format("{}: {} '{}'", consumer, one.partition_key, one.data.substr(0, 40)));
    const auto found = by_place.find({one.shard, one.position});
    ASSERT_NE(found, by_place.end());
    const auto& delivery = *found->second;
    EXPECT_EQ(delivery.last, one.position);
    EXPECT_TRUE(content(engine, consumer, delivery) == one.data);
    EXPECT_THAT(delivery.attributes,
                AllOf(Contains(Pair("aws.kinesis.stream.name", stream_)),
                      Contains(Pair("aws.kinesis.partition.key", one.partition_key)),
                      Contains(Pair("record.count", "1"))));
    const std::int64_t arrival_ms =
        std::stoll(delivery.attributes.at("aws.kinesis.approximate.arrival.timestamp.ms"));
    EXPECT_GE(arrival_ms, begin_ms_);
    EXPECT_LE(arrival_ms, now_ms());
    EXPECT_GE(std::stoll(delivery.attributes.at("aws.kinesis.millis.behind.latest")), 0);
  }
}

// DEMARCATOR: a shard's FlowFiles, one behind the other, hold its records in order.
void Reading::check_merged(KinesisEngine& engine, const std::string& consumer) {
  std::map<std::string, std::string> wanted, found;
  std::map<std::string, Position> last;
  for (const Expected& one : expected_) wanted[one.shard] += one.data + "\n--\n";
  for (const auto& delivery : engine.deliveries(consumer)) {
    found[delivery.shard] += content(engine, consumer, delivery) + "\n--\n";
    if (const auto before = last.find(delivery.shard); before != last.end()) {
      EXPECT_GT(delivery.first, before->second);
    }
    last[delivery.shard] = delivery.last;
  }
  EXPECT_TRUE(found == wanted) << consumer;
  for (const Expected& one : expected_) EXPECT_GE(last[one.shard], one.position);
}

// Credentials are in the daemon's environment, and nowhere else where somebody could look.
void expect_no_secret(const KinesisEngine& engine) {
  for (const ProcessId& process : engine.processes()) {
    EXPECT_THAT(command_line(process.number), Not(HasSubstr(kSecretKey)));
  }
  for (const ProcessId& daemon : engine.daemons()) {
    const std::filesystem::path folder = working_directory(daemon.number);
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_THAT(tools::testing::read_file(entry), Not(HasSubstr(kSecretKey))) << entry;
    }
  }
  EXPECT_THAT(engine.log(), Not(HasSubstr(kSecretKey)));
}

TEST_F(Reading, EachWayOfReadingBringsEachRecordOnceAndWhole) {
  make_shards(3);
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    for (int number = 0; number < 20; ++number) {
      put(shard, fmt::format("record {} of shard {}", number, shard), "plain");
    }
  }
  std::string all_bytes;
  for (int value = 0; value < 256; ++value) all_bytes.push_back(static_cast<char>(value));
  put(0, "any key", "ключ-日本-🗝");
  put(0, all_bytes, "bytes");
  put(1, "", "empty");
  put(1, std::string(1024 * 1024, 'm'), "large");
  put(1, "behind the large one", "small");
  const Position aggregate = put_aggregate(
      2, {{"a", "first"}, {"b", "second"}, {"a", "third"}, {"ü-π", "fourth"}, {"b", ""}});
  put(2, "behind the aggregate", "plain");

  const std::map<std::string, std::string> demarcator = {{"Processing Strategy", "DEMARCATOR"},
                                                         {"Message Demarcator", "\n--\n"}};
  const ConsumerSpec resumed = another_consumer("resumed");
  LeaseTable(services_, resumed.application)
      .set_checkpoint(shards_[2].id, {aggregate.sequence_number, 2});
  KinesisEngine engine(
      services_, {consumer(), another_consumer("merged", demarcator),
                  another_consumer("pushed", {{"Consumer Type", "ENHANCED_FAN_OUT"}}), resumed});
  engine.start();

  expect_records(engine, "consume", expected_.size());
  check_flow_files(engine, "consume", expected_);
  expect_records(engine, "merged", expected_.size());
  check_merged(engine, "merged");
  expect_records(engine, "pushed", expected_.size());
  check_flow_files(engine, "pushed", expected_);

  // Checkpointed in the middle of the aggregate: exactly what is behind that place comes.
  std::vector<Expected> rest = expected_;
  std::erase_if(rest, [&](const Expected& one) {
    return one.shard == shards_[2].id && one.position <= Position{aggregate.sequence_number, 2};
  });
  expect_records(engine, "resumed", rest.size());
  check_flow_files(engine, "resumed", rest);
  EXPECT_EQ(engine.daemons().size(), 4u);
  expect_no_secret(engine);
  engine.stop();
}

}  // namespace
}  // namespace weir::kinesis_testing
