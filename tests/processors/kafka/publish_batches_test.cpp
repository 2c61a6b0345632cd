#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/kafka/records/producer.h"
#include "processors/kafka/records/publish_kafka.h"
#include "tests/processors/bench/test_bench.h"
#include "tests/processors/kafka/mock_cluster.h"

namespace weir::processors::kafka {
namespace {

using bench::TestBench;
using ::testing::HasSubstr;
using testing::MockCluster;

class PublishBatches : public ::testing::Test {
 protected:
  std::unique_ptr<TestBench> publisher(const char* transactions = "false") {
    auto made = std::make_unique<TestBench>(
        publish_kafka(),
        bench::Values{{"Topic Name", "t"}, {"Transactions Enabled", transactions}});
    made->provide("Kafka Connection Service", cluster_.connection({{"linger.ms", "50"}}));
    return made;
  }
  void refuse(std::size_t requests) {
    cluster_.fail_requests(testing::kProduce, std::vector<rd_kafka_resp_err_t>(
                                                  requests, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE));
  }

  MockCluster cluster_;
};

// A batch was refused for its size, and every FlowFile of it failed.
TEST_F(PublishBatches, RecordsOfABatchThatIsTooLargeAreSentOneByOne) {
  const auto bench = publisher();
  for (const char* content : {"one", "two", "three"}) bench->enqueue(content);
  refuse(1);
  bench->run();
  EXPECT_EQ(bench->count("success"), 3u);
  EXPECT_EQ(bench->count("failure"), 0u);
  EXPECT_EQ(cluster_.consume("t", 3).size(), 3u);
}

TEST_F(PublishBatches, ATransactionBeginsAnewWithRecordsOneByOne) {
  const auto bench = publisher("true");
  for (const char* content : {"one", "two", "three"}) bench->enqueue(content);
  refuse(1);
  bench->run();
  EXPECT_EQ(bench->count("success"), 3u);
  EXPECT_EQ(bench->count("failure"), 0u);
}

TEST_F(PublishBatches, ARecordThatIsRefusedAloneFails) {
  const auto bench = publisher();
  for (const char* content : {"one", "two", "three"}) bench->enqueue(content);
  refuse(2);  // the batch, and the first one alone
  bench->run();
  EXPECT_EQ(bench->count("success"), 2u);
  ASSERT_EQ(bench->count("failure"), 1u);
  EXPECT_EQ(bench->outputs("failure")[0].content, "one");
  EXPECT_THAT(bench->messages(LogLevel::error).at(0), HasSubstr("too large"));
}

// A stop waited three times for a cluster that was away.
TEST_F(PublishBatches, AProducerThatIsNotWantedAnyMoreWaitsForNoCluster) {
  ProducerOptions options;
  options.settings = {{"bootstrap.servers", "127.0.0.1:1"}, {"log_level", "0"}};
  options.transactional_id = "nobody";
  int asked = 0;
  options.going = [&asked] { return ++asked < 2; };
  testing::NoLog log;
  EXPECT_THROW(Producer(options, log), ProcessException);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace weir::processors::kafka
