#include "processors/kinesis/kcl_properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/kinesis/consume_kinesis.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors::kinesis {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Optional;
using testing::Pair;

using Settings = std::map<std::string, std::string>;

// Has the properties of ConsumeKinesis and keeps what they mean for the KCL.
class Probe : public Processor {
 public:
  explicit Probe(Settings& out) : out_(out) {}
  void on_scheduled(ProcessContext& context) override { out_ = kcl_properties(context, "worker"); }
  void on_trigger(ProcessContext&, ProcessSession&) override {}

 private:
  Settings& out_;
};

Settings settings_of(bench::Values more) {
  bench::Values values{{"Stream Name", "orders"},
                       {"Application Name", "orders-reader"},
                       {"AWS Credentials Provider Service", "credentials"}};
  for (auto& [name, value] : more) values[name] = value;
  Settings settings;
  ProcessorDefinition definition = consume_kinesis();
  definition.make = [&settings] { return std::make_unique<Probe>(settings); };
  bench::TestBench bench(definition, values);
  bench.run();
  return settings;
}

TEST(KclProperties, DefaultsReadByEnhancedFanOutFromTheOldestRecordOn) {
  const Settings settings = settings_of({});
  EXPECT_EQ(settings.at("streamName"), "orders");
  EXPECT_EQ(settings.at("applicationName"), "orders-reader");
  EXPECT_EQ(settings.at("workerId"), "worker");
  EXPECT_EQ(settings.at("regionName"), "us-west-2");
  EXPECT_EQ(settings.at("retrievalMode"), "FANOUT");
  EXPECT_EQ(settings.at("fanoutConfig.consumerName"), "orders-reader");
  EXPECT_EQ(settings.at("initialPositionInStream"), "TRIM_HORIZON");
  EXPECT_EQ(settings.at("failoverTimeMillis"), "10000");
  EXPECT_EQ(settings.at("metricsLevel"), "NONE");
  EXPECT_EQ(settings.at("clientVersionConfig"), "CLIENT_VERSION_CONFIG_3X");
  // By default the KCL allows no time for last checkpoints, and does not ask for them.
  EXPECT_EQ(settings.at("shutdownGraceMillis"), "20000");
  EXPECT_EQ(settings.at("callProcessRecordsEvenForEmptyRecordList"), "true");
  for (const char* absent : {"kinesisEndpoint", "dynamoDBEndpoint", "tableName",
                             "initialPositionInStreamExtended", "idleTimeBetweenReadsInMillis"}) {
    EXPECT_THAT(settings, Not(Contains(Key(absent))));
  }
}

TEST(KclProperties, SharedThroughputPolls) {
  const Settings settings = settings_of({{"Consumer Type", "SHARED_THROUGHPUT"},
                                         {"Poll Interval", "250 ms"},
                                         {"Max Records per Poll", "500"}});
  EXPECT_EQ(settings.at("retrievalMode"), "POLLING");
  EXPECT_EQ(settings.at("idleTimeBetweenReadsInMillis"), "250");
  EXPECT_EQ(settings.at("maxRecords"), "500");
  EXPECT_THAT(settings, Not(Contains(Key("fanoutConfig.consumerName"))));
}

TEST(KclProperties, APointInTimeIsGivenInSecondsRoundedIntoThePast) {
  const Settings settings =
      settings_of({{"Initial Stream Position", "AT_TIMESTAMP"},
                   {"Stream Position Timestamp", "2026-01-31T12:00:00.999Z"}});
  EXPECT_EQ(settings.at("initialPositionInStreamExtended"), "1769860800");
  // Both together are read in any order.
  EXPECT_THAT(settings, Not(Contains(Key("initialPositionInStream"))));
}

TEST(KclProperties, EndpointsTablesAndWhatTheUserAdds) {
  const Settings settings = settings_of({{"Endpoint Override URL", "http://127.0.0.1:4567"},
                                         {"DynamoDB Override", "http://127.0.0.1:8000"},
                                         {"Lease Table Name", "leases"},
                                         {"Enhanced Fan-Out Consumer Name", "reader"},
                                         {"Metrics Publishing", "CLOUDWATCH"},
                                         {"maxLeasesForWorker", "7"}});
  EXPECT_EQ(settings.at("kinesisEndpoint"), "http://127.0.0.1:4567");
  EXPECT_EQ(settings.at("dynamoDBEndpoint"), "http://127.0.0.1:8000");
  EXPECT_EQ(settings.at("tableName"), "leases");
  EXPECT_EQ(settings.at("fanoutConfig.consumerName"), "reader");
  EXPECT_EQ(settings.at("metricsLevel"), "DETAILED");
  EXPECT_THAT(settings, Contains(Pair("maxLeasesForWorker", "7")));
}

TEST(KclProperties, WaitsOfTheKclAreShortUnlessTheUserSaysOtherwise) {
  EXPECT_EQ(settings_of({}).at("shardSyncIntervalMillis"), "1000");
  EXPECT_EQ(settings_of({}).at("workerMetricsReporterFreqInMillis"), "5000");
  const Settings settings = settings_of({{"workerMetricsReporterFreqInMillis", "30000"}});
  EXPECT_EQ(settings.at("workerMetricsReporterFreqInMillis"), "30000");
}

TEST(KclProperties, SaysWhatIsWrongWithASetting) {
  EXPECT_EQ(check_kcl_property("maxLeasesForWorker", "7"), std::nullopt);
  EXPECT_EQ(check_kcl_property("isGracefulLeaseHandoffEnabled", "false"), std::nullopt);
  EXPECT_EQ(check_kcl_property("workerMetricsBillingMode", "PROVISIONED"), std::nullopt);
  EXPECT_EQ(check_kcl_property("coordinatorStateTags", "a=b,c=d"), std::nullopt);
  EXPECT_EQ(check_kcl_property("staleWorkerMetricsEntryCleanupDuration", "PT1H"), std::nullopt);

  EXPECT_THAT(check_kcl_property("maxLeaseForWorker", "7"),
              Optional(HasSubstr("is 'maxLeasesForWorker' meant?")));
  EXPECT_THAT(check_kcl_property("nonsense", "7"), Optional(HasSubstr("knows no such setting")));
  EXPECT_THAT(check_kcl_property("maxLeasesForWorker", "many"),
              Optional(HasSubstr("no whole number")));
  EXPECT_THAT(check_kcl_property("maxLeasesForWorker", "3000000000"),
              Optional(HasSubstr("no whole number")));
  EXPECT_THAT(check_kcl_property("workerMetricsEMAAlpha", "x"), Optional(HasSubstr("no number")));
  EXPECT_THAT(check_kcl_property("workerMetricsBillingMode", "FREE"),
              Optional(HasSubstr("PAY_PER_REQUEST")));
  EXPECT_THAT(check_kcl_property("coordinatorStateTags", "a"), Optional(HasSubstr("key=value")));
  EXPECT_THAT(check_kcl_property("staleWorkerMetricsEntryCleanupDuration", "1 hour"),
              Optional(HasSubstr("ISO 8601")));
}

// The KCL takes these values for "not given" and says nothing.
TEST(KclProperties, RefusesValuesWithoutEffect) {
  EXPECT_THAT(check_kcl_property("cleanupLeasesUponShardCompletion", "false"),
              Optional(HasSubstr("only 'true'")));
  EXPECT_THAT(check_kcl_property("shardSyncIntervalMillis", "0"),
              Optional(HasSubstr("its own default")));
}

TEST(KclProperties, LeavesNoSecondWayToWhatThePropertiesSay) {
  EXPECT_THAT(check_kcl_property("streamName", "x"), Optional(HasSubstr("'Stream Name'")));
  EXPECT_THAT(check_kcl_property("executableName", "x"), Optional(HasSubstr("by itself")));
  // It would end the whole daemon where records wait for room.
  EXPECT_THAT(check_kcl_property("timeoutInSeconds", "3"), Optional(HasSubstr("by itself")));
  EXPECT_THAT(check_kcl_property("AWSCredentialsProviderDynamoDB", "x"),
              Optional(HasSubstr("AWS Credentials Provider Service")));
}

}  // namespace
}  // namespace weir::processors::kinesis
