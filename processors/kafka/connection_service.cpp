#include "processors/kafka/connection_service.h"

#include "processors/kafka/connection_settings.h"
#include "processors/support/declare.h"

namespace weir::processors::kafka {
namespace {

using PropertyDependencies = std::vector<PropertyDescriptor::Dependency>;

const PropertyDescriptor bootstrap_servers{
    .name = "bootstrap.servers",
    .display_name = "Bootstrap Servers",
    .description =
        "Brokers to begin with, as HOST:PORT, several separated by commas; the others "
        "are learnt from them.",
    .required = true,
    .validator = broker_list()};

const PropertyDescriptor security_protocol{
    .name = "security.protocol",
    .display_name = "Security Protocol",
    .description = "Whether connections are encrypted (SSL) and whether the client logs in (SASL).",
    .default_value = "PLAINTEXT",
    .required = true,
    .allowable_values = {{"PLAINTEXT"}, {"SSL"}, {"SASL_PLAINTEXT"}, {"SASL_SSL"}}};

const PropertyDescriptor sasl_mechanism{
    .name = "sasl.mechanism",
    .display_name = "SASL Mechanism",
    .description =
        "How the client logs in. GSSAPI (Kerberos) comes with a later version. SCRAM needs "
        "librdkafka "
        "2.6.1 where the brokers are of Kafka 4.0 or later.",
    .default_value = "GSSAPI",
    .required = true,
    .allowable_values =
        {{"GSSAPI"}, {"PLAIN"}, {"SCRAM-SHA-256"}, {"SCRAM-SHA-512"}, {"OAUTHBEARER"}},
    .depends_on = {{"security.protocol", {"SASL_PLAINTEXT", "SASL_SSL"}}}};

PropertyDependencies with_mechanism(std::vector<std::string> mechanisms) {
  return {{sasl_mechanism.name, std::move(mechanisms)}};
}

const PropertyDescriptor sasl_username{
    .name = "sasl.username",
    .display_name = "SASL Username",
    .description = "Who logs in.",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .depends_on = with_mechanism({"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})};

const PropertyDescriptor sasl_password{
    .name = "sasl.password",
    .display_name = "SASL Password",
    .description = "The password of that user.",
    .required = true,
    .sensitive = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .depends_on = with_mechanism({"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})};

const PropertyDescriptor token_provider{
    .name = "oauth2-access-token-provider-service",
    .display_name = "OAuth2 Access Token Provider Service",
    .description =
        "Not in this version. Unsecured tokens are made where the properties "
        "enable.sasl.oauthbearer.unsecure.jwt = true and sasl.oauthbearer.config are added.",
    .controller_service = "org.apache.nifi.oauth2.OAuth2AccessTokenProvider",
    .depends_on = with_mechanism({"OAUTHBEARER"})};

const PropertyDescriptor kerberos_user{
    .name = "kerberos-user-service",
    .display_name = "Kerberos User Service",
    .description = "Not in this version.",
    .required = true,
    .controller_service = "org.apache.nifi.kerberos.SelfContainedKerberosUserService",
    .depends_on = with_mechanism({"GSSAPI"})};

const PropertyDescriptor kerberos_service_name{
    .name = "sasl.kerberos.service.name",
    .display_name = "Kerberos Service Name",
    .description = "The name that the brokers have in Kerberos. Not in this version.",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .depends_on = with_mechanism({"GSSAPI"})};

const PropertyDescriptor ssl_context{
    .name = "SSL Context Service",
    .description =
        "Whom the client trusts and what it shows of itself. Without it: the "
        "authorities of the system, and nothing.",
    .controller_service = ssl::kSslContextInterface,
    .depends_on = {{security_protocol.name, {"SSL", "SASL_SSL"}}}};

const PropertyDescriptor isolation_level{
    .name = "isolation.level",
    .display_name = "Transaction Isolation Level",
    .description = "Whether consumers see records of transactions that are not committed.",
    .default_value = "read_committed",
    .required = true,
    .allowable_values = {{"read_committed", "Read Committed"},
                         {"read_uncommitted", "Read Uncommitted"}}};

const PropertyDescriptor max_poll_records{
    .name = "max.poll.records",
    .display_name = "Max Poll Records",
    .description = "The most records that a consumer hands over at once.",
    .default_value = "10000",
    .required = true,
    .validator = validators::integer(1, INT32_MAX)};

const PropertyDescriptor api_timeout{
    .name = "default.api.timeout.ms",
    .display_name = "Client Timeout",
    .description = "How long an answer of the cluster is waited for.",
    .default_value = "60 sec",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1))};

const PropertyDescriptor metadata_wait{
    .name = "max.block.ms",
    .display_name = "Max Metadata Wait Time",
    .description = "How long a producer waits for a topic to become known.",
    .default_value = "5 sec",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1)),
    .expression_scope = ExpressionScope::environment};

const PropertyDescriptor ack_wait{
    .name = "ack.wait.time",
    .display_name = "Acknowledgment Wait Time",
    .description = "How long acknowledgements of published records are waited for.",
    .default_value = "5 sec",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1))};

ConnectionValues values_of(const PropertyContext& context) {
  ConnectionValues values = read_connection(
      context, {bootstrap_servers, security_protocol, sasl_mechanism, sasl_username, sasl_password,
                max_poll_records, api_timeout, metadata_wait, ack_wait});
  values.isolation_level = context.property(isolation_level).text();
  return values;
}

class Kafka3ConnectionService : public ConfiguredConnection {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    return problems_of(values_of(context));
  }
  void on_enabled(ComponentContext& context) override {
    configure(values_of(context), context.controller_service(ssl_context.name), context.log());
  }
};

ControllerServiceDefinition declare() {
  ControllerServiceDefinition definition;
  definition.type = "org.apache.nifi.kafka.service.Kafka3ConnectionService";
  definition.summary =
      "How a Kafka cluster is reached: brokers, login, encryption, time limits. Properties that "
      "are added here are settings of the client, by the names of Kafka's Java client or of "
      "librdkafka.";
  definition.tags = {"apache", "kafka", "message", "publish", "consume"};
  definition.properties = {
      bootstrap_servers, security_protocol, sasl_mechanism,        sasl_username, sasl_password,
      token_provider,    kerberos_user,     kerberos_service_name, ssl_context,   isolation_level,
      max_poll_records,  api_timeout,       metadata_wait,         ack_wait};
  definition.dynamic_properties = DynamicPropertyNote{
      .name = "a setting of the client",
      .value = "its value",
      .description = "Given to librdkafka, names of the Java client translated.",
      .expression_scope = ExpressionScope::environment};
  definition.interfaces = {kConnectionInterface};
  definition.make = [] { return std::make_unique<Kafka3ConnectionService>(); };
  return definition;
}

}  // namespace

const ControllerServiceDefinition& kafka3_connection_service() {
  static const ControllerServiceDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors::kafka
