#include "tests/integration/kinesis/controller_run.h"
#include "tests/integration/kinesis/stream_fixture.h"

namespace weir::kinesis_testing {
namespace {

using LateCommit = StreamTest;

// A session is still committing when its shard is lost, and another task already has the shard's
// next stay when that session ends.
TEST_F(LateCommit, AfterItsShardWasLostMovesNoCheckpoint) {
  make_stream(1);
  const std::string shard = control_.open_shards(stream_)[0].id;
  const auto checkpoint = [&] { return leases().row(shard)->checkpoint.sequence_number; };
  NumberedWriter writer(control_, stream_);
  CommitGate gate;
  const tools::testing::Folder out;
  ControllerRun engine(consumer_flow(services_, {consumer()}, out.path()), &gate);
  Sink sink(out / "consume");
  engine.controller().start();
  writer.put(10);
  const std::string before = writer.last_sequence_number(0);
  ASSERT_TRUE(eventually([&] { return checkpoint() == before; }, kArrivalTime))
      << engine.bulletins();

  gate.close(engine.id("consume"));
  writer.put(1);
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }, kArrivalTime)) << engine.bulletins();
  leases().take(shard, "nobody");  // who never renews it: it runs out and is taken again
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 2; }, kArrivalTime)) << engine.bulletins();

  gate.let_one_pass();
  ASSERT_TRUE(eventually([&] { return sink.files() == 11; }, kArrivalTime));
  for (int look = 0; look < 20; ++look) {  // over several calls of the KCL
    EXPECT_EQ(checkpoint(), before);
    std::this_thread::sleep_for(100ms);
  }
  gate.open();
  EXPECT_TRUE(
      eventually([&] { return checkpoint() == writer.last_sequence_number(0); }, kArrivalTime))
      << engine.bulletins();
  EXPECT_EQ(engine.status("consume").flow_files_out, 12u);
  EXPECT_TRUE(eventually([&] { return sink.files() == 12; }, kArrivalTime));
  EXPECT_TRUE(engine.controller().stop(5s));
}

}  // namespace
}  // namespace weir::kinesis_testing
