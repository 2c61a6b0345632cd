#include "tests/integration/kafka/secure_broker.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <stdexcept>

#include "processors/ssl/key_store.h"
#include "tests/processors/ssl/certificate.h"

namespace weir::kafka_testing {
namespace {

using processors::ssl::test::Certificate;

constexpr const char* kStorePassword = "store-secret";
constexpr const char* kPassword = "alice-secret";
constexpr const char* kOtherPassword = "other-secret";

struct Listener {
  std::string name;
  std::string protocol;
  Properties properties = {};
  // Until the cluster is mended:
  std::string wrong_protocol = {};
  Properties wrong = {};
};

// The first one's value counts.
Properties operator+(Properties some, const Properties& more) {
  some.insert(more.begin(), more.end());
  return some;
}

Properties users(const std::string& password) {
  return {{"plain.sasl.jaas.config",
           fmt::format("org.apache.kafka.common.security.plain.PlainLoginModule required "
                       "user_alice=\"{}\"{};",
                       password, password == kPassword ? " user_bob=\"alice-secret\"" : "")}};
}

Properties tokens(const std::string& scope) {
  const std::string wanted =
      scope.empty() ? "" : fmt::format(" unsecuredValidatorRequiredScope=\"{}\"", scope);
  return {{"oauthbearer.sasl.jaas.config",
           "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
           "unsecuredLoginStringClaim_sub=\"broker\"" +
               wanted + ";"}};
}

Properties mechanisms(const std::string& names) {
  return {{"sasl.enabled.mechanisms", names}};
}

Properties key_store(const std::string& name) {
  return {{"ssl.keystore.location", "../" + name + ".pem"}};
}

const std::vector<Listener>& listeners() {
  static const std::string scram =
      "org.apache.kafka.common.security.scram.ScramLoginModule required;";
  static const Properties all = users(kPassword) + tokens("") +
                                mechanisms("PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER") +
                                Properties{{"scram-sha-256.sasl.jaas.config", scram},
                                           {"scram-sha-512.sasl.jaas.config", scram}};
  static const std::vector<Listener> listeners = {
      {"LOGIN", "SASL_PLAINTEXT", all},
      {"LOGIN_TLS", "SASL_SSL", all + key_store("broker")},
      {"TLS", "SSL", key_store("broker")},
      {"MUTUAL", "SSL", key_store("broker") + Properties{{"ssl.client.auth", "required"}}},
      {"PASSWORD", "SASL_PLAINTEXT", all, "", users(kOtherPassword)},
      {"MECHANISM", "SASL_PLAINTEXT", all, "", mechanisms("SCRAM-SHA-512")},
      {"SCOPE", "SASL_PLAINTEXT", all, "", tokens("kafka")},
      {"EXPIRED", "SSL", key_store("broker"), "", key_store("expired")},
      {"UNKNOWN", "SSL", key_store("broker"), "", key_store("unknown")},
      {"ELSEWHERE", "SSL", key_store("broker"), "", key_store("elsewhere")},
      {"SHY",
       "SSL",
       key_store("broker") + Properties{{"ssl.client.auth", "none"}},
       "",
       {{"ssl.client.auth", "required"}}},
      {"ENCRYPTED", "PLAINTEXT", {}, "SSL", key_store("broker")},
      {"OPEN", "SSL", key_store("broker"), "PLAINTEXT"},
  };
  return listeners;
}

Properties login(const std::string& mechanism, const std::string& user = "alice") {
  Properties client = {{"security.protocol", "SASL_PLAINTEXT"}, {"sasl.mechanism", mechanism}};
  if (mechanism == "OAUTHBEARER") {
    return client +
           Properties{{"enable.sasl.oauthbearer.unsecure.jwt", "true"},
                      {"sasl.oauthbearer.config", "principal=" + user + " lifeSeconds=10"}};
  }
  return client + Properties{{"sasl.username", user}, {"sasl.password", kPassword}};
}

Properties encrypted(Properties login) {
  login["security.protocol"] = "SASL_SSL";
  return login;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string service(const std::string& name, const std::string& type, const Properties& properties,
                    const std::string& more = {}) {
  std::string text = more;
  for (const auto& [property, value] : properties) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", quoted(property), quoted(value));
  }
  return fmt::format(R"({}: {{"type": "{}", "properties": {{{}}}}})", quoted(name), type, text);
}

}  // namespace

SecureBroker& SecureBroker::instance() {
  static SecureBroker broker;
  return broker;
}

const std::vector<std::string>& SecureBroker::secrets() {
  static const std::vector<std::string> all = {kStorePassword, kPassword, kOtherPassword,
                                               "PRIVATE KEY", "eyJ"};  // how a token begins
  return all;
}

const std::vector<Way>& SecureBroker::ways() {
  static const Properties tls = {{"security.protocol", "SSL"}};
  static const std::vector<Way> ways = {
      {"plain", "LOGIN", login("PLAIN")},
      {"token", "LOGIN", login("OAUTHBEARER")},
      {"plain-tls", "LOGIN_TLS", encrypted(login("PLAIN")), "trusting"},
      {"token-tls", "LOGIN_TLS", encrypted(login("OAUTHBEARER")), "trusting"},
      {"tls", "TLS", tls, "trusting"},
      {"mutual-tls", "MUTUAL", tls, "known"},
      {"jaas",
       "LOGIN",
       {{"security.protocol", "SASL_PLAINTEXT"},
        {"sasl.mechanism", "PLAIN"},
        {"sasl.username", "nobody"},
        {"sasl.password", "nothing"},
        {"sasl.jaas.config", fmt::format("org.apache.kafka.common.security.plain.PlainLoginModule "
                                         "required username=\"alice\" password=\"{}\";",
                                         kPassword)}}},
  };
  return ways;
}

const std::vector<Way>& SecureBroker::scram_ways() {
  static const std::vector<Way> ways = {
      {"scram-256", "LOGIN", login("SCRAM-SHA-256")},
      {"scram-512", "LOGIN", login("SCRAM-SHA-512")},
      {"scram-256-tls", "LOGIN_TLS", encrypted(login("SCRAM-SHA-256")), "trusting"},
      {"scram-512-tls", "LOGIN_TLS", encrypted(login("SCRAM-SHA-512")), "trusting"},
  };
  return ways;
}

bool SecureBroker::scram_works() {
  return rd_kafka_version() >= 0x020601ff;
}

const std::vector<Fault>& SecureBroker::faults() {
  static const Properties tls = {{"security.protocol", "SSL"}};
  static const std::vector<Fault> faults = {
      {{"wrong-password", "PASSWORD", login("PLAIN")}, "Authentication failed"},
      {{"unknown-user", "PASSWORD", login("PLAIN", "bob")}, "Authentication failed"},
      {{"wrong-mechanism", "MECHANISM", login("PLAIN")}, "mechanism"},
      {{"token-without-scope", "SCOPE", login("OAUTHBEARER")}, "scope"},
      {{"expired-certificate", "EXPIRED", tls, "trusting"}, "certificate has expired"},
      {{"unknown-authority", "UNKNOWN", tls, "trusting"}, "unable to get local issuer certificate"},
      {{"another-host", "ELSEWHERE", tls, "trusting"}, "hostname mismatch"},
      {{"no-client-certificate", "SHY", tls, "trusting"}, "certificate"},
      {{"plain-to-tls", "ENCRYPTED", {}}, "incorrect security.protocol"},
      {{"tls-to-plain", "OPEN", tls, "trusting"}, "SSL"},
  };
  return faults;
}

SecureBroker::SecureBroker()
    : broker_(folder_ / "broker",
              {{"authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"},
               {"super.users", "User:ANONYMOUS"},
               {"allow.everyone.if.no.acl.found", "true"},
               {"ssl.keystore.type", "PEM"},
               {"ssl.truststore.type", "PEM"},
               {"ssl.truststore.location", "../authority.pem"}}) {
  make_certificates();
  for (const Listener& one : listeners()) {
    const bool by_name = one.protocol.ends_with("SSL") || one.wrong_protocol == "SSL";
    addresses_[one.name] =
        broker_.add_listener(one.name, one.protocol, by_name ? "localhost" : "127.0.0.1");
  }
  set_listeners(false);
  const auto user = [](const char* mechanism) {
    return fmt::format("{}=[name=alice,password={}]", mechanism, kPassword);
  };
  broker_.begin_format(
      {"--add-scram", user("SCRAM-SHA-256"), "--add-scram", user("SCRAM-SHA-512")});
  broker_.finish_format();
  broker_.start();
}

// The client's truststore is keytool's, as users have it.
void SecureBroker::make_certificates() const {
  const std::string here = "DNS:localhost,IP:127.0.0.1";
  const Certificate authority({.name = "authority"});
  const Certificate stranger({.name = "stranger"});
  const auto write = [this](const std::string& name, const Certificate& own) {
    folder_.write(name + ".pem", own.key_pem() + own.pem());
  };
  write("broker", Certificate({.name = "broker", .issuer = &authority, .hosts = here}));
  write("unknown", Certificate({.name = "broker", .issuer = &stranger, .hosts = here}));
  write("expired",
        Certificate({.name = "broker", .issuer = &authority, .hosts = here, .until_s = -60}));
  write("elsewhere", Certificate({.name = "broker",
                                  .issuer = &authority,
                                  .hosts = "DNS:elsewhere.example,IP:192.0.2.1"}));
  folder_.write("authority.pem", authority.pem());
  Certificate({.name = "client", .issuer = &authority})
      .write_store(folder_ / "client.p12", kStorePassword);
  const auto done =
      tools::testing::run(folder_.path(), {"keytool", "-importcert", "-alias", "authority", "-file",
                                           "authority.pem", "-noprompt", "-keystore", "trust.p12",
                                           "-storetype", "PKCS12", "-storepass", kStorePassword});
  if (done.exit_code != 0) throw std::runtime_error(done.out + done.err);
}

void SecureBroker::set_listeners(bool mended) {
  Properties all;
  std::string protocols = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT";
  for (const Listener& one : listeners()) {
    const bool other = !mended && !one.wrong_protocol.empty();
    protocols += fmt::format(",{}:{}", one.name, other ? one.wrong_protocol : one.protocol);
    std::string name = one.name;
    std::ranges::transform(name, name.begin(), [](char c) { return std::tolower(c); });
    for (const auto& [property, value] : mended ? one.properties : one.wrong + one.properties) {
      all[fmt::format("listener.name.{}.{}", name, property)] = value;
    }
  }
  all["listener.security.protocol.map"] = protocols;
  broker_.set_properties(all);
}

processors::ssl::TlsMaterial SecureBroker::material(const Way& way) const {
  using processors::ssl::read_pkcs12;
  processors::ssl::TlsMaterial material;
  if (way.tls.empty()) return material;
  material.trusted = read_pkcs12(folder_ / "trust.p12", kStorePassword).certificates;
  if (way.tls != "known") return material;
  const auto own = read_pkcs12(folder_ / "client.p12", kStorePassword);
  material.private_key = own.private_key;
  material.certificate_chain = own.certificate_chain;
  return material;
}

std::string SecureBroker::services(const Way& way) const {
  Properties cluster = way.client;
  cluster["bootstrap.servers"] = address(way);
  cluster["broker.address.family"] = "v4";  // where "localhost" is ::1 first
  cluster["reconnect.backoff.max.ms"] = "1000";
  cluster["default.api.timeout.ms"] = "5 sec";
  if (way.tls.empty()) return service(way.name, "Kafka3ConnectionService", cluster);
  const std::string tls = "stores of " + way.name;
  Properties stores = {{"Truststore Filename", (folder_ / "trust.p12").string()},
                       {"Truststore Password", kStorePassword},
                       {"Truststore Type", "PKCS12"}};
  if (way.tls == "known") {
    stores.insert({{"Keystore Filename", (folder_ / "client.p12").string()},
                   {"Keystore Password", kStorePassword},
                   {"Keystore Type", "PKCS12"}});
  }
  return service(tls, "StandardSSLContextService", stores) + ",\n" +
         service(way.name, "Kafka3ConnectionService", cluster,
                 fmt::format(R"("SSL Context Service": {{"service": {}}})", quoted(tls)));
}

void SecureBroker::mend() {
  broker_.stop();
  set_listeners(true);
  broker_.start();
}

}  // namespace weir::kafka_testing
