#include "tests/integration/kinesis/stream_fixture.h"

#include <fmt/format.h>

namespace weir::kinesis_testing {

void StreamTest::TearDown() {
  services_.mend();
  if (!stream_.empty()) control_.delete_stream(stream_);
}

void StreamTest::make_stream(int shards) {
  static int count = 0;  // tests may be repeated
  const auto& test = *::testing::UnitTest::GetInstance()->current_test_info();
  stream_ = fmt::format("{}-{}-{}", test.test_suite_name(), test.name(), ++count);
  control_.create_stream(stream_, shards);
  leases().seed(control_.open_shards(stream_));
}

ConsumerSpec StreamTest::consumer(std::map<std::string, std::string> properties) const {
  return {.stream = stream_, .application = stream_, .properties = std::move(properties)};
}

ConsumerSpec StreamTest::another_consumer(const std::string& name,
                                          std::map<std::string, std::string> properties) {
  ConsumerSpec spec = consumer(std::move(properties));
  spec.name = name;
  spec.application += "-" + name;
  LeaseTable(services_, spec.application).seed(control_.open_shards(stream_));
  return spec;
}

void StreamTest::expect_all(KinesisEngine& engine, const NumberedWriter& writer,
                            const std::string& consumer) {
  Sink& sink = engine.sink(consumer);
  const LaneCounts sent = writer.sent();
  const bool all = eventually([&] { return sink.holds(sent); }, kArrivalTime);
  EXPECT_TRUE(all) << sink.missing(sent).size() << " records are missing, the first is "
                   << to_text(sink.missing(sent).front()) << "\n"
                   << engine.log();
}

}  // namespace weir::kinesis_testing
