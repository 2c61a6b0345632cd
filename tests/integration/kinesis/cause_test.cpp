#include <fmt/format.h>

#include "tests/integration/kinesis/stream_fixture.h"

// What is wrong around the consumer is named in the engine's log, the engine lives on, and all goes
// on by itself once it is mended.
namespace weir::kinesis_testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Causes : public StreamTest {
 protected:
  void check(KinesisEngine& engine, const NumberedWriter& writer, const std::string& consumer) {
    expect_all(engine, writer, consumer);
    const Ledger ledger(engine.deliveries(consumer), engine.sink(consumer));
    EXPECT_THAT(ledger.check_complete(writer.sent()), IsEmpty()) << consumer;
    EXPECT_THAT(ledger.check_order(), IsEmpty()) << consumer;
  }
};

TEST_F(Causes, AreNamedAndAllGoesOnWhenTheyAreMended) {
  make_stream(1);
  ConsumerSpec no_stream = consumer();
  no_stream.name = "no stream";
  no_stream.stream = stream_ + "-later";
  no_stream.application = no_stream.stream;
  const ConsumerSpec throttled = another_consumer("throttled");
  const ConsumerSpec denied = another_consumer("denied");
  services_.order(
      {{.service = "dynamodb",
        .operations = {},
        .contains = throttled.application,
        .answer = Fault::Answer{.status = 400,
                                .code = "ProvisionedThroughputExceededException",
                                .message = "The level of configured provisioned throughput for "
                                           "the table was exceeded."}},
       {.service = "dynamodb",
        .operations = {},
        .contains = denied.application,
        .answer = Fault::Answer{.status = 400,
                                .code = "UnrecognizedClientException",
                                .message = "The security token included in the request is "
                                           "invalid."}}});
  NumberedWriter writer(control_, stream_);
  writer.put(5);
  KinesisEngine engine(services_, {no_stream, throttled, denied});
  engine.start();
  engine.expect_log("stream " + no_stream.stream + " does not exist", kArrivalTime);
  engine.expect_log("DynamoDB throttles the tables of application " + throttled.application,
                    kArrivalTime);
  engine.expect_log("DynamoDB does not accept the AWS credentials for stream " + stream_,
                    kArrivalTime);

  services_.mend();
  control_.create_stream(no_stream.stream, 1);
  NumberedWriter later(control_, no_stream.stream);
  later.put(5);
  check(engine, later, "no stream");
  check(engine, writer, "throttled");
  check(engine, writer, "denied");

  // Now that all three read: the services go away under them, and come back.
  services_.order({}, {"kinesis", "dynamodb"});
  writer.put(5);
  later.put(5);
  engine.expect_log("nothing listens at 127.0.0.1", kArrivalTime);
  services_.mend();
  check(engine, later, "no stream");
  check(engine, writer, "throttled");
  check(engine, writer, "denied");
  EXPECT_THAT(engine.log(), ::testing::Not(HasSubstr(kSecretKey)));
  engine.stop();
  control_.delete_stream(no_stream.stream);
}

TEST_F(Causes, WithoutJavaTheProcessorIsInvalidAndTheEngineRuns) {
  make_stream(1);
  KinesisEngine engine(services_, {consumer()}, {"-u", "JAVA_HOME", "PATH=/nonexistent"});
  engine.start();
  EXPECT_THAT(engine.log(), HasSubstr("Java"));
  EXPECT_THAT(engine.log(), HasSubstr("1 invalid"));
  EXPECT_THAT(engine.processes(), IsEmpty());
  engine.stop();

  NumberedWriter writer(control_, stream_);
  writer.put(5);
  engine.set_environment({});
  engine.start();
  check(engine, writer, "consume");
  engine.stop();
}

}  // namespace
}  // namespace weir::kinesis_testing
