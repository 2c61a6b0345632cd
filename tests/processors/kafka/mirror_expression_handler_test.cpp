#include "processors/kafka/mirror/mirror_expression_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/kafka/mirror_kafka.h"
#include "tests/processors/bench/bench_properties.h"

namespace weir::processors::kafka {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Context : public PropertyContext {
 public:
  explicit Context(const std::map<std::string, std::string>& values)
      : properties_(mirror_kafka(), {system_clock(), system_random()}) {
    for (const auto& [name, value] : values) properties_.set(name, value);
  }
  PropertyValue property(std::string_view name) const override {
    return properties_.property(name);
  }
  std::vector<std::string> dynamic_properties() const override {
    return properties_.dynamic_properties();
  }
  std::shared_ptr<ControllerService> controller_service(std::string_view) const override {
    return nullptr;
  }

 private:
  bench::BenchProperties properties_;
};

MirrorRecord record() {
  return {.topic = "orders",
          .partition = 3,
          .offset = 42,
          .timestamp_ms = 1'700'000'000'000,
          .key = "k1",
          .value = "a value",
          .headers = {{"kind", "x"}, {"null", std::nullopt}, {"kind", "y"}}};
}

std::vector<MirrorRecord> handled(const std::map<std::string, std::string>& values,
                                  MirrorRecord given = record()) {
  const Context context(values);
  const auto handler = make_mirror_message_handler(kExpressionHandler, context);
  std::vector<MirrorRecord> out;
  handler->handle(std::move(given), out);
  return out;
}

TEST(MirrorExpressionHandler, LeavesRecordsAsTheyAreWhereNothingIsSaid) {
  EXPECT_THAT(handled({}), ElementsAre(record()));
}

TEST(MirrorExpressionHandler, KeepsWhatThePredicateHoldsFor) {
  EXPECT_EQ(handled({{"Keep If", "${kafka.partition:equals('3')}"}}).size(), 1u);
  EXPECT_THAT(handled({{"Keep If", "${kafka.key:startsWith('z')}"}}), IsEmpty());
  EXPECT_THAT(handled({{"Keep If", "${kafka.offset:gt(100)}"}}), IsEmpty());
}

TEST(MirrorExpressionHandler, RenamesTopicsAndChangesKeysValuesAndHeaders) {
  const auto made = handled({{"Target Topic", "copy.${kafka.topic}"},
                             {"Target Key", "${kafka.key}-${kafka.offset}"},
                             {"Target Value", "${kafka.value:toUpper()}"},
                             {"header.kind", "new"},
                             {"header.from", "${kafka.topic}"},
                             {"header.null", ""}});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].topic, "copy.orders");
  EXPECT_EQ(made[0].partition, 3);
  EXPECT_EQ(made[0].key, "k1-42");
  EXPECT_EQ(made[0].value, "A VALUE");
  EXPECT_THAT(made[0].headers,
              ElementsAre(MirrorHeader{"kind", "new"}, MirrorHeader{"from", "orders"}));
}

TEST(MirrorExpressionHandler, LeavesTombstonesAndMissingKeysAsTheyAre) {
  MirrorRecord tombstone = record();
  tombstone.key.reset();
  tombstone.value.reset();
  const auto made = handled({{"Target Key", "k"}, {"Target Value", "v"}}, tombstone);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].key, std::nullopt);
  EXPECT_EQ(made[0].value, std::nullopt);
}

TEST(MirrorExpressionHandler, ThrowsWhereTheTopicHasNoName) {
  EXPECT_THROW(handled({{"Target Topic", "${header.absent}"}}), ProcessException);
}

TEST(MirrorMessageHandlers, AreFoundByName) {
  const Context context({});
  EXPECT_EQ(make_mirror_message_handler(kIdentityHandler, context), nullptr);
  EXPECT_THROW(make_mirror_message_handler("nobody's", context), ProcessException);
  class Own : public MirrorMessageHandler {
    void handle(MirrorRecord, std::vector<MirrorRecord>&) override {}
  };
  register_mirror_message_handler("own",
                                  [](const PropertyContext&) { return std::make_unique<Own>(); });
  EXPECT_NE(make_mirror_message_handler("own", context), nullptr);
  EXPECT_THAT(mirror_message_handlers(), ElementsAre(kExpressionHandler, kIdentityHandler, "own"));
}

}  // namespace
}  // namespace weir::processors::kafka
