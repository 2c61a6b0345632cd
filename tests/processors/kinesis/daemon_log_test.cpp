#include "processors/kinesis/daemon_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/processors/kinesis/buffer_fixture.h"
#include "tests/processors/kinesis/kept_lines.h"

namespace weir::processors::kinesis::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const DaemonNames kNames{.stream = "orders",
                         .application = "app",
                         .region = "eu-west-1",
                         .endpoint = "http://127.0.0.1:4568",
                         .java = "/jdk/bin/java",
                         .jars = "/opt/lib",
                         .heap_bytes = 256 << 20};

class DaemonLogTest : public ::testing::Test {
 protected:
  DaemonLogTest() { log_.begin({}); }

  void out(std::string_view bytes) { log_.read(DaemonLog::From::out, bytes); }
  void err(std::string_view bytes) { log_.read(DaemonLog::From::err, bytes); }
  // As the log configuration writes an event.
  void event(std::string_view level, std::string_view logger, std::string_view message,
             std::string_view exception = {}) {
    out(fmt::format("@{}\tsoftware.amazon.kinesis.{}\t{}\t{}\n", level, logger, message,
                    exception));
  }
  void pass(std::chrono::nanoseconds time) {
    clock_.advance(time);
    log_.progress();
  }

  ManualClock clock_;
  KeptLines said_;
  DaemonLog log_{kNames, clock_, said_};
};

TEST_F(DaemonLogTest, LevelsAreKeptExceptThatInfoIsDebug) {
  event("INFO", "coordinator.Scheduler", "Sleeping");
  event("WARN", "coordinator.Scheduler", "odd");
  event("ERROR", "coordinator.Scheduler", "bad", "a.B: why | Wrapped by: c.D: outer");
  EXPECT_THAT(said_.all(), ElementsAre("DEBUG KCL Scheduler: Sleeping", "WARN KCL Scheduler: odd",
                                       "ERROR KCL Scheduler: bad (a.B: why)"));
}

TEST_F(DaemonLogTest, AFewFactsStayInfo) {
  event("INFO", "leader.DynamoDBLockBasedLeaderDecider", "Worker : w is new leader");
  event("INFO", "leader.DynamoDBLockBasedLeaderDecider", "Worker : w is the current leader.");
  event("INFO", "coordinator.Scheduler",
        "Created new shardConsumer for : ShardInfo(streamIdentifierSerOpt=Optional.empty, "
        "shardId=shardId-000000000001, concurrencyToken=x)");
  event("INFO", "leases.dynamodb.DynamoDBLeaseRenewer",
        "Worker w lost lease with key shardId-000000000001");
  event("INFO", "lifecycle.ProcessTask",
        "Reached end of shard shardId-000000000001 and have no records to process");
  event("INFO", "multilang.MultiLangDaemon", "Process shutdown is complete.");
  EXPECT_THAT(
      said_.seen(),
      ElementsAre("INFO KCL DynamoDBLockBasedLeaderDecider: Worker : w is new leader",
                  "INFO KCL: takes up shardId-000000000001",
                  HasSubstr("lost lease with key shardId-000000000001"),
                  HasSubstr("Reached end of shard"), HasSubstr("Process shutdown is complete.")));
}

TEST_F(DaemonLogTest, WhatGoesItsUsualWayIsNoWarning) {
  event("WARN", "worker.WorkerMetricsSelector",
        "Did not find an operating range metadata provider.");
  event("WARN", "coordinator.assignment.LeaseAssignmentManager",
        "Not able to assign all expiredOrUnAssignedLeases");
  event("ERROR", "coordinator.Scheduler", "Worker.run caught exception, sleeping",
        "java.lang.IllegalStateException: LeaderDecider uninitialized");
  EXPECT_THAT(said_.seen(), IsEmpty());
}

TEST_F(DaemonLogTest, TheSameStatementIsSaidOnceAMinute) {
  for (int i = 0; i < 5; ++i) {
    event("WARN", "a.B", fmt::format("shard shardId-{:012} is late by {} ms", i, i * 100));
    clock_.advance(1s);
  }
  EXPECT_THAT(said_.all(), ElementsAre("WARN KCL B: shard shardId-000000000000 is late by 0 ms"));
  ASSERT_TRUE(log_.deadline_ns());
  pass(54s);
  EXPECT_EQ(said_.all().size(), 1U);
  pass(1s);
  EXPECT_THAT(said_.all(),
              ElementsAre(HasSubstr("late by 0 ms"),
                          "WARN KCL B: shard shardId-000000000004 is late by 400 ms (said 4 more "
                          "times in the last minute)"));
  EXPECT_FALSE(log_.deadline_ns());
}

// The numbers of requests may have letters, '+' and '/' only.
TEST_F(DaemonLogTest, AStatementAboutAnotherRequestIsTheSame) {
  for (const char* request :
       {"f9a5-51, Extended Request ID: DLre+k/PrsF", "ae1b, Extended Request ID: BVl+Qw"}) {
    event("WARN", "retrieval.fanout.FanOutRecordsPublisher", "Failure occurred in retrieval",
          fmt::format("a.ResourceInUseException: in use (Service: kinesis, Request ID: {})",
                      request));
  }
  EXPECT_THAT(said_.seen(), ElementsAre(HasSubstr("in use (Service: kinesis, Request ID: f9a5")));
}

TEST_F(DaemonLogTest, AfterAQuietMinuteTheStatementIsNewAgain) {
  event("WARN", "a.B", "late");
  clock_.advance(61s);
  event("WARN", "a.B", "late");
  EXPECT_THAT(said_.all(), ElementsAre("WARN KCL B: late", "WARN KCL B: late"));
}

TEST_F(DaemonLogTest, OtherStatementsAndOtherLevelsAreNotTheSame) {
  event("WARN", "a.B", "late");
  event("ERROR", "a.B", "late");
  event("WARN", "a.B", "early");
  event("WARN", "a.C", "late");
  EXPECT_EQ(said_.all().size(), 4U);
}

TEST_F(DaemonLogTest, NewsOfEachShardIsSaid) {
  for (const char* shard : {"shardId-000000000001", "shardId-000000000002"}) {
    event("INFO", "leases.dynamodb.DynamoDBLeaseRenewer",
          fmt::format("Worker w lost lease with key {}", shard));
  }
  EXPECT_EQ(said_.seen().size(), 2U);
}

TEST_F(DaemonLogTest, AnEventMayComeInPieces) {
  const std::string whole = "@WARN\ta.B\todd\t\r\n@WARN\ta.B\teven\t\n";
  for (const char c : whole) out({&c, 1});
  EXPECT_THAT(said_.all(), ElementsAre("WARN KCL B: odd", "WARN KCL B: even"));
}

TEST_F(DaemonLogTest, PiecesOfTheTwoStreamsAreNotMixed) {
  out("@WARN\ta.B\to");
  err("Picked up");
  out("dd\t\n");
  err(" something\n");
  EXPECT_THAT(said_.all(), ElementsAre("WARN KCL B: odd", "WARN Java: Picked up something"));
}

TEST_F(DaemonLogTest, TheLastLineNeedsNoEnd) {
  err("no end");
  EXPECT_THAT(said_.all(), IsEmpty());
  log_.end();
  EXPECT_THAT(said_.all(), ElementsAre("WARN Java: no end"));
}

TEST_F(DaemonLogTest, WhatIsNoEventIsAPlainLine) {
  out("@LOUD\ta.B\tx\t\n");
  out("@WARN\n");
  out("usage: amazon-kinesis-client MultiLangDaemon\n");
  err("\tat a.B.c(B.java:1)\n");
  EXPECT_THAT(said_.seen(), IsEmpty());
  err("Exception in thread \"x\" a.Failure: bad\n");
  EXPECT_THAT(said_.seen(), ElementsAre("ERROR Java: Exception in thread \"x\" a.Failure: bad"));
}

TEST_F(DaemonLogTest, WordsOfABridgeComeOnce) {
  err("weir-kinesis-bridge: connect: No such file or directory\n");
  event("ERROR", "multilang.DrainChildSTDERRTask",
        "Received error line from subprocess [weir-kinesis-bridge: connect: No such file or "
        "directory] for shard shardId-000000000001");
  EXPECT_EQ(said_.seen().size(), 1U);
}

TEST_F(DaemonLogTest, ALongLineIsCut) {
  out("@WARN\ta.B\t");
  for (int i = 0; i < 1000; ++i) out(std::string(1000, 'x'));
  out("\n@WARN\ta.B\tnext\t\n");
  const auto lines = said_.all();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_LT(lines[0].size(), 3000U);
  EXPECT_THAT(lines[0], HasSubstr("..."));
  EXPECT_EQ(lines[1], "WARN KCL B: next");
}

TEST_F(DaemonLogTest, AFloodIsCountedNotSaid) {
  for (int i = 0; i < 100'000; ++i) {
    std::string word;
    for (int n = i; n > 0; n /= 26) word += static_cast<char>('a' + n % 26);
    event("WARN", "a.B", word);
  }
  EXPECT_LE(said_.all().size(), 500U);
  pass(61s);
  EXPECT_TRUE(said_.has("lines of its log were left out"));
  said_.clear();
  event("WARN", "a.B", "afterwards");
  EXPECT_THAT(said_.seen(), ElementsAre("WARN KCL B: afterwards"));
}

TEST_F(DaemonLogTest, BytesThatAreNoTextDoNoHarm) {
  err("odd \xFF\x01 bytes\n");
  EXPECT_THAT(said_.all(), ElementsAre("WARN Java: odd \xEF\xBF\xBD  bytes"));
}

TEST_F(DaemonLogTest, SecretsNeverPass) {
  log_.begin({{"AWS_ACCESS_KEY_ID", "AKIA1"},
              {"AWS_SECRET_ACCESS_KEY", "AKIA1/and-more"},
              {"WEIR_KINESIS_TOKEN", "t0ken"},
              {"https_proxy", "http://user:pass=word@proxy:3128"},
              {"SHORT_KEY", "x"},
              {"PATH", "/usr/bin"}});
  event("ERROR", "a.B", "AKIA1/and-more AKIA1 t0ken http://user:pass=word@proxy:3128 /usr/bin x",
        "a.B: t0ken");
  err("t0kent0ken\n");
  for (const std::string& line : said_.all()) {
    for (const char* secret : {"AKIA1", "and-more", "t0ken", "pass=word"}) {
      EXPECT_EQ(line.find(secret), std::string::npos) << line;
    }
  }
  EXPECT_TRUE(said_.has("http://user:***@proxy:3128 /usr/bin x (a.B: ***)"));
  EXPECT_THAT(log_.last_error(), HasSubstr("***"));
}

TEST_F(DaemonLogTest, ASecretThatTheCutDividesDoesNotPassInPart) {
  log_.begin({{"A_TOKEN", "abcdefghijklmnop"}});
  const std::string head = "@WARN\ta.B\t";
  const std::size_t room = (64 << 10) - head.size();
  out(head + std::string(room - 8, '.') + "abcdefghijklmnop\n");
  EXPECT_FALSE(said_.has("abc"));
}

TEST_F(DaemonLogTest, ACauseIsSaidOnceAMinuteAsLongAsItLasts) {
  const auto refused = [&] {
    event("ERROR", "lifecycle.InitializeTask", "Caught exception: ",
          "java.net.ConnectException: Connection refused | Wrapped by: a.B: Connection refused: "
          "/127.0.0.1:34699 | ");
  };
  for (int i = 0; i < 119; ++i) {
    refused();
    pass(1s);
  }
  EXPECT_THAT(
      said_.seen(),
      ElementsAre("ERROR nothing listens at 127.0.0.1:34699 for stream orders (region "
                  "eu-west-1, endpoint http://127.0.0.1:4568): see that the endpoint is up, "
                  "and correct Region or Endpoint Override URL",
                  HasSubstr("nothing listens at 127.0.0.1:34699")));
  EXPECT_THAT(log_.last_error(), HasSubstr("nothing listens at"));
  log_.begin({});
  EXPECT_EQ(log_.last_error(), "");
}

TEST_F(DaemonLogTest, OneFailedTryIsNoCauseButTheThirdIs) {
  const auto failed = [&](int attempt) {
    out(fmt::format(
        "@DEBUG\tsoftware.amazon.awssdk.retries.LegacyRetryStrategy\tRequest attempt {} "
        "encountered retryable failure.\tsoftware.amazon.awssdk.services.dynamodb.model."
        "ProvisionedThroughputExceededException: too much (Service: DynamoDb)\n",
        attempt));
  };
  failed(1);
  failed(2);
  EXPECT_THAT(said_.seen(), IsEmpty());
  failed(3);
  EXPECT_THAT(said_.seen(), ElementsAre(HasSubstr("DynamoDB throttles the tables of application "
                                                  "app, which hold the leases")));
}

TEST_F(DaemonLogTest, OnTheWayOutNothingIsAnError) {
  log_.stopping();
  event("ERROR", "multilang.MultiLangDaemon", "Encountered an error during shutdown.",
        "java.util.concurrent.TimeoutException");
  err("java.lang.Exception: late\n");
  EXPECT_THAT(said_.seen(), IsEmpty());
}

TEST_F(DaemonLogTest, ReleasedIsWhereTheDaemonOnlyWaits) {
  log_.stopping();
  event("INFO", "coordinator.Scheduler", "Worker shutdown requested.");
  EXPECT_FALSE(log_.released());
  event("INFO", "coordinator.PeriodicShardSyncManager",
        "Shutting down periodic shard sync task scheduler on worker w");
  EXPECT_TRUE(log_.released());
  log_.begin({});
  EXPECT_FALSE(log_.released());
}

// Whatever comes in whatever pieces: no secret passes, lines stay short, and few are said.
TEST(DaemonLogRandom, NoOutputOfADaemonPassesASecretOrFloodsTheLog) {
  constexpr std::string_view words[] = {"@ERROR\t",
                                        "@INFO\t",
                                        "a.B",
                                        "\t",
                                        "\n",
                                        "s3cret",
                                        "\xFF\xC3",
                                        "Exception: ",
                                        " | ",
                                        "\r\n",
                                        "Connection refused: ",
                                        "KMS",
                                        "(Service: ",
                                        "not authorized to perform: ",
                                        "Request attempt ",
                                        "software.amazon.awssdk.retries.X",
                                        "9",
                                        "...",
                                        "s3c",
                                        "Rate exceeded"};
  const std::uint64_t seed = seed_of_run();
  std::mt19937_64 random(seed);
  for (std::uint64_t loop = 0; loop < loops(50); ++loop) {
    ManualClock clock;
    KeptLines said;
    DaemonLog log(kNames, clock, said);
    log.begin({{"A_SECRET", "s3cret"}});
    std::string bytes;
    for (int i = 0; i < 3000; ++i) bytes += words[random() % std::size(words)];
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random() % 50);
      log.read(random() % 4 == 0 ? DaemonLog::From::err : DaemonLog::From::out,
               rest.substr(0, size));
      rest.remove_prefix(size);
      clock.advance(std::chrono::milliseconds(random() % 100));
      if (log.deadline_ns() && *log.deadline_ns() <= clock.steady_ns()) log.progress();
    }
    log.end();
    for (const std::string& line : said.all()) {
      ASSERT_EQ(line.find("s3cret"), std::string::npos) << "seed " << seed;
      ASSERT_LT(line.size(), 2200U) << "seed " << seed;
    }
    ASSERT_EQ(log.last_error().find("s3cret"), std::string::npos) << "seed " << seed;
  }
}

// --- Causes

struct Case {
  const char* name;
  const char* logger;
  const char* message;
  const char* exception;
  const char* sentence;  // a part of it
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class CauseTest : public ::testing::TestWithParam<Case> {};

TEST_P(CauseTest, GivesItsSentence) {
  const Case& one = GetParam();
  const auto cause = find_cause({.level = LogLevel::error,
                                 .logger = one.logger,
                                 .message = one.message,
                                 .exception = one.exception},
                                kNames);
  ASSERT_TRUE(cause);
  EXPECT_THAT(cause->sentence, HasSubstr(one.sentence));
}

constexpr const char* kScheduler = "software.amazon.kinesis.coordinator.Scheduler";
constexpr const char* kInitializing = "Caught exception when initializing LeaseCoordinator";

INSTANTIATE_TEST_SUITE_P(
    Kcl, CauseTest,
    ::testing::Values(
        Case{"StreamMissing", "software.amazon.kinesis.leases.KinesisShardDetector",
             "Got ResourceNotFoundException when fetching shard list for orders. Stream no longer "
             "exists.",
             "", "stream orders does not exist in region eu-west-1, endpoint"},
        Case{
            "NoShards", kScheduler, kInitializing,
            "java.lang.IllegalStateException: No shards found when attempting to validate complete "
            "hash range.",
            "stream orders does not exist"},
        Case{"CredentialsInvalid", kScheduler, kInitializing,
             "software.amazon.awssdk.services.dynamodb.model.DynamoDbException: The security token "
             "included in the request is invalid. (Service: DynamoDb, Status Code: 400)",
             "DynamoDB does not accept the AWS credentials for stream orders (region eu-west-1"},
        Case{
            "SecretWrong", "software.amazon.kinesis.lifecycle.InitializeTask", "Caught exception: ",
            "software.amazon.awssdk.services.kinesis.model.KinesisException: The request signature "
            "we calculated does not match the signature you provided. (Service: Kinesis)",
            "Kinesis does not accept the AWS credentials"},
        Case{"CredentialsExpired", kScheduler, kInitializing,
             "software.amazon.awssdk.services.kinesis.model.ExpiredTokenException: The security "
             "token included in the request is expired (Service: Kinesis)",
             "have expired: renew those of the AWS Credentials Provider Service"},
        Case{"ClockWrong", kScheduler, kInitializing,
             "a.KinesisException: Signature expired: 20261130T000000Z is now earlier than "
             "20261130T100000Z (Service: Kinesis)",
             "set this machine's clock right"},
        Case{"CredentialsAbsent", kScheduler, kInitializing,
             "software.amazon.awssdk.core.exception.SdkClientException: Unable to load credentials "
             "from any of the providers in the chain",
             "there are no AWS credentials to read stream orders with"},
        Case{"AccessDenied", "software.amazon.kinesis.retrieval.polling.PrefetchRecordsPublisher",
             "Exception thrown while fetching records from Kinesis",
             "software.amazon.awssdk.services.kinesis.model.AccessDeniedException: User: u is not "
             "authorized to perform: kinesis:GetRecords on resource: arn:aws:kinesis:x:1:stream/"
             "orders because no identity-based policy allows it (Service: Kinesis)",
             "may not do kinesis:GetRecords on arn:aws:kinesis:x:1:stream/orders (region"},
        Case{"Refused", kScheduler, kInitializing,
             "java.net.ConnectException: Connection refused | Wrapped by: io.netty.channel."
             "AbstractChannel$AnnotatedConnectException: Connection refused: localhost/"
             "127.0.0.1:1 | Wrapped by: x",
             "nothing listens at 127.0.0.1:1 for stream orders"},
        Case{"UnknownHost", kScheduler, kInitializing,
             "java.net.UnknownHostException: dynamo.invalid | Wrapped by: x",
             "the host dynamo.invalid is not known"},
        Case{"NoAnswer", kScheduler, kInitializing,
             "java.util.concurrent.TimeoutException: Acquire operation took longer than 10000 "
             "milliseconds.",
             "AWS does not answer in time"},
        Case{"DynamoDbSilent", "software.amazon.kinesis.leases.dynamodb.DynamoDBLeaseRefresher",
             "Failed to get table status for app",
             "java.util.concurrent.TimeoutException: null | Wrapped by: x",
             "DynamoDB does not answer in time for the tables of application app"},
        Case{"Certificate", kScheduler, kInitializing,
             "sun.security.validator.ValidatorException: PKIX path building failed",
             "is not trusted by Java"},
        Case{"OldHttp", kScheduler, kInitializing,
             "io.netty.handler.codec.http2.Http2Exception: First received frame was not SETTINGS.",
             "does not speak HTTP/2"},
        Case{
            "TableThrottled",
            "software.amazon.kinesis.worker.metricstats.WorkerMetricStatsReporter",
            "Failed to update worker metric stats",
            "software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException:"
            " The level of configured provisioned throughput for the table was exceeded.",
            "DynamoDB throttles the tables of application app"},
        Case{"StreamThrottled",
             "software.amazon.kinesis.retrieval.polling.PrefetchRecordsPublisher",
             "thrown while fetching records from Kinesis",
             "software.amazon.awssdk.services.kinesis.model.ProvisionedThroughputExceededException:"
             " Rate exceeded for shard",
             "Kinesis throttles the reads of stream orders"},
        Case{"TooManyConsumers", kScheduler, "Worker.run caught exception",
             "software.amazon.awssdk.services.kinesis.model.LimitExceededException: Subscriber "
             "limit exceeded. (Service: Kinesis)",
             "has as many consumers with enhanced fan-out as it may have"},
        Case{"OtherTable", kScheduler, kInitializing,
             "a.DynamoDbException: The provided key element does not match the schema (Service: "
             "DynamoDb)",
             "the table app in DynamoDB"},
        Case{"BadSetting", "",
             "Caused by: java.lang.IllegalArgumentException: Unknown retrieval type 'x'. Available",
             "", "the KCL refuses one of its settings: Unknown retrieval type 'x'."},
        Case{"HeapFull", "", "Terminating due to java.lang.OutOfMemoryError: Java heap space", "",
             "ran out of memory (Java heap of 256 MB) reading stream orders"},
        Case{"NoMemory", "",
             "# There is insufficient memory for the Java Runtime Environment to continue.", "",
             "Java did not get the memory it needs"},
        Case{"OldJava", "",
             "java.lang.UnsupportedClassVersionError: x has been compiled by a more recent version",
             "", "the Java at /jdk/bin/java is too old"},
        Case{"JarMissing", "", "java.lang.NoClassDefFoundError: a/B", "",
             "the KCL's jars in /opt/lib are not complete"},
        Case{"MainMissing", "",
             "Error: Could not find or load main class software.amazon.kinesis.multilang."
             "MultiLangDaemon",
             "", "the KCL's jars in /opt/lib are not complete"},
        Case{"BridgeMissing", kScheduler, "Encountered error",
             "java.io.IOException: Cannot run program \"./weir-kinesis-bridge\": error=2 | x",
             "the KCL cannot start a bridge for a shard: java.io.IOException: Cannot run"}),
    [](const auto& one) { return one.param.name; });

TEST(Cause, NamesAreLeftAwayWhereTheyAreNotKnown) {
  const auto cause = find_cause({.level = LogLevel::error,
                                 .logger = "a.B",
                                 .message = "x",
                                 .exception = "UnknownHostException: h"},
                                {.stream = "s", .region = "r"});
  ASSERT_TRUE(cause);
  EXPECT_THAT(cause->sentence, HasSubstr("for stream s (region r):"));
}

TEST(Cause, AnErrorOfAnotherKindHasNone) {
  EXPECT_FALSE(find_cause({.level = LogLevel::error,
                           .logger = "a.B",
                           .message = "Child process failed to complete shutdown notification."},
                          kNames));
}

}  // namespace
}  // namespace weir::processors::kinesis::test
