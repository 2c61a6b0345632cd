#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "processors/kafka/client.h"

// The names of NiFi's Kafka services are those of Kafka's Java client; librdkafka has its own.
namespace weir::processors::kafka {

enum class ClientKind { every, consumer, producer };

// Which clients librdkafka has the setting for; another kind warns of it and does nothing.
ClientKind clients_of(std::string_view librdkafka_name);

// Gives librdkafka's settings for one setting of the Java client, or takes one that is librdkafka's
// own. None where the Java client needs it and librdkafka does so anyway. The error is a sentence
// for the user, without the name and without any secret.
std::expected<Settings, std::string> translate(std::string_view name, const std::string& value);

// The login of a `sasl.jaas.config`, e.g.
//   org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";
std::expected<Settings, std::string> translate_jaas(std::string_view text);

// What librdkafka says of the settings; empty where it takes them all.
std::string problem_of(const Settings& settings);

}  // namespace weir::processors::kafka
