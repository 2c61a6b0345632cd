#include <nlohmann/json.hpp>

#include "tests/integration/kinesis/stream_fixture.h"

// The services that the other tests stand on.
namespace weir::kinesis_testing {
namespace {

using processors::aws::ServiceError;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

class Services : public StreamTest {
 protected:
  // As a consumer asks: through the door.
  int status_of_describe_table() {
    try {
      door_->call("DynamoDB_20120810.DescribeTable", nlohmann::json{{"TableName", stream_}}.dump(),
                  "application/x-amz-json-1.0");
      return 200;
    } catch (const ServiceError& error) {
      code_ = error.code();
      return error.status();
    }
  }

  std::unique_ptr<processors::aws::Client> door_ =
      services_.client("dynamodb", services_.dynamodb());
  std::string code_;
};

TEST_F(Services, RecordsGoToTheShardOfTheirHashKeyInOrder) {
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  writer.put(3);
  writer.put_on(1, 2);
  EXPECT_THAT(writer.sent(), ElementsAre(3, 5));

  const Shard lower = control_.open_shards(stream_)[0];
  const auto placed =
      control_.put(stream_, {{.data = "a", .partition_key = "k", .hash_key = lower.first_hash_key},
                             {.data = "b", .partition_key = "k", .hash_key = lower.last_hash_key}});
  EXPECT_EQ(placed[0].shard, lower.id);
  EXPECT_EQ(placed[1].shard, lower.id);
  EXPECT_LT((processors::kinesis::Position{placed[0].sequence_number, 0}),
            (processors::kinesis::Position{placed[1].sequence_number, 0}));
}

TEST_F(Services, SplitAndMergedShardsNameTheirParents) {
  make_stream(2);
  const auto before = control_.open_shards(stream_);
  control_.merge(stream_, before[0], before[1]);
  const auto merged = control_.open_shards(stream_);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_THAT(merged[0].parents, ElementsAre(before[0].id, before[1].id));
  control_.split(stream_, merged[0]);
  const auto split = control_.open_shards(stream_);
  ASSERT_EQ(split.size(), 2u);
  EXPECT_THAT(split[1].parents, ElementsAre(merged[0].id));
  EXPECT_EQ(control_.shards(stream_).size(), 5u);
}

TEST_F(Services, LeaseRowsAreWrittenAsTheyAreRead) {
  make_stream(1);
  LeaseTable table = leases();
  const std::string shard = control_.open_shards(stream_)[0].id;
  EXPECT_EQ(table.row(shard)->checkpoint.sequence_number, "TRIM_HORIZON");
  EXPECT_FALSE(table.row(shard)->in_shard());
  table.take(shard, "somebody");
  table.set_checkpoint(shard, {"17", 4});
  EXPECT_EQ(table.row(shard)->owner, "somebody");
  EXPECT_EQ(table.row(shard)->counter, 1);
  EXPECT_EQ(table.row(shard)->checkpoint, (processors::kinesis::Position{"17", 4}));
  table.remove(shard);
  EXPECT_FALSE(table.row(shard));
}

TEST_F(Services, FaultsMeetTheirShareOfTheRequests) {
  make_stream(1);
  services_.order({{.service = "dynamodb",
                    .operations = {"DescribeTable"},
                    .contains = stream_,
                    .share = 0.5,
                    .answer = Fault::Answer{.status = 400,
                                            .code = "ProvisionedThroughputExceededException",
                                            .message = "too much"}}});
  int failed = 0;
  for (int request = 0; request < 100; ++request) failed += status_of_describe_table() == 400;
  EXPECT_THAT(failed, AllOf(Ge(30), Le(70)));
  EXPECT_EQ(code_, "ProvisionedThroughputExceededException");
  EXPECT_THAT(services_.mend(), ElementsAre(failed));
  EXPECT_EQ(status_of_describe_table(), 200);
}

TEST_F(Services, LostAnswersAreOfRequestsThatWereDone) {
  make_stream(1);
  const std::string shard = control_.open_shards(stream_)[0].id;
  services_.order({{.service = "dynamodb", .operations = {"DeleteItem"}, .lose = true}});
  EXPECT_THROW(
      door_->call(
          "DynamoDB_20120810.DeleteItem",
          nlohmann::json{{"TableName", stream_}, {"Key", {{"leaseKey", {{"S", shard}}}}}}.dump(),
          "application/x-amz-json-1.0"),
      ServiceError);
  EXPECT_FALSE(leases().row(shard));
}

TEST_F(Services, AServiceThatIsDownRefusesAndComesBack) {
  make_stream(1);
  services_.order({}, {"dynamodb"});
  EXPECT_EQ(status_of_describe_table(), 0);
  services_.mend();
  EXPECT_EQ(status_of_describe_table(), 200);
}

}  // namespace
}  // namespace weir::kinesis_testing
