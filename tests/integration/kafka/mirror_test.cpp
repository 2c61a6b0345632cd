#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/integration/kafka/mirror_fixture.h"

namespace weir::kafka_testing {
namespace {

using namespace std::chrono_literals;
using processors::kafka::Delivery;
using processors::kafka::FailureRule;
using processors::kafka::LossRule;
using processors::kafka::MirrorLoss;
using processors::kafka::MirrorMessageHandler;
using processors::kafka::MirrorRecord;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST_F(MirrorOnBrokers, CopiesRecordsFaithfullyIntoATopicThatItCreates) {
  source_.create_topic(topic_, 3,
                       {{"cleanup.policy", "compact"}, {"max.message.bytes", "2000000"}});
  source_.produce({{.topic = topic_,
                    .partition = 2,
                    .key = "k",
                    .value = "v",
                    .headers = {{"a", "1"}, {"a", std::nullopt}, {"b", ""}, {"a", "2"}},
                    .timestamp_ms = 1'700'000'000'123},
                   {.topic = topic_, .partition = 1, .key = "gone", .value = std::nullopt},
                   {.topic = topic_, .partition = 0, .key = "", .value = ""}});
  MirrorSettings wanted = settings({topic_});
  wanted.topic_rules.copied_settings = {"cleanup.policy", "max.message.bytes"};
  const auto mirror = start(wanted);
  ASSERT_TRUE(eventually([&] { return listener_.records() == 3; })) << listener_.all_notes();
  EXPECT_EQ(target_.partitions(topic_), 3);
  EXPECT_EQ(target_.config(topic_).at("cleanup.policy"), "compact");
  EXPECT_EQ(target_.config(topic_).at("max.message.bytes"), "2000000");

  const std::vector<Record> copied = target_.consume(topic_);
  const std::vector<Record> originals = source_.consume(topic_);
  ASSERT_EQ(copied.size(), originals.size());
  for (std::size_t i = 0; i < copied.size(); ++i) {
    EXPECT_EQ(copied[i].partition, originals[i].partition);
    EXPECT_EQ(copied[i].key, originals[i].key);
    EXPECT_EQ(copied[i].value, originals[i].value);
    EXPECT_EQ(copied[i].headers, originals[i].headers);
    EXPECT_EQ(copied[i].timestamp_ms, originals[i].timestamp_ms);
    EXPECT_EQ(copied[i].timestamp_type, originals[i].timestamp_type);
  }
}

// Brokers that create whatever is asked for made it with one partition and no settings.
TEST_F(MirrorOnBrokers, CreatesTopicsItselfWhereBrokersWouldDoSoToo) {
  const tools::testing::Folder folder;
  Broker eager(folder / "eager", {{"auto.create.topics.enable", "true"}});
  eager.begin_format();
  eager.finish_format();
  eager.start();
  source_.create_topic(topic_, 3, {{"cleanup.policy", "compact"}});
  const NumberedRecords sent{.partitions = 3, .per_partition = 50};
  source_.produce(sent.of_topic(topic_));
  MirrorSettings wanted = settings({topic_});
  wanted.target["bootstrap.servers"] = wanted.target_reader["bootstrap.servers"] = eager.address();
  wanted.topic_rules.copied_settings = {"cleanup.policy"};
  const auto mirror = start(wanted);
  ASSERT_TRUE(eventually([&] { return listener_.records() == 150; })) << listener_.all_notes();
  ClusterClient target(eager.address());
  EXPECT_EQ(target.partitions(topic_), 3);
  EXPECT_EQ(target.config(topic_).at("cleanup.policy"), "compact");
  EXPECT_EQ(arrival_of(sent, target.consume(topic_)), Arrival{});
}

// R116: partitions added to a topic, and topics that came to match, were not mirrored.
TEST_F(MirrorOnBrokers, TakesUpNewTopicsAndPartitionsWhileItRuns) {
  source_.create_topic(topic_ + "-a", 1);
  MirrorSettings wanted = settings({});
  wanted.topics.pattern = Pattern::compile(topic_ + "-.").value();
  const auto mirror = start(wanted);
  const NumberedRecords first{.partitions = 1, .per_partition = 100};
  source_.produce(first.of_topic(topic_ + "-a"));
  EXPECT_TRUE(arrives(first, topic_ + "-a")) << listener_.all_notes();

  source_.create_topic(topic_ + "-b", 2);
  source_.create_topic(topic_ + "-no", 1);
  source_.grow_topic(topic_ + "-a", 3);
  const NumberedRecords grown{.partitions = 3, .per_partition = 50, .first = 100};
  source_.produce(grown.of_topic(topic_ + "-a"));
  const NumberedRecords other{.partitions = 2, .per_partition = 70};
  source_.produce(other.of_topic(topic_ + "-b"));
  EXPECT_TRUE(eventually([&] { return listener_.records() == 100 + 150 + 140; }))
      << listener_.records() << listener_.all_notes();
  EXPECT_EQ(target_.partitions(topic_ + "-a"), 3);
  EXPECT_EQ(target_.partitions(topic_ + "-b"), 2);
  EXPECT_EQ(target_.partitions(topic_ + "-no"), 0);
  EXPECT_EQ(arrival_of(other, target_.consume(topic_ + "-b")), Arrival{});
}

TEST_F(MirrorOnBrokers, WaitsForATopicThatItMayNotCreateOrGrow) {
  source_.create_topic(topic_, 2);
  const NumberedRecords sent{.partitions = 2, .per_partition = 100};
  source_.produce(sent.of_topic(topic_));
  MirrorSettings wanted = settings({topic_});
  wanted.topic_rules.create = false;
  wanted.topic_rules.grow = false;
  const auto mirror = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.notes(MirrorNote::suspended) > 0; }));
  target_.create_topic(topic_, 1);
  EXPECT_TRUE(eventually([&] {
    return listener_.all_notes().find("1 partitions in the target where 2") != std::string::npos;
  })) << listener_.all_notes();
  target_.grow_topic(topic_, 2);
  EXPECT_EQ(arrival(sent), Arrival{}) << listener_.all_notes();
}

// R114: records that retention had removed were jumped over without any sign.
TEST_F(MirrorOnBrokers, TellsOfRecordsLostToRetentionAndStops) {
  source_.create_topic(topic_, 1);
  const NumberedRecords sent{.partitions = 1, .per_partition = 600};
  source_.produce(sent.of_topic(topic_));
  source_.commit(group_, topic_, 0, 100);
  source_.delete_records(topic_, 0, 500);
  auto mirror = start();
  ASSERT_TRUE(eventually([&] { return !listener_.losses().empty(); })) << listener_.all_notes();
  const MirrorLoss loss = listener_.losses().front();
  EXPECT_EQ(loss.topic, topic_);
  EXPECT_EQ(loss.first_offset, 100);
  EXPECT_EQ(loss.last_offset, 499);
  EXPECT_TRUE(loss.stopped);
  EXPECT_FALSE(loss.recreated);
  mirror->stop();
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(100));
  EXPECT_EQ(listener_.records(), 0u);

  MirrorSettings wanted = settings({topic_});
  wanted.on_loss = LossRule::go_on;
  mirror = start(wanted);
  EXPECT_TRUE(eventually([&] { return listener_.records() == 100; })) << listener_.all_notes();
  EXPECT_EQ(listener_.losses().size(), 2u);
  mirror->stop();
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(600));
}

// A batch whose checksum is wrong is not jumped over.
TEST_F(MirrorOnBrokers, ACorruptBatchStopsItsPartition) {
  source_.create_topic(topic_, 1);
  for (int batch = 0; batch < 3; ++batch) {
    const NumberedRecords part{.partitions = 1, .per_partition = 10, .first = batch * 10};
    source_.produce(part.of_topic(topic_), {{"compression.type", "lz4"}, {"linger.ms", "200"}});
  }
  const std::filesystem::path log =
      source_broker_.folder() / "data" / (topic_ + "-0") / "00000000000000000000.log";
  {
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    std::array<unsigned char, 12> head{};  // base offset, length of what follows
    file.read(reinterpret_cast<char*>(head.data()), head.size());
    const std::streamoff second =
        12 + (head[8] << 24) + (head[9] << 16) + (head[10] << 8) + head[11];
    constexpr std::streamoff kBatchHeader = 61;
    file.seekp(second + kBatchHeader + 20);
    file.write("damage", 6);
  }
  auto mirror = start();
  ASSERT_TRUE(eventually([&] { return !listener_.losses().empty(); })) << listener_.all_notes();
  EXPECT_EQ(listener_.losses().front().first_offset, 10);
  EXPECT_TRUE(listener_.losses().front().stopped);
  EXPECT_TRUE(eventually([&] { return listener_.records() == 10; }));
  mirror->stop();
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(10));
}

TEST_F(MirrorOnBrokers, ARecordTooLargeStopsItsPartitionAlone) {
  source_.create_topic(topic_, 2);
  target_.create_topic(topic_, 2, {{"max.message.bytes", "5000"}});
  const NumberedRecords before{.partitions = 2, .per_partition = 50};
  source_.produce(before.of_topic(topic_));
  source_.produce({{.topic = topic_, .partition = 0, .value = std::string(20'000, 'x')}});
  const NumberedRecords after{.partitions = 2, .per_partition = 50, .first = 50};
  source_.produce(after.of_topic(topic_));
  auto mirror = start();
  EXPECT_TRUE(eventually([&] { return target_end(topic_, 1) >= 100; })) << listener_.all_notes();
  ASSERT_TRUE(eventually([&] { return !listener_.failures().empty(); })) << listener_.all_notes();
  EXPECT_EQ(listener_.failures().front().source_offset, 50);
  EXPECT_TRUE(listener_.failures().front().stopped);
  mirror->stop();
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(50, 100));
}

TEST_F(MirrorOnBrokers, ARecordTooLargeGoesToTheDeadLetters) {
  for (const Delivery delivery : {Delivery::at_least_once, Delivery::exactly_once}) {
    const bool exactly = delivery == Delivery::exactly_once;
    const std::string topic = topic_ + (exactly ? "-exactly" : "-least");
    source_.create_topic(topic, 1);
    target_.create_topic(topic, 1, {{"max.message.bytes", "5000"}});
    target_.create_topic(topic + "-dead", 1);
    source_.produce(
        {{.topic = topic, .partition = 0, .value = "a"},
         {.topic = topic, .partition = 0, .key = "k", .value = std::string(20'000, 'x')},
         {.topic = topic, .partition = 0, .value = "b"}});
    MirrorSettings wanted = settings({topic});
    wanted.group_id += topic;
    wanted.delivery = delivery;
    wanted.on_failure = FailureRule::dead_letter_topic;
    wanted.dead_letter_topic = topic + "-dead";
    const auto mirror = start(wanted);
    ClusterClient& keeper = exactly ? target_ : source_;
    EXPECT_TRUE(eventually([&] {
      return keeper.committed(wanted.group_id, topic) == std::vector<std::int64_t>{3};
    })) << listener_.all_notes();
    EXPECT_THAT(values(topic, 0), ElementsAre("a", "b"));
    const std::vector<Record> dead = target_.consume(topic + "-dead");
    ASSERT_EQ(dead.size(), 1u);
    EXPECT_EQ(dead[0].key, "k");
    EXPECT_EQ(dead[0].value, std::string(20'000, 'x'));
    EXPECT_EQ(dead[0].headers.at(2), (std::pair<std::string, std::optional<std::string>>(
                                         "weir.mirror.source.offset", "1")));
  }
}

class FanOut : public MirrorMessageHandler {
 public:
  void handle(MirrorRecord record, std::vector<MirrorRecord>& out) override {
    if (record.value == "bad") throw std::runtime_error("a bad record");
    if (record.value == "drop") return;
    MirrorRecord copy = record;
    copy.topic += "-copy";
    out.push_back(std::move(record));
    out.push_back(std::move(copy));
  }
};

TEST_F(MirrorOnBrokers, AHandlerFiltersAndFansOutAndItsFailuresAreKept) {
  source_.create_topic(topic_, 2);
  for (const char* value : {"1", "drop", "2", "bad", "3"}) {
    source_.produce({{.topic = topic_, .partition = 1, .value = value}});
  }
  MirrorSettings wanted = settings({topic_});
  wanted.handler = std::make_shared<FanOut>();
  wanted.on_failure = FailureRule::dead_letter;
  wanted.channels = 3;
  auto mirror = start(wanted);
  EXPECT_TRUE(eventually([&] {
    return target_.partitions(topic_ + "-copy") == 2 && values(topic_ + "-copy", 1).size() == 3;
  })) << listener_.all_notes();
  EXPECT_THAT(values(topic_, 1), ElementsAre("1", "2", "3"));
  ASSERT_EQ(listener_.failures().size(), 1u);
  EXPECT_EQ(listener_.failures()[0].record.value, "bad");
  EXPECT_EQ(listener_.failures()[0].reason, "a bad record");
  // Nothing behind the failed record is committed until somebody has it.
  EXPECT_TRUE(eventually([&] { return source_.committed(group_, topic_)[1] == 3; }));
  listener_.failures()[0].kept();
  EXPECT_TRUE(eventually([&] { return source_.committed(group_, topic_)[1] == 5; }));
}

}  // namespace
}  // namespace weir::kafka_testing
