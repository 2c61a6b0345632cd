#include "tests/integration/kafka/secure_flow.h"

#include <fmt/format.h>

#include <set>

#include "tests/integration/kafka/brokers.h"

namespace weir::kafka_testing {

SecureFlow::SecureFlow(SecureBroker& secure, Broker& open)
    : secure_(secure),
      open_address_(open.address()),
      secure_cluster_(secure.broker().address()),
      open_cluster_(open_address_),
      name_(Brokers::fresh_name("secure")) {
  open_cluster_.create_topic(name_, 1);
}

void SecureFlow::add(const Way& way) {
  secure_cluster_.create_topic(topic(way), 1);
  open_cluster_.create_topic(topic_back(way), 1);
  open_cluster_.produce({{.topic = topic_back(way), .value = way.name}});
  ways_.push_back(way);
}

std::string SecureFlow::processors_of(const Way& way) const {
  constexpr std::string_view text = R"(
      "make {way}": {{"type": "GenerateFlowFile", "schedule": "1 hour",
        "properties": {{"generate-ff-custom-text": "{way}"}}}},
      "publish {way}": {{"type": "PublishKafka", "penaltyDuration": "500 ms", "properties": {{
        "Kafka Connection Service": {{"service": "{way}"}}, "Topic Name": "{topic}"}},
        "autoTerminate": ["success"]}},
      "consume {way}": {{"type": "ConsumeKafka", "properties": {{
        "Kafka Connection Service": {{"service": "{way}"}}, "Topics": "{topic}",
        "Group ID": "{name}", "auto.offset.reset": "earliest"}}}},
      "mirror {way}": {{"type": "MirrorKafka", "autoTerminate": ["failure"], "properties": {{
        "Source Connection Service": {{"service": "{way}"}},
        "Target Connection Service": {{"service": "open"}},
        "Topics": "{topic}", "Group ID": "{name}-mirror"}}}},
      "mirror back {way}": {{"type": "MirrorKafka", "autoTerminate": ["failure"], "properties": {{
        "Source Connection Service": {{"service": "open"}},
        "Target Connection Service": {{"service": "{way}"}},
        "Topics": "{topic_back}", "Group ID": "{name}-back"}}}},)";
  return fmt::format(text, fmt::arg("way", way.name), fmt::arg("topic", topic(way)),
                     fmt::arg("topic_back", topic_back(way)), fmt::arg("name", name_));
}

std::string SecureFlow::json() const {
  std::string services;
  std::string processors;
  std::string connections;
  for (const Way& way : ways_) {
    services += secure_.services(way) + ",\n";
    processors += processors_of(way);
    connections += fmt::format(
        "\"make {0}.success -> publish {0}\", \"publish {0}.failure -> publish {0}\", "
        "\"consume {0}.success -> collect\"{1}",
        way.name, &way == &ways_.back() ? "" : ",\n");
  }
  constexpr std::string_view text = R"({{
    "name": "secure",
    "services": {{{services}
      "open": {{"type": "Kafka3ConnectionService",
                "properties": {{"bootstrap.servers": "{open}"}}}}}},
    "processors": {{{processors}
      "collect": {{"type": "PublishKafka", "properties": {{
        "Kafka Connection Service": {{"service": "open"}}, "Topic Name": "{name}"}},
        "autoTerminate": ["success", "failure"]}}}},
    "connections": [{connections}]}})";
  return fmt::format(text, fmt::arg("services", services), fmt::arg("open", open_address_),
                     fmt::arg("processors", processors), fmt::arg("name", name_),
                     fmt::arg("connections", connections));
}

std::vector<std::string> SecureFlow::processors(const Way& way) {
  return {"publish " + way.name, "consume " + way.name, "mirror " + way.name,
          "mirror back " + way.name};
}

void SecureFlow::allow(const std::string& user) {
  for (const Way& way : ways_) {
    secure_cluster_.allow(user, RD_KAFKA_RESOURCE_TOPIC, topic(way));
    secure_cluster_.allow(user, RD_KAFKA_RESOURCE_TOPIC, topic_back(way));
  }
  secure_cluster_.allow(user, RD_KAFKA_RESOURCE_GROUP, name_);
  secure_cluster_.allow(user, RD_KAFKA_RESOURCE_GROUP, name_ + "-mirror");
}

std::vector<std::string> SecureFlow::missing() {
  std::vector<std::string> missing;
  std::set<std::string> collected;
  for (const Record& record : open_cluster_.consume(name_)) collected.insert(*record.value);
  const auto holds = [](ClusterClient& cluster, const std::string& topic,
                        const std::string& value) {
    if (cluster.partitions(topic) == 0) return false;
    for (const Record& record : cluster.consume(topic)) {
      if (record.value == value) return true;
    }
    return false;
  };
  for (const Way& way : ways_) {
    const auto check = [&](bool there, const char* what) {
      if (!there) missing.push_back(fmt::format("{} {}", what, way.name));
    };
    check(holds(secure_cluster_, topic(way), way.name), "publish");
    check(collected.contains(way.name), "consume");
    check(holds(open_cluster_, topic(way), way.name), "mirror");
    check(holds(secure_cluster_, topic_back(way), way.name), "mirror back");
  }
  return missing;
}

}  // namespace weir::kafka_testing
