#include "processors/kafka/connection_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/flow/check.h"
#include "processors/kafka/connection_settings.h"

namespace weir::processors::kafka {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;

using Values = std::map<std::string, std::string>;

std::vector<std::string> problems(Values values) {
  values.emplace("bootstrap.servers", "a:9092");
  const auto& definition = kafka3_connection_service();
  const flow::PlainPropertyContext context(definition, values);
  std::vector<std::string> found;
  for (const auto& one : definition.make()->custom_validate(context)) {
    found.push_back(one.property + ": " + one.message);
  }
  return found;
}

ConfiguredConnection connection(Values dynamic) {
  return ConfiguredConnection({.bootstrap_servers = "a:9092,b:9092", .dynamic = dynamic}, nullptr);
}

TEST(ConnectionService, PassesOnSettingsOfTheJavaClientByTheirCounterparts) {
  const auto made =
      connection({{"fetch.max.wait.ms", "70"},
                  {"send.buffer.bytes", "1000"},
                  {"request.timeout.ms", "9000"},
                  {"buffer.memory", "1048576"},
                  {"metadata.max.age.ms", "1000"},
                  {"linger.ms", "7"},
                  {"partition.assignment.strategy",
                   "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"},
                  {"key.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer"}});
  EXPECT_THAT(
      made.consumer_settings(),
      IsSupersetOf({Pair("fetch.wait.max.ms", "70"),
                    Pair("partition.assignment.strategy", "cooperative-sticky"),
                    Pair("socket.send.buffer.bytes", "1000"), Pair("socket.timeout.ms", "9000"),
                    Pair("topic.metadata.refresh.interval.ms", "1000"),
                    Pair("metadata.max.age.ms", "3000"), Pair("isolation.level", "read_committed"),
                    Pair("check.crcs", "true")}));
  EXPECT_THAT(made.producer_settings(),
              IsSupersetOf({Pair("queue.buffering.max.kbytes", "1024"), Pair("linger.ms", "7"),
                            Pair("bootstrap.servers", "a:9092,b:9092")}));
}

// librdkafka warns of each setting that a client of the kind does not have.
TEST(ConnectionService, GivesEachKindOfClientItsOwnSettings) {
  const auto made = connection({{"linger.ms", "7"}, {"fetch.min.bytes", "2"}});
  EXPECT_THAT(made.producer_settings(), Contains(Pair("linger.ms", "7")));
  EXPECT_FALSE(made.producer_settings().contains("fetch.min.bytes"));
  EXPECT_FALSE(made.producer_settings().contains("isolation.level"));
  EXPECT_FALSE(made.consumer_settings().contains("linger.ms"));
  EXPECT_FALSE(made.admin_settings().contains("fetch.min.bytes"));
  EXPECT_FALSE(made.admin_settings().contains("linger.ms"));
  for (const Settings& settings :
       {made.consumer_settings(), made.producer_settings(), made.admin_settings()}) {
    EXPECT_EQ(problem_of(settings), "");
  }
}

TEST(ConnectionService, RefusesSettingsThatMeanNothingHere) {
  EXPECT_THAT(problems({{"statistics.interval.ms", "0"}, {"retries", "3"}}), IsEmpty());
  EXPECT_THAT(problems({{"metric.reporters", "x"}}), ElementsAre(HasSubstr("metric.reporters: ")));
  EXPECT_THAT(problems({{"group.id", "mine"}}), ElementsAre(HasSubstr("the processor sets it")));
  EXPECT_THAT(problems({{"linger.ms", "soon"}}), ElementsAre(HasSubstr("'soon'")));
  EXPECT_THAT(problems({{"buffer.memory", "much"}}), ElementsAre(HasSubstr("no whole number")));
  EXPECT_THAT(problems({{"partition.assignment.strategy",
                         "org.apache.kafka.clients.consumer.StickyAssignor"}}),
              ElementsAre(HasSubstr("CooperativeStickyAssignor")));
}

TEST(ConnectionService, RefusesSettingsThatRunCode) {
  for (const char* name :
       {"plugin.library.paths", "ssl.engine.location", "sasl.kerberos.kinit.cmd"}) {
    EXPECT_THAT(problems({{name, "x"}}), ElementsAre(HasSubstr("load code or run commands")));
  }
}

TEST(ConnectionService, LogsInAsItsPropertiesSay) {
  const auto made = ConfiguredConnection({.bootstrap_servers = "a:1",
                                          .security_protocol = "SASL_SSL",
                                          .sasl_mechanism = "SCRAM-SHA-512",
                                          .username = "me",
                                          .password = "secret"},
                                         nullptr);
  EXPECT_THAT(
      made.admin_settings(),
      IsSupersetOf({Pair("security.protocol", "sasl_ssl"), Pair("sasl.mechanism", "SCRAM-SHA-512"),
                    Pair("sasl.username", "me"), Pair("sasl.password", "secret")}));
}

TEST(ConnectionService, TakesTheLoginOfJaas) {
  const auto login = translate_jaas(
      "org.apache.kafka.common.security.scram.ScramLoginModule required\n"
      " username=\"me\" password=\"a \\\"b\\\"; c\";");
  ASSERT_TRUE(login);
  EXPECT_THAT(*login,
              ElementsAre(Pair("sasl.password", "a \"b\"; c"), Pair("sasl.username", "me")));
}

TEST(ConnectionService, KeepsThePasswordOfJaasOutOfMessages) {
  for (const char* text :
       {"x.PlainLoginModule required username=\"me\" password=\"topsecret\"",
        "x.PlainLoginModule required username=\"me\" password=\"topsecret;",
        "x.Krb5LoginModule required password=\"topsecret\";",
        "x.PlainLoginModule required password=\"topsecret\";",
        "x.ScramLoginModule required username=u password=\"topsecret\" tokenauth=\"true\";"}) {
    const auto login = translate_jaas(text);
    ASSERT_FALSE(login) << text;
    EXPECT_THAT(login.error(), Not(HasSubstr("topsecret")));
  }
}

TEST(ConnectionService, SaysThatKerberosComesLater) {
  EXPECT_THAT(problems({{"security.protocol", "SASL_PLAINTEXT"}}),
              ElementsAre(AllOf(HasSubstr("sasl.mechanism: "), HasSubstr("later version"))));
  EXPECT_THAT(problems({{"sasl.mechanism", "GSSAPI"}}), IsEmpty());  // without SASL
}

// librdkafka would wait for a token for ever and say nothing.
TEST(ConnectionService, WantsASourceOfTokens) {
  const Values login = {{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", "OAUTHBEARER"}};
  EXPECT_THAT(problems(login), ElementsAre(AllOf(HasSubstr("sasl.mechanism: "),
                                                 HasSubstr("enable.sasl.oauthbearer.unsecure"))));
  Values with_tokens = login;
  with_tokens["enable.sasl.oauthbearer.unsecure.jwt"] = "true";
  with_tokens["sasl.oauthbearer.config"] = "principal=me";
  EXPECT_THAT(problems(with_tokens), IsEmpty());
}

TEST(ConnectionService, WarnsOfWhatLibrdkafkaDoesOtherwise) {
  ConnectionValues values{.bootstrap_servers = "a:1", .security_protocol = "SASL_SSL"};
  ssl::TlsMaterial tls;
  tls.protocol = "TLS";
  EXPECT_THAT(warnings_of(values, &tls), IsEmpty());
  EXPECT_THAT(warnings_of(values, nullptr), IsEmpty());
  tls.protocol = "TLSv1.2";
  EXPECT_THAT(warnings_of(values, &tls), ElementsAre(HasSubstr("TLSv1.2")));
  values.sasl_mechanism = "PLAIN";
  EXPECT_THAT(warnings_of(values, nullptr), IsEmpty());
  values.sasl_mechanism = "SCRAM-SHA-512";
  if (rd_kafka_version() < 0x020601ff) {
    EXPECT_THAT(warnings_of(values, nullptr), ElementsAre(HasSubstr("before Kafka 4.0")));
  } else {
    EXPECT_THAT(warnings_of(values, nullptr), IsEmpty());
  }
}

TEST(ConnectionService, UsesKeysAndAuthoritiesOfTheSslContext) {
  const ssl::TlsMaterial tls{
      .certificate_chain = "C", .private_key = "K", .trusted = "T", .protocol = "TLS"};
  const ConfiguredConnection made(
      {.bootstrap_servers = "a:1", .security_protocol = "SSL", .dynamic = {}}, &tls);
  EXPECT_THAT(made.consumer_settings(),
              IsSupersetOf({Pair("ssl.ca.pem", "T"), Pair("ssl.key.pem", "K"),
                            Pair("ssl.certificate.pem", "C")}));
}

TEST(BrokerList, TakesHostsWithPorts) {
  const Validator list = broker_list();
  EXPECT_EQ(list("a:9092"), std::nullopt);
  EXPECT_EQ(list("a:9092, b.c:1,[::1]:65535"), std::nullopt);
  for (const char* wrong : {"", "a", "a:", ":1", "a:0", "a:65536", "a:9092,", "a:9092,b", "a:x"}) {
    EXPECT_NE(list(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace weir::processors::kafka
