#include <fmt/format.h>

#include "processors/kinesis/installation.h"
#include "tests/integration/kinesis/controller_run.h"
#include "tests/integration/kinesis/stream_fixture.h"

// A full downstream, a failing disk, and how long a start takes.
namespace weir::kinesis_testing {
namespace {

using std::chrono::steady_clock;
using ::testing::IsEmpty;

// A program with a sanitizer has other measures.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasures = false;
#else
constexpr bool kMeasures = true;
#endif

class Limits : public StreamTest {
 protected:
  double start_of_bare_daemon();
  double start_of_engine();
};

// The folder that a PutFile writes into is a file at first: what comes in waits before it.
TEST_F(Limits, AFullDownstreamHoldsOnlyItselfUpWithinItsMemory) {
  constexpr std::size_t kRecordBytes = 100'000, kMostBytes = 1 << 20, kSlackBytes = 6 << 20;
  constexpr int kRecords = 100;
  make_stream(1);
  const ConsumerSpec free = another_consumer("free");
  NumberedWriter small(control_, stream_);
  const std::string quick_stream = std::exchange(stream_, "");
  make_stream(2);
  NumberedWriter large(control_, stream_, kRecordBytes);
  ConsumerSpec blocked = consumer({{"Max Bytes to Buffer", fmt::format("{} B", kMostBytes)},
                                   {"Max Records per Poll", "4"},
                                   {"Worker ID", "blocked"}});
  blocked.backpressure = 2;
  KinesisEngine engine(services_, {blocked, free});
  engine.folder().write("out/consume", "in the way");
  engine.start();
  large.put(1);
  small.put(1);
  expect_all(engine, small, "free");
  std::map<std::string, LeaseRow> before;
  EXPECT_TRUE(eventually(
      [&] {
        before = leases().rows();
        return std::ranges::all_of(before, [](const auto& one) { return one.second.counter > 0; });
      },
      kArrivalTime));
  const std::uint64_t before_bytes = resident_bytes(engine.id());

  const auto end = steady_clock::now() + (from_environment("WEIR_LOOPS", 1) == 1 ? 30s : 60s);
  std::uint64_t most_bytes = 0;
  while (steady_clock::now() < end || large.total() < kRecords) {
    if (large.total() < kRecords) large.put(5);
    small.put(1);
    expect_all(engine, small, "free");  // which goes on all the time
    most_bytes = std::max(most_bytes, resident_bytes(engine.id()));
    std::this_thread::sleep_for(100ms);
  }
  if (kMeasures) {
    EXPECT_LE(most_bytes, before_bytes + kMostBytes + kSlackBytes);
  }
  fmt::print("{} MB for a stalled consumer; the engine had {} MB before and {} MB at most\n",
             (large.total() * kRecordBytes) >> 20, before_bytes >> 20, most_bytes >> 20);
  for (const auto& [shard, row] : leases().rows()) {
    EXPECT_EQ(row.owner, "blocked") << shard;
    EXPECT_GT(row.counter, before[shard].counter) << shard;
  }

  std::filesystem::remove(engine.folder() / "out/consume");
  expect_all(engine, large);
  engine.stop();
  const Ledger ledger(engine.deliveries(), engine.sink());
  EXPECT_THAT(ledger.check_complete(large.sent()), IsEmpty());
  EXPECT_THAT(ledger.check_order(), IsEmpty());
  EXPECT_EQ(ledger.duplicates(), 0u);
  control_.delete_stream(quick_stream);
}

// The KCL does not send again what it handed over: it can only come from IN_PROGRESS.
TEST_F(Limits, RecordsWhoseSessionFailedAreTriedAgainWithoutANewFetch) {
  make_stream(1);
  NumberedWriter writer(control_, stream_);
  const tools::testing::Folder out;
  ControllerRun engine(consumer_flow(services_, {consumer()}, out.path()));
  Sink sink(out / "consume");
  engine.controller().start();
  writer.put(10);
  EXPECT_TRUE(eventually([&] { return sink.holds(writer.sent()); }, kArrivalTime))
      << engine.bulletins();
  const auto bridges = with_command(descendants(::getpid()), "weir-kinesis-bridge");

  engine.files().set_capacity(0);
  writer.put(50);
  EXPECT_TRUE(eventually([&] { return engine.status("consume").failures >= 3; }, kArrivalTime))
      << engine.bulletins();
  EXPECT_EQ(engine.status("consume").flow_files_out, 10u);
  engine.files().set_capacity(UINT64_MAX);
  EXPECT_TRUE(eventually([&] { return sink.holds(writer.sent()); }, kArrivalTime))
      << engine.bulletins();
  EXPECT_EQ(engine.status("consume").flow_files_out, 60u);
  EXPECT_TRUE(std::ranges::all_of(bridges, alive)) << "the shard was fetched anew";
  EXPECT_TRUE(engine.controller().stop(5s));
}

std::string properties_text(const std::map<std::string, std::string>& properties) {
  std::string text;
  for (const auto& [name, value] : properties) text += name + "=" + value + "\n";
  return text;
}

// Seconds from the start of the program to its first record.
double Limits::start_of_bare_daemon() {
  const ConsumerSpec spec = another_consumer(fmt::format("bare-{}", now_ms()));
  const tools::testing::Folder folder;
  std::map<std::string, std::string> properties = {
      {"executableName",
       fmt::format("node {}/bare_child.js {}", WEIR_KINESIS_PRELOADS, (folder / "first").string())},
      {"processingLanguage", "C++"},
      {"AwsCredentialsProvider", "EnvironmentVariableCredentialsProvider"},
      {"streamName", spec.stream},
      {"applicationName", spec.application},
      {"workerId", "bare"},
      {"regionName", kRegion},
      {"kinesisEndpoint", services_.kinesis()},
      {"dynamoDBEndpoint", services_.dynamodb()},
      {"initialPositionInStream", "TRIM_HORIZON"},
      {"retrievalMode", "POLLING"},
      {"metricsLevel", "NONE"},
      {"clientVersionConfig", "CLIENT_VERSION_CONFIG_COMPATIBLE_WITH_2X"},
      {"failoverTimeMillis", "2000"},
      {"idleTimeBetweenReadsInMillis", "250"}};
  for (const auto& [name, value] : consumer_properties(services_, spec)) {
    if (std::islower(static_cast<unsigned char>(name.front())) != 0) properties[name] = value;
  }
  folder.write("kcl.properties", properties_text(properties));
  const auto start = steady_clock::now();
  const tools::testing::Program daemon(
      folder.path(),
      {"setpriv", "--pdeathsig", "KILL", "env", std::string("AWS_ACCESS_KEY_ID=") + kAccessKey,
       std::string("AWS_SECRET_ACCESS_KEY=") + kSecretKey, "AWS_EC2_METADATA_DISABLED=true", "java",
       "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
       WEIR_PROGRAMS "/kinesis/lib/*", "software.amazon.kinesis.multilang.MultiLangDaemon", "-p",
       "kcl.properties"});
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(folder / "first"); }, kArrivalTime))
      << daemon.out() << daemon.err();
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

double Limits::start_of_engine() {
  ConsumerSpec spec = another_consumer(fmt::format("engine-{}", now_ms()));
  spec.name = "consume";
  KinesisEngine engine(services_, {spec});
  const auto start = steady_clock::now();
  engine.start();
  EXPECT_TRUE(eventually([&] { return engine.sink().files() > 0; }, kArrivalTime)) << engine.log();
  const double seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
  engine.stop();
  return seconds;
}

TEST_F(Limits, TheFirstRecordComesWithinTwoSecondsOfWhatTheBareDaemonNeeds) {
  make_stream(1);
  NumberedWriter writer(control_, stream_);
  writer.put(10);
  constexpr int kAttempts = 3;  // other programs run beside it
  double more = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double bare = start_of_bare_daemon();
    const double ours = start_of_engine();
    more = ours - bare;
    fmt::print("first record: {:.1f} s of the bare daemon, {:.1f} s of the engine\n", bare, ours);
    if (more <= 2 || !kMeasures) break;
  }
  if (kMeasures) {
    EXPECT_LE(more, 2);
  }
}

}  // namespace
}  // namespace weir::kinesis_testing
