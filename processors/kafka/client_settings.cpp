#include "processors/kafka/client_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

namespace weir::processors::kafka {
namespace {

using Result = std::expected<Settings, std::string>;

struct Rename {
  std::string_view java;
  std::string_view ours;
};

constexpr std::array kRenames = {
    Rename{"send.buffer.bytes", "socket.send.buffer.bytes"},
    Rename{"receive.buffer.bytes", "socket.receive.buffer.bytes"},
    Rename{"fetch.max.wait.ms", "fetch.wait.max.ms"},
    Rename{"max.request.size", "message.max.bytes"},
    Rename{"compression.gzip.level", "compression.level"},
    Rename{"compression.lz4.level", "compression.level"},
    Rename{"compression.zstd.level", "compression.level"},
    Rename{"ssl.keystore.certificate.chain", "ssl.certificate.pem"},
    Rename{"ssl.keystore.key", "ssl.key.pem"},
    Rename{"ssl.truststore.certificates", "ssl.ca.pem"},
};

struct Refusal {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view kByProcessor = "the processor sets it itself";
constexpr std::string_view kBySslService = "give key and trust stores by the SSL Context Service";
constexpr std::string_view kCode = "it would load code or run commands in the engine";

// Settings that either client has, and that must not be set here.
constexpr std::array kRefusals = {
    Refusal{"metadata.broker.list", "give it as Bootstrap Servers"},
    Refusal{"sasl.mechanisms", "give it as SASL Mechanism"},
    Refusal{"group.id", kByProcessor},
    Refusal{"enable.auto.commit", kByProcessor},
    Refusal{"auto.commit.enable", kByProcessor},
    Refusal{"auto.commit.interval.ms", kByProcessor},
    Refusal{"enable.auto.offset.store", kByProcessor},
    Refusal{"offset.store.method", kByProcessor},
    Refusal{"transactional.id", kByProcessor},
    Refusal{"enable.partition.eof", kByProcessor},
    Refusal{"delivery.report.only.error", kByProcessor},
    Refusal{"group.protocol.type", kByProcessor},
    Refusal{"log.queue", kByProcessor},
    Refusal{"enabled_events", kByProcessor},
    Refusal{"plugin.library.paths", kCode},
    Refusal{"ssl.engine.location", kCode},
    Refusal{"ssl.providers", kCode},
    Refusal{"sasl.kerberos.kinit.cmd", kCode},
    Refusal{"ssl.keystore.location", kBySslService},
    Refusal{"ssl.keystore.password", kBySslService},
    Refusal{"ssl.keystore.type", kBySslService},
    Refusal{"ssl.truststore.location", kBySslService},
    Refusal{"ssl.truststore.password", kBySslService},
    Refusal{"ssl.truststore.type", kBySslService},
};

// Settings of the Java client for what librdkafka always does this way.
constexpr std::array kAlwaysSo = {
    Rename{"key.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer"},
    Rename{"value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer"},
    Rename{"key.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer"},
    Rename{"value.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer"},
    Rename{"key.serializer", "org.apache.kafka.common.serialization.StringSerializer"},
    Rename{"value.serializer", "org.apache.kafka.common.serialization.StringSerializer"},
    Rename{"key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"},
    Rename{"value.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"},
    Rename{"client.dns.lookup", "use_all_dns_ips"},
    Rename{"group.protocol", "classic"},
};

constexpr std::array kAssignors = {
    Rename{"org.apache.kafka.clients.consumer.RangeAssignor", "range"},
    Rename{"org.apache.kafka.clients.consumer.RoundRobinAssignor", "roundrobin"},
    Rename{"org.apache.kafka.clients.consumer.CooperativeStickyAssignor", "cooperative-sticky"},
};

template <std::size_t n>
const Rename* find(const std::array<Rename, n>& table, std::string_view java) {
  const auto* const found = std::ranges::find(table, java, &Rename::java);
  return found == table.end() ? nullptr : found;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result assignment_strategy(std::string_view value) {
  std::string names;
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    std::string_view one = value.substr(0, comma);
    value.remove_prefix(std::min(comma + 1, value.size()));
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    const Rename* const known = find(kAssignors, one);
    if (known == nullptr && one.find('.') != std::string_view::npos) {
      return std::unexpected(
          fmt::format("{} is not there: choose RangeAssignor, RoundRobinAssignor or "
                      "CooperativeStickyAssignor",
                      one));
    }
    if (!names.empty()) names += ',';
    names += known ? known->ours : one;
  }
  return Settings{{"partition.assignment.strategy", names}};
}

// Settings whose values mean something else there.
std::optional<Result> with_other_meaning(std::string_view name, const std::string& value) {
  if (name == "sasl.jaas.config") return translate_jaas(value);
  if (name == "partition.assignment.strategy") return assignment_strategy(value);
  if (name == "ssl.endpoint.identification.algorithm" && value.empty()) {
    return Settings{{std::string(name), "none"}};
  }
  const bool is_buffer = name == "buffer.memory";
  if (!is_buffer && name != "metadata.max.age.ms" && name != "request.timeout.ms") {
    return std::nullopt;
  }
  const auto number = whole_number(value);
  if (!number) return Result(std::unexpected("it is no whole number"));
  if (is_buffer) {
    return Settings{{"queue.buffering.max.kbytes", std::to_string(std::max(*number / 1024, 1l))}};
  }
  if (name == "request.timeout.ms") return Settings{{"socket.timeout.ms", value}};
  // Java's is when metadata is asked for again; librdkafka's when it is no longer believed.
  return Settings{{"topic.metadata.refresh.interval.ms", value},
                  {"metadata.max.age.ms", std::to_string(*number * 3)}};
}

std::map<std::string, ClientKind, std::less<>> read_kinds() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const out = open_memstream(&text, &size);
  if (out == nullptr) std::abort();
  rd_kafka_conf_properties_show(out);
  std::fclose(out);
  std::map<std::string, ClientKind, std::less<>> kinds;
  // Lines read "name | C | range | …".
  for (std::string_view rest(text, size); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos || bar + 3 >= line.size()) continue;
    const std::string_view name = line.substr(0, line.find(' '));
    const char kind = line[line.find_first_not_of(' ', bar + 1)];
    if (kind != '*' && kind != 'C' && kind != 'P') continue;
    kinds.emplace(name, kind == '*'   ? ClientKind::every
                        : kind == 'C' ? ClientKind::consumer
                                      : ClientKind::producer);
  }
  std::free(text);
  return kinds;
}

const std::map<std::string, ClientKind, std::less<>>& kinds() {
  static const auto all = read_kinds();
  return all;
}

}  // namespace

ClientKind clients_of(std::string_view librdkafka_name) {
  const auto found = kinds().find(librdkafka_name);
  return found == kinds().end() ? ClientKind::every : found->second;
}

Result translate(std::string_view name, const std::string& value) {
  const auto* const refused = std::ranges::find(kRefusals, name, &Refusal::name);
  if (refused != kRefusals.end()) return std::unexpected(std::string(refused->why));
  if (const Rename* const always = find(kAlwaysSo, name)) {
    const bool so = std::ranges::any_of(
        kAlwaysSo, [&](const Rename& one) { return one.java == name && one.ours == value; });
    if (so) return Settings{};
    return std::unexpected(fmt::format("only {} is there", always->ours));
  }
  if (auto translated = with_other_meaning(name, value)) return *std::move(translated);
  if (const Rename* const renamed = find(kRenames, name)) {
    return Settings{{std::string(renamed->ours), value}};
  }
  if (!kinds().contains(name)) {
    return std::unexpected(
        "it is a setting of neither librdkafka nor, with a counterpart there, Kafka's Java client");
  }
  return Settings{{std::string(name), value}};
}

std::string problem_of(const Settings& settings) {
  try {
    configuration(settings);
    return {};
  } catch (const ProcessException& error) {
    return error.what();
  }
}

}  // namespace weir::processors::kafka
