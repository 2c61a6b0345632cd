#include "processors/kafka/connection_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "processors/kafka/unsecured_token.h"

namespace weir::processors::kafka {
namespace {

// The first version whose login by SCRAM brokers of Kafka 4 take: those before send the nonce of
// theirs twice.
constexpr int kRightScram = 0x020601ff;

bool uses_sasl(const ConnectionValues& values) {
  return values.security_protocol.starts_with("SASL");
}

// librdkafka's bounds, and room for a fetch that waits half a second at the broker.
std::int64_t socket_timeout_ms(std::chrono::milliseconds api_timeout) {
  return std::clamp<std::int64_t>(api_timeout.count(), 2'000, 300'000);
}

// What librdkafka is told where the user does not say it: what the Java client does by default.
Settings defaults(const ConnectionValues& values) {
  return {{"bootstrap.servers", values.bootstrap_servers},
          {"client.id", "weir"},
          {"socket.timeout.ms", std::to_string(socket_timeout_ms(values.api_timeout))},
          {"socket.keepalive.enable", "true"},
          {"socket.nagle.disable", "true"},
          {"topic.metadata.propagation.max.ms", std::to_string(values.metadata_wait.count())},
          {"isolation.level", values.isolation_level},
          {"check.crcs", "true"}};
}

Settings security(const ConnectionValues& values, const ssl::TlsMaterial* tls) {
  Settings settings;
  std::string protocol = values.security_protocol;
  std::ranges::transform(protocol, protocol.begin(), [](char c) { return std::tolower(c); });
  settings["security.protocol"] = protocol;
  if (uses_sasl(values)) {
    settings["sasl.mechanism"] = values.sasl_mechanism;
    if (!values.username.empty()) settings["sasl.username"] = values.username;
    if (!values.password.empty()) settings["sasl.password"] = values.password;
  }
  if (tls == nullptr) return settings;
  if (!tls->trusted.empty()) settings["ssl.ca.pem"] = tls->trusted;
  if (!tls->private_key.empty()) {
    settings["ssl.certificate.pem"] = tls->certificate_chain;
    settings["ssl.key.pem"] = tls->private_key;
  }
  return settings;
}

std::chrono::milliseconds to_ms(const PropertyValue& value) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(value.duration());
}

Settings for_kind(const Settings& all, ClientKind kind) {
  Settings chosen;
  for (const auto& [name, value] : all) {
    const ClientKind of_setting = clients_of(name);
    if (of_setting == ClientKind::every || of_setting == kind) chosen.emplace(name, value);
  }
  return chosen;
}

std::vector<ValidationProblem> problems_of_tokens(const Settings& dynamic) {
  const auto value_of = [&dynamic](const std::string& name) {
    const auto found = dynamic.find(name);
    return found == dynamic.end() ? std::string() : found->second;
  };
  const std::string config = "sasl.oauthbearer.config";
  if (is_true(value_of(kUnsecuredTokens))) {
    const auto token = unsecured_token(value_of(config), 0);
    if (token) return {};
    return {{config, token.error()}};
  }
  if (value_of("sasl.oauthbearer.method") == "oidc") return {};
  return {{"sasl.mechanism",
           fmt::format("OAUTHBEARER needs tokens, and services that get them come with a later "
                       "version; unsecured ones are made where the properties {} = true and {} are "
                       "added",
                       kUnsecuredTokens, config)}};
}

}  // namespace

ConnectionValues read_connection(const PropertyContext& context,
                                 const ConnectionProperties& properties) {
  const auto if_set = [&context](const PropertyDescriptor& property, const auto& take) {
    if (const PropertyValue value = context.property(property); value.is_set()) take(value);
  };
  ConnectionValues values;
  values.bootstrap_servers = context.property(properties.bootstrap_servers).evaluate();
  values.security_protocol = context.property(properties.security_protocol).text();
  if (uses_sasl(values)) {
    values.sasl_mechanism = context.property(properties.sasl_mechanism).text();
    if (values.sasl_mechanism == "PLAIN" || values.sasl_mechanism.starts_with("SCRAM")) {
      if_set(properties.username, [&](const auto& value) { values.username = value.evaluate(); });
      if_set(properties.password, [&](const auto& value) { values.password = value.evaluate(); });
    }
  }
  if_set(properties.max_poll_records,
         [&](const auto& value) { values.max_poll_records = static_cast<int>(value.integer()); });
  if_set(properties.api_timeout, [&](const auto& value) { values.api_timeout = to_ms(value); });
  if_set(properties.metadata_wait, [&](const auto& value) { values.metadata_wait = to_ms(value); });
  if_set(properties.ack_wait, [&](const auto& value) { values.ack_wait = to_ms(value); });
  for (const std::string& name : context.dynamic_properties()) {
    values.dynamic[name] = context.property(name).evaluate();
  }
  return values;
}

std::vector<ValidationProblem> problems_of(const ConnectionValues& values) {
  std::vector<ValidationProblem> problems;
  for (const auto& [name, value] : values.dynamic) {
    const auto translated = translate(name, value);
    const std::string problem = translated ? problem_of(*translated) : translated.error();
    if (!problem.empty()) problems.push_back({name, problem});
  }
  if (uses_sasl(values) && values.sasl_mechanism == "GSSAPI") {
    problems.push_back({"sasl.mechanism",
                        "Kerberos needs a Kerberos User Service, which comes with a later version; "
                        "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER are there"});
  }
  if (values.sasl_mechanism == "OAUTHBEARER") {
    for (auto& problem : problems_of_tokens(values.dynamic)) problems.push_back(std::move(problem));
  }
  Settings own = defaults(values);
  own.merge(security(values, nullptr));
  if (std::string problem = problem_of(own); !problem.empty()) {
    problems.push_back({"", std::move(problem)});
  }
  return problems;
}

std::vector<std::string> warnings_of(const ConnectionValues& values, const ssl::TlsMaterial* tls) {
  std::vector<std::string> warnings;
  if (values.sasl_mechanism.starts_with("SCRAM") && rd_kafka_version() < kRightScram) {
    warnings.push_back(
        fmt::format("librdkafka {} can log in by {} to brokers before Kafka 4.0 only: later ones "
                    "answer that the credentials are invalid. It takes librdkafka 2.6.1, or "
                    "another mechanism",
                    rd_kafka_version_str(), values.sasl_mechanism));
  }
  if (tls != nullptr && tls->protocol.starts_with("TLSv")) {
    warnings.push_back(fmt::format(
        "librdkafka cannot be held to {}: it agrees with the broker on the best version that both "
        "know",
        tls->protocol));
  }
  return warnings;
}

void ConfiguredConnection::configure(const ConnectionValues& values, const ssl::TlsMaterial* tls) {
  if (const auto problems = problems_of(values); !problems.empty()) {
    const ValidationProblem& first = problems.front();
    throw ProcessException(first.property.empty()
                               ? first.message
                               : fmt::format("{}: {}", first.property, first.message));
  }
  Settings all = defaults(values);
  for (auto& [name, value] : security(values, tls)) all.insert_or_assign(name, value);
  for (const auto& [name, value] : values.dynamic) {
    const auto translated = translate(name, value);
    for (const auto& [ours, text] : *translated) all.insert_or_assign(ours, text);
  }
  values_ = values;
  admin_ = for_kind(all, ClientKind::every);
  consumer_ = for_kind(all, ClientKind::consumer);
  producer_ = for_kind(all, ClientKind::producer);
}

void ConfiguredConnection::configure(const ConnectionValues& values,
                                     const std::shared_ptr<ControllerService>& ssl_context,
                                     ComponentLog& log) {
  const auto ssl = std::dynamic_pointer_cast<ssl::SslContext>(ssl_context);
  if (ssl_context && !ssl) {
    throw ProcessException("SSL Context Service names another kind of service");
  }
  const bool encrypts = values.security_protocol.ends_with("SSL");
  const ssl::TlsMaterial* const tls = encrypts && ssl ? &ssl->material() : nullptr;
  for (const std::string& warning : warnings_of(values, tls)) log.warn("{}", warning);
  configure(values, tls);
}

Validator broker_list() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (value.empty()) return "empty, instead of HOST:PORT, several separated by commas";
    while (true) {
      const std::size_t comma = value.find(',');
      std::string_view one = value.substr(0, comma);
      while (one.starts_with(' ')) one.remove_prefix(1);
      while (one.ends_with(' ')) one.remove_suffix(1);
      const std::size_t colon = one.rfind(':');
      int port = 0;
      const char* const end = one.data() + one.size();
      const bool has_port = colon != std::string_view::npos && colon > 0;
      if (has_port) {
        const auto [stop, error] = std::from_chars(one.data() + colon + 1, end, port);
        if (error != std::errc() || stop != end) port = 0;
      }
      if (port < 1 || port > 65'535) {
        return fmt::format("'{}' is not HOST:PORT; several are separated by commas", one);
      }
      if (comma == std::string_view::npos) return std::nullopt;
      value.remove_prefix(comma + 1);
    }
  };
}

}  // namespace weir::processors::kafka
