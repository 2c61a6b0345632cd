#include <gmock/gmock.h>

#include "tests/integration/kafka/damaged_batch.h"
#include "tests/integration/kafka/mirror_fixture.h"

namespace weir::kafka_testing {
namespace {

using ::testing::ElementsAre;

struct Corruption {
  const char* codec;
  Damage damage;
};

class CorruptBatch : public MirrorOnBrokers, public ::testing::WithParamInterface<Corruption> {};

// It is neither jumped over nor half copied; the other partition goes on.
TEST_P(CorruptBatch, StopsItsPartitionAlone) {
  source_.create_topic(topic_, 2);
  for (int batch = 0; batch < 3; ++batch) {
    const NumberedRecords part{.partitions = 2, .per_partition = 10, .first = batch * 10};
    source_.produce(part.of_topic(topic_),
                    {{"compression.type", GetParam().codec}, {"linger.ms", "200"}});
  }
  damage_batch(source_broker_, topic_, 0, 1, GetParam().damage);
  auto mirror = start();
  ASSERT_TRUE(eventually([&] { return !listener_.losses().empty(); })) << listener_.all_notes();
  EXPECT_TRUE(eventually([&] { return listener_.records() == 40; })) << listener_.all_notes();
  mirror->stop();
  ASSERT_EQ(listener_.losses().size(), 1u);
  EXPECT_EQ(listener_.losses().front().partition, 0);
  EXPECT_EQ(listener_.losses().front().first_offset, 10);
  EXPECT_TRUE(listener_.losses().front().stopped);
  EXPECT_THAT(source_.committed(group_, topic_), ElementsAre(10, 30));
  EXPECT_EQ(target_end(topic_, 0), 10);
}

std::string name_of(const ::testing::TestParamInfo<Corruption>& corruption) {
  return std::string(corruption.param.codec) +
         (corruption.param.damage == Damage::checksum ? "Checksum" : "Compression");
}
INSTANTIATE_TEST_SUITE_P(Codecs, CorruptBatch,
                         ::testing::Values(Corruption{"none", Damage::checksum},
                                           Corruption{"zstd", Damage::checksum},
                                           Corruption{"gzip", Damage::compression},
                                           Corruption{"snappy", Damage::compression},
                                           Corruption{"lz4", Damage::compression},
                                           Corruption{"zstd", Damage::compression}),
                         name_of);

}  // namespace
}  // namespace weir::kafka_testing
