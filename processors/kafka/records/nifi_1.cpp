#include "processors/kafka/records/nifi_1.h"

#include "processors/support/declare.h"

namespace weir::processors::kafka::nifi_1 {
namespace {

const PropertyDescriptor bootstrap_servers{
    .name = "bootstrap.servers",
    .display_name = "Kafka Brokers",
    .description = "Brokers to begin with, as HOST:PORT, several separated by commas.",
    .default_value = "localhost:9092",
    .required = true,
    .validator = broker_list(),
    .expression_scope = ExpressionScope::environment};
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
    .description = "How the client logs in. GSSAPI (Kerberos) comes with a later version.",
    .default_value = "GSSAPI",
    .allowable_values = {
        {"GSSAPI"}, {"PLAIN"}, {"SCRAM-SHA-256"}, {"SCRAM-SHA-512"}, {"AWS_MSK_IAM"}}};
const PropertyDescriptor username{.name = "sasl.username",
                                  .display_name = "Username",
                                  .description = "Who logs in.",
                                  .expression_scope = ExpressionScope::environment};
const PropertyDescriptor password{.name = "sasl.password",
                                  .display_name = "Password",
                                  .description = "The password of that user.",
                                  .sensitive = true,
                                  .expression_scope = ExpressionScope::environment};
const PropertyDescriptor token_auth{.name = "sasl.token.auth",
                                    .display_name = "Token Authentication",
                                    .description = "Login by delegation token is not supported.",
                                    .default_value = "false",
                                    .allowable_values = true_or_false()};
const PropertyDescriptor ssl_context{
    .name = "ssl.context.service",
    .display_name = "SSL Context Service",
    .description = "Whom the client trusts and what it shows of itself.",
    .controller_service = ssl::kSslContextInterface};

ConnectionValues values_of(const PropertyContext& context) {
  ConnectionValues values = read_connection(
      context, {bootstrap_servers, security_protocol, sasl_mechanism, username, password,
                max_poll_records, communications_timeout, metadata_wait, ack_wait});
  if (const auto value = context.property(honor_transactions); value.is_set()) {
    values.isolation_level = value.boolean() ? "read_committed" : "read_uncommitted";
  }
  return values;
}

}  // namespace

const PropertyDescriptor max_poll_records{.name = "max.poll.records",
                                          .display_name = "Max Poll Records",
                                          .description = "The most records of a session.",
                                          .default_value = "10000",
                                          .validator = validators::integer(1, INT32_MAX)};
const PropertyDescriptor honor_transactions{
    .name = "honor-transactions",
    .display_name = "Honor Transactions",
    .description = "Whether records of transactions that are not committed stay unseen.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor communications_timeout{
    .name = "Communications Timeout",
    .description = "How long an answer of the cluster is waited for.",
    .default_value = "60 secs",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1))};
const PropertyDescriptor ack_wait{
    .name = "ack.wait.time",
    .display_name = "Acknowledgment Wait Time",
    .description = "How long acknowledgements of published records are waited for.",
    .default_value = "5 secs",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1))};
const PropertyDescriptor metadata_wait{
    .name = "max.block.ms",
    .display_name = "Max Metadata Wait Time",
    .description = "How long a producer waits for a topic to become known.",
    .default_value = "5 sec",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1))};
const PropertyDescriptor record_reader{
    .name = "record-reader",
    .display_name = "Record Reader",
    .description = "Not in this version.",
    .controller_service = "org.apache.nifi.serialization.RecordReaderFactory"};
const PropertyDescriptor record_writer{
    .name = "record-writer",
    .display_name = "Record Writer",
    .description = "Not in this version.",
    .controller_service = "org.apache.nifi.serialization.RecordSetWriterFactory"};

PropertyDescriptor ignored(std::string name, std::string display_name) {
  return {.name = std::move(name),
          .display_name = std::move(display_name),
          .description = "Of a way that is not supported; without effect."};
}

std::vector<PropertyDescriptor> connection_properties() {
  return {bootstrap_servers,
          security_protocol,
          sasl_mechanism,
          ignored("kerberos-user-service", "Kerberos User Service"),
          ignored("kerberos-credentials-service", "Kerberos Credentials Service"),
          ignored("sasl.kerberos.service.name", "Kerberos Service Name"),
          ignored("sasl.kerberos.principal", "Kerberos Principal"),
          ignored("sasl.kerberos.keytab", "Kerberos Keytab"),
          username,
          password,
          token_auth,
          ignored("aws.profile.name", "AWS Profile Name"),
          ssl_context};
}

std::vector<ValidationProblem> check_connection(const PropertyContext& context) {
  const ConnectionValues values = values_of(context);
  std::vector<ValidationProblem> problems;
  const bool logs_in = values.security_protocol.starts_with("SASL");
  if (logs_in && values.sasl_mechanism == "AWS_MSK_IAM") {
    return {{sasl_mechanism.name, "AWS_MSK_IAM is not supported"}};
  }
  if (logs_in && context.property(token_auth).text() == "true") {
    problems.push_back({token_auth.name, "login by delegation token is not supported"});
  }
  if (logs_in && values.sasl_mechanism != "GSSAPI" &&
      (values.username.empty() || values.password.empty())) {
    problems.push_back({username.name, "the mechanism needs a username and a password"});
  }
  for (auto& problem : problems_of(values)) problems.push_back(std::move(problem));
  return problems;
}

std::shared_ptr<Connection> make_connection(ProcessContext& context) {
  return std::make_shared<ConfiguredConnection>(
      values_of(context), context.controller_service(ssl_context.name), context.log());
}

}  // namespace weir::processors::kafka::nifi_1

namespace weir::processors::kafka {

ProcessorDefinition as_in_1(ProcessorDefinition definition, const std::string& name,
                            std::vector<PropertyDescriptor> properties, bool was_unversioned) {
  const std::string package = "org.apache.nifi.processors.kafka.pubsub.";
  definition.type = package + name + "_2_6";
  for (const char* version : {"_2_0", "_1_0", "_0_11", "_0_10"}) {
    definition.old_types.push_back(package + name + version);
  }
  if (was_unversioned) definition.old_types.push_back(package + name);
  definition.dynamic_properties = DynamicPropertyNote{
      .name = "a setting of the client",
      .value = "its value",
      .description = "Given to librdkafka, names of the Java client translated.",
      .expression_scope = ExpressionScope::environment};
  definition.properties = std::move(properties);
  return definition;
}

}  // namespace weir::processors::kafka
