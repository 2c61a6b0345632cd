#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "processors/kafka/connection_settings.h"
#include "tests/integration/kafka/brokers.h"
#include "tests/integration/kafka/secure_flow.h"

// What the connection service says, real brokers take, and what they do not take is told.
namespace weir::kafka_testing {
namespace {

using processors::kafka::Client;
using processors::kafka::configuration;
using processors::kafka::ConfiguredConnection;
using processors::kafka::ConnectionValues;
using tools::testing::eventually;
using tools::testing::operator""s;
using ::testing::HasSubstr;
using ::testing::Not;

struct Silent : ComponentLog {
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

// Nobody polls this client: what librdkafka needs for a login, it does by itself.
rd_kafka_resp_err_t ask(const Way& way) {
  static Silent silent;
  SecureBroker& secure = SecureBroker::instance();
  ConnectionValues values{.bootstrap_servers = secure.address(way)};
  Properties given = way.client;
  const auto take = [&given](const char* name, std::string& value) {
    if (const auto node = given.extract(name)) value = node.mapped();
  };
  take("security.protocol", values.security_protocol);
  take("sasl.mechanism", values.sasl_mechanism);
  take("sasl.username", values.username);
  take("sasl.password", values.password);
  given["broker.address.family"] = "v4";
  values.dynamic = given;
  const auto material = secure.material(way);
  const ConfiguredConnection connection(values, way.tls.empty() ? nullptr : &material);
  const Client client(RD_KAFKA_PRODUCER, configuration(connection.admin_settings()), silent);
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto error = rd_kafka_metadata(client.get(), 1, nullptr, &metadata, 10'000);
  if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
  return error;
}

TEST(Connection, LeadsInByEveryLogin) {
  for (const Way& way : SecureBroker::ways()) {
    EXPECT_EQ(ask(way), RD_KAFKA_RESP_ERR_NO_ERROR) << way.name;
  }
}

// Nothing of what only the two sides may know.
void expect_no_secret(const std::string& said) {
  for (const std::string& secret : SecureBroker::secrets()) {
    EXPECT_THAT(said, Not(HasSubstr(secret)));
  }
}

// Which of the processors have not named a place and a reason in one bulletin.
std::vector<std::string> silent(const std::string& said, const Way& way, const std::string& place,
                                const std::string& reason) {
  std::vector<std::string> silent;
  const auto lines = tools::testing::lines_of(said);
  for (const std::string& processor : SecureFlow::processors(way)) {
    const bool told = std::ranges::any_of(lines, [&](const std::string& line) {
      const auto holds = [&line](const std::string& part) {
        return line.find(part) != std::string::npos;
      };
      return (holds(" error " + processor + ": ") || holds(" warning " + processor + ": ")) &&
             holds(place) && holds(reason);
    });
    if (!told) silent.push_back(processor);
  }
  return silent;
}

// Through ConsumeKafka, PublishKafka and MirrorKafka, which has another login at its other end.
TEST(Connection, CarriesRecordsOfEveryLogin) {
  SecureFlow flow(SecureBroker::instance(), Brokers::instance(1).source());
  for (const Way& way : SecureBroker::ways()) flow.add(way);
  FlowEngine engine(flow.json());
  engine.start();
  EXPECT_TRUE(eventually([&] { return flow.missing().empty(); }, 60s))
      << ::testing::PrintToString(flow.missing()) << engine.said();
  expect_no_secret(engine.said());
  engine.stop();
}

// Before librdkafka 2.6.1 brokers of Kafka 4 take a right login by SCRAM for a wrong one: the flow
// says so, rather than leave it at that.
TEST(Connection, LeadsInByScramOrSaysWhyNot) {
  SecureFlow flow(SecureBroker::instance(), Brokers::instance(1).source());
  for (const Way& way : SecureBroker::scram_ways()) flow.add(way);
  FlowEngine engine(flow.json());
  engine.start();
  const auto reached = [&] {
    if (SecureBroker::scram_works()) return flow.missing().empty();
    return std::ranges::all_of(SecureBroker::scram_ways(), [&](const Way& way) {
      return silent(engine.said(), way, SecureBroker::instance().address(way), "credentials")
          .empty();
    });
  };
  EXPECT_TRUE(eventually(reached, 60s)) << engine.said();
  const auto warned = HasSubstr("to brokers before Kafka 4.0 only");
  EXPECT_EQ(SecureBroker::scram_works(), !::testing::Value(engine.said(), warned));
  expect_no_secret(engine.said());
  engine.stop();
}

TEST(Connection, NeedsThePermissionAndSaysSo) {
  SecureFlow flow(SecureBroker::instance(), Brokers::instance(1).source());
  const Way& way = SecureBroker::ways().at(0);
  flow.add(way);
  flow.allow("boss");
  FlowEngine engine(flow.json());
  engine.start();
  // A target that hides a topic is waited for, as one that is slow to make it.
  const auto still_silent = [&] {
    auto processors = silent(engine.said(), way, "", "authoriz");
    std::erase(processors, "mirror back " + way.name);
    return processors;
  };
  EXPECT_TRUE(eventually([&] { return still_silent().empty(); }, 30s))
      << ::testing::PrintToString(still_silent()) << engine.said();
  EXPECT_EQ(flow.missing().size(), 4u);
  flow.allow("alice");
  EXPECT_TRUE(eventually([&] { return flow.missing().empty(); }, 60s))
      << ::testing::PrintToString(flow.missing()) << engine.said();
  engine.stop();
}

TEST(Connection, SaysWhatKeepsItOutAndGoesOnWhenThatIsMended) {
  SecureBroker& secure = SecureBroker::instance();
  SecureFlow flow(secure, Brokers::instance(1).source());
  for (const Fault& fault : SecureBroker::faults()) flow.add(fault.way);
  FlowEngine engine(flow.json());
  engine.start();
  for (const Fault& fault : SecureBroker::faults()) {
    const auto still_silent = [&] {
      return silent(engine.said(), fault.way, secure.address(fault.way), fault.reason);
    };
    EXPECT_TRUE(eventually([&] { return still_silent().empty(); }, 30s))
        << ::testing::PrintToString(still_silent());
  }
  EXPECT_EQ(flow.missing().size(), 4 * SecureBroker::faults().size());
  secure.mend();
  EXPECT_TRUE(eventually([&] { return flow.missing().empty(); }, 90s))
      << ::testing::PrintToString(flow.missing());
  expect_no_secret(engine.said());
  if (HasFailure()) std::cerr << engine.said();
  engine.stop();
}

}  // namespace
}  // namespace weir::kafka_testing
