#include <fmt/format.h>

#include "tests/integration/kinesis/stream_fixture.h"

// Shards that change hands, end and begin while records come in.
namespace weir::kinesis_testing {
namespace {

using ::testing::IsEmpty;

class Leases : public StreamTest {
 protected:
  std::size_t owned_by(const std::string& worker) {
    std::size_t count = 0;
    for (const auto& [shard, row] : leases().rows()) {
      count += row.owner == worker && row.checkpoint.sequence_number != "SHARD_END";
    }
    return count;
  }
  void expect_owned(const std::string& worker, std::size_t at_least, const KinesisEngine& engine) {
    EXPECT_TRUE(eventually([&] { return owned_by(worker) >= at_least; }, kArrivalTime))
        << worker << " owns " << owned_by(worker) << "\n"
        << engine.log();
  }
};

TEST_F(Leases, MoveBothWaysBetweenTwoEnginesUnderLoadAndNothingIsLost) {
  make_stream(4);
  NumberedWriter writer(control_, stream_);
  KinesisEngine one(services_, {consumer({{"Worker ID", "one"}})});
  KinesisEngine two(services_, {consumer({{"Worker ID", "two"}})});
  one.start();
  writer.start(1, 100ms);
  expect_owned("one", 4, one);

  two.start();
  expect_owned("two", 2, two);
  EXPECT_TRUE(eventually([&] { return two.sink().files() > 10; }, kArrivalTime)) << two.log();
  two.kill();  // its leases run out
  expect_owned("one", 4, one);

  two.start();
  expect_owned("two", 2, two);
  one.stop();  // its leases are given back
  expect_owned("two", 4, two);
  writer.stop();

  const LaneCounts sent = writer.sent();
  EXPECT_TRUE(eventually(
      [&] {
        std::vector<RecordName> missing = one.sink().missing(sent);
        const std::vector<RecordName> of_two = two.sink().missing(sent);
        std::erase_if(missing, [&](const RecordName& name) {
          return !std::ranges::binary_search(of_two, name);
        });
        return missing.empty();
      },
      kArrivalTime))
      << two.log();
  two.stop();
  const Ledger ledger =
      Ledger::merged({{one.deliveries(), &one.sink()}, {two.deliveries(), &two.sink()}});
  EXPECT_THAT(ledger.check_complete(sent), IsEmpty());
  EXPECT_THAT(ledger.check_order(), IsEmpty());
  fmt::print("{} records over two engines, {} of them twice\n", writer.total(),
             ledger.duplicates());
}

TEST_F(Leases, AShardLostAndTakenAgainGoesOnWhereItWasCheckpointed) {
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  KinesisEngine engine(services_, {consumer({{"Worker ID", "weir"}})});
  engine.start();
  writer.start(2, 50ms);
  expect_owned("weir", 2, engine);
  EXPECT_TRUE(eventually([&] { return engine.sink().files() > 10; }, kArrivalTime)) << engine.log();

  const std::string shard = control_.open_shards(stream_)[0].id;
  const std::vector<ProcessId> bridges = engine.bridges();
  leases().take(shard, "nobody");  // who never renews it: it runs out
  EXPECT_TRUE(eventually([&] { return !std::ranges::all_of(bridges, alive); }, kArrivalTime))
      << "no bridge ended, though its shard was lost\n"
      << engine.log();
  expect_owned("weir", 2, engine);
  writer.put(5);
  writer.stop();
  expect_all(engine, writer);
  engine.stop();
  const Ledger ledger(engine.deliveries(), engine.sink());
  EXPECT_THAT(ledger.check_complete(writer.sent()), IsEmpty());
  EXPECT_THAT(ledger.check_order(), IsEmpty());
  fmt::print("{} records over a lost lease, {} of them twice\n", writer.total(),
             ledger.duplicates());
}

TEST_F(Leases, ParentsAreCommittedBeforeTheChildrenOfASplitOrMergeBegin) {
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  KinesisEngine engine(services_, {consumer()});
  writer.put(40);
  engine.start();
  expect_all(engine, writer);

  writer.start(2, 50ms);
  const auto before = control_.open_shards(stream_);
  control_.split(stream_, before[0]);
  writer.put(20);
  const auto split = control_.open_shards(stream_);  // before[1], lower child, upper child
  ASSERT_EQ(split.size(), 3u);
  control_.merge(stream_, split[2], split[0]);
  writer.put(20);
  writer.stop();
  expect_all(engine, writer);
  // The merged shard only has records of the second lane.
  engine.stop();

  const auto deliveries = engine.deliveries();
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> events;  // first, last of a shard
  for (const auto& one : deliveries) {
    events.try_emplace(one.shard, one.event, one.event).first->second.second = one.event;
  }
  EXPECT_EQ(events.size(), 4u);  // of the upper half nobody knows anything
  for (const Shard& shard : control_.shards(stream_)) {
    for (const std::string& parent : shard.parents) {
      if (!events.contains(shard.id) || !events.contains(parent)) continue;
      EXPECT_LT(events.at(parent).second, events.at(shard.id).first)
          << shard.id << " began before its parent " << parent << " was committed";
    }
  }
  const Ledger ledger(deliveries, engine.sink());
  EXPECT_THAT(ledger.check_complete(writer.sent()), IsEmpty());
  EXPECT_THAT(ledger.check_order(), IsEmpty());
  EXPECT_EQ(ledger.duplicates(), 0u);
}

// R124. The KCL looks for missing leases every two minutes, and makes one when it was missing three
// times.
TEST_F(Leases, ADeletedLeaseIsMadeAgainAndNothingIsLost) {
  if (from_environment("WEIR_LOOPS", 1) == 1) GTEST_SKIP() << "takes minutes: run with --long";
  make_stream(2);
  NumberedWriter writer(control_, stream_);
  KinesisEngine engine(services_, {consumer({{"Worker ID", "weir"}})});
  engine.start();
  writer.put(10);
  expect_all(engine, writer);
  const std::string shard = control_.open_shards(stream_)[0].id;
  leases().remove(shard);
  writer.put(10);
  EXPECT_TRUE(eventually([&] { return leases().row(shard).has_value(); }, 600s)) << engine.log();
  writer.put(10);
  expect_all(engine, writer);
  engine.stop();
  const Ledger ledger(engine.deliveries(), engine.sink());
  EXPECT_THAT(ledger.check_complete(writer.sent()), IsEmpty());
  EXPECT_THAT(ledger.check_order(), IsEmpty());
}

}  // namespace
}  // namespace weir::kinesis_testing
