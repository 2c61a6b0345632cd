#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "processors/kafka/connection_settings.h"
#include "tests/integration/kafka/brokers.h"
#include "tests/integration/kafka/flow_engine.h"

// A cluster that wants logins and encrypts.
namespace weir::kafka_testing {
namespace {

using processors::kafka::Client;
using processors::kafka::configuration;
using processors::kafka::ConfiguredConnection;
using processors::kafka::ConnectionValues;
using tools::testing::eventually;
using tools::testing::Folder;
using tools::testing::operator""s;

struct Silent : ComponentLog {
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
};

class SecureBroker : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = new World; }
  static void TearDownTestSuite() {
    delete world_;
    world_ = nullptr;
  }

  struct World {
    World() : ports(free_ports(2)), broker(folder / "broker") {
      keytool("-genkeypair",
              "-alias broker -keyalg RSA -dname CN=localhost -ext SAN=DNS:localhost "
              "-keystore broker.p12");
      keytool("-exportcert", "-alias broker -keystore broker.p12 -file broker.cer");
      keytool("-importcert", "-alias broker -file broker.cer -noprompt -keystore trust.p12");
      add_listeners();
      broker.begin_format();
      broker.finish_format();
      broker.start();
    }
    void keytool(const std::string& command, const std::string& rest) const {
      const auto done = tools::testing::run(
          folder.path(),
          {"sh", "-c",
           fmt::format("keytool {} {} -storetype PKCS12 -storepass {}", command, rest, password)});
      if (done.exit_code != 0) throw std::runtime_error(done.out + done.err);
    }
    void add_listeners() const {
      const auto file = broker.folder() / "server.properties";
      std::map<std::string, std::string> values;
      for (const std::string& line : tools::testing::lines_of(tools::testing::read_file(file))) {
        values[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
      }
      values["listeners"] +=
          fmt::format(",SASL_PLAINTEXT://127.0.0.1:{},SSL://127.0.0.1:{}", ports[0], ports[1]);
      values["advertised.listeners"] +=
          fmt::format(",SASL_PLAINTEXT://127.0.0.1:{},SSL://localhost:{}", ports[0], ports[1]);
      values["listener.security.protocol.map"] =
          "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL";
      values["sasl.enabled.mechanisms"] = "PLAIN";
      values["listener.name.sasl_plaintext.plain.sasl.jaas.config"] =
          "org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=\"open\";";
      values["ssl.keystore.type"] = "PKCS12";
      values["ssl.keystore.location"] = (folder / "broker.p12").string();
      values["ssl.keystore.password"] = password;
      std::ofstream out(file);
      for (const auto& [name, value] : values) out << name << '=' << value << '\n';
    }

    const std::string password = "store-secret";
    const Folder folder;
    const std::vector<int> ports;
    Broker broker;
  };

  static rd_kafka_resp_err_t ask(const ConnectionValues& values) {
    static Silent silent;
    const ConfiguredConnection connection(values, nullptr);
    const Client client(RD_KAFKA_PRODUCER, configuration(connection.admin_settings()), silent);
    const rd_kafka_metadata_t* metadata = nullptr;
    const auto error = rd_kafka_metadata(client.get(), 1, nullptr, &metadata, 3'000);
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    return error;
  }
  static std::string address(int index) {
    return fmt::format("127.0.0.1:{}", world_->ports.at(static_cast<std::size_t>(index)));
  }

  static World* world_;
};
SecureBroker::World* SecureBroker::world_ = nullptr;

TEST_F(SecureBroker, LetsInWhoKnowsThePassword) {
  ConnectionValues values{.bootstrap_servers = address(0),
                          .security_protocol = "SASL_PLAINTEXT",
                          .sasl_mechanism = "PLAIN",
                          .username = "alice",
                          .password = "open"};
  EXPECT_EQ(ask(values), RD_KAFKA_RESP_ERR_NO_ERROR);
  values.password = "wrong";
  EXPECT_NE(ask(values), RD_KAFKA_RESP_ERR_NO_ERROR);
}

TEST_F(SecureBroker, LetsInByAJaasConfiguration) {
  EXPECT_EQ(ask({.bootstrap_servers = address(0),
                 .security_protocol = "SASL_PLAINTEXT",
                 .sasl_mechanism = "PLAIN",
                 .dynamic = {{"sasl.jaas.config",
                              "org.apache.kafka.common.security.plain.PlainLoginModule required "
                              "username=\"alice\" password=\"open\";"}}}),
            RD_KAFKA_RESP_ERR_NO_ERROR);
}

std::string secure_flow(int port, const std::string& truststore) {
  constexpr std::string_view text = R"({{
    "name": "secure",
    "services": {{
      "tls": {{"type": "StandardSSLContextService", "properties": {{
        "Truststore Filename": "{truststore}", "Truststore Password": "store-secret",
        "Truststore Type": "PKCS12"}}}},
      "cluster": {{"type": "Kafka3ConnectionService", "properties": {{
        "bootstrap.servers": "localhost:{port}", "security.protocol": "SSL",
        "broker.address.family": "v4", "SSL Context Service": {{"service": "tls"}}}}}}}},
    "processors": {{
      "make": {{"type": "GenerateFlowFile", "schedule": "1 hour",
                "properties": {{"generate-ff-custom-text": "by TLS"}}}},
      "publish": {{"type": "PublishKafka", "properties": {{
        "Kafka Connection Service": {{"service": "cluster"}}, "Topic Name": "secure"}},
        "autoTerminate": ["success"]}}}},
    "connections": ["make.success -> publish", "publish.failure -> publish"]}})";
  return fmt::format(text, fmt::arg("truststore", truststore), fmt::arg("port", port));
}

TEST_F(SecureBroker, IsReachedByTheSslContextService) {
  ClusterClient cluster(world_->broker.address());
  cluster.create_topic("secure", 1);
  FlowEngine engine(secure_flow(world_->ports[1], (world_->folder / "trust.p12").string()));
  engine.start();
  EXPECT_TRUE(eventually([&] {
    const auto records = cluster.consume("secure");
    return records.size() == 1 && records[0].value == "by TLS";
  })) << engine.said();
  EXPECT_THAT(engine.said(), ::testing::Not(::testing::HasSubstr("store-secret")));
  engine.stop();
}

}  // namespace
}  // namespace weir::kafka_testing
