#include "processors/kafka/connection_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace weir::processors::kafka {
namespace {

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
          {"log.connection.close", "false"},  // idle connections are closed by brokers every day
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

Settings for_kind(const Settings& all, ClientKind kind) {
  Settings chosen;
  for (const auto& [name, value] : all) {
    const ClientKind of_setting = clients_of(name);
    if (of_setting == ClientKind::every || of_setting == kind) chosen.emplace(name, value);
  }
  return chosen;
}

}  // namespace

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
  Settings own = defaults(values);
  own.merge(security(values, nullptr));
  if (std::string problem = problem_of(own); !problem.empty()) {
    problems.push_back({"", std::move(problem)});
  }
  return problems;
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
