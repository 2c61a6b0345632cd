#include <csignal>

#include "tests/integration/kinesis/controller_run.h"
#include "tests/integration/kinesis/stream_fixture.h"

// Orderly stops: of the engine, of the processor, by a change of a property.
namespace weir::kinesis_testing {
namespace {

using ::testing::IsEmpty;

class Stopping : public StreamTest {
 protected:
  void check_once(KinesisEngine& engine, const NumberedWriter& writer) {
    const Ledger ledger(engine.deliveries(), engine.sink());
    EXPECT_THAT(ledger.check_complete(writer.sent()), IsEmpty());
    EXPECT_THAT(ledger.check_order(), IsEmpty());
    EXPECT_EQ(ledger.duplicates(), 0u);
  }
};

// R143: the last checkpoint was not written at the stop, and the same records came after each
// start.
TEST_F(Stopping, SevenRecordsStaySevenFlowFilesOverThreeStops) {
  make_stream(1);
  NumberedWriter writer(control_, stream_);
  KinesisEngine engine(services_, {consumer({{"Checkpoint Interval", "60 sec"}})});
  for (int run = 0; run < 3; ++run) {
    writer.put(run == 0 ? 7 : 1);  // the one shows that this run reads, and from where
    engine.start();
    expect_all(engine, writer);
    engine.stop();
    EXPECT_EQ(leases().rows().begin()->second.checkpoint, engine.deliveries().back().last);
  }
  EXPECT_EQ(engine.deliveries().size(), 9u);
  check_once(engine, writer);
}

TEST_F(Stopping, AChangedPropertyStartsTheDaemonAnewWithoutADuplicate) {
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  KinesisEngine engine(services_, {consumer({{"Checkpoint Interval", "#{interval}"}})});
  engine.set_parameter("interval", "60 sec");
  engine.start();
  writer.start(2, 50ms);
  EXPECT_TRUE(eventually([&] { return engine.sink().files() > 10; }, kArrivalTime)) << engine.log();
  const std::vector<ProcessId> before = engine.processes();
  engine.set_parameter("interval", "30 sec");
  engine.signal(SIGUSR1);
  expect_gone(before, 60);
  EXPECT_TRUE(eventually([&] { return engine.daemons().size() == 1; })) << engine.log();
  writer.stop();
  expect_all(engine, writer);
  engine.stop();
  check_once(engine, writer);
}

// R135: a consumer that was stopped read on.
TEST_F(Stopping, AStoppedProcessorReadsNothingAndGoesOnWhereItWas) {
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  const tools::testing::Folder out;
  ControllerRun engine(consumer_flow(services_, {consumer()}, out.path()));
  Sink sink(out / "consume");
  engine.controller().start();
  writer.put(50);
  EXPECT_TRUE(eventually([&] { return sink.holds(writer.sent()); }, kArrivalTime))
      << engine.bulletins();

  const std::vector<ProcessId> daemons = with_command(descendants(::getpid()), "MultiLangDaemon");
  ASSERT_EQ(daemons.size(), 1u);
  EXPECT_TRUE(engine.controller().stop_component(engine.id("consume"), 60s));
  expect_gone(daemons);
  EXPECT_THAT(with_command(descendants(::getpid()), "weir-kinesis-bridge"), IsEmpty());
  writer.put(500);
  std::this_thread::sleep_for(4s);  // twice the failover time
  EXPECT_EQ(engine.status("consume").flow_files_out, 100u);

  EXPECT_TRUE(engine.controller().start_component(engine.id("consume")));
  EXPECT_TRUE(eventually([&] { return sink.holds(writer.sent()); }, kArrivalTime))
      << engine.bulletins();
  EXPECT_EQ(engine.status("consume").flow_files_out, 1100u);
  engine.controller().stop_at_once();
  EXPECT_TRUE(eventually([] {
    const auto all = descendants(::getpid());
    return with_command(all, "MultiLangDaemon").empty() &&
           with_command(all, "weir-kinesis-bridge").empty();
  }));
}

}  // namespace
}  // namespace weir::kinesis_testing
