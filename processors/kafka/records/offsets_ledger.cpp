#include "processors/kafka/records/offsets_ledger.h"

#include <algorithm>
#include <charconv>

namespace weir::processors::kafka {
namespace {

std::optional<std::int64_t> number(const FlowFile& flow_file, std::string_view name) {
  const std::string* const text = flow_file.find_attribute(name);
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<ConsumedRecords> consumed_records(const FlowFile& flow_file) {
  const std::string* const committed = flow_file.find_attribute("kafka.consumer.offsets.committed");
  const std::string* const group = flow_file.find_attribute("kafka.consumer.id");
  const std::string* const topic = flow_file.find_attribute("kafka.topic");
  if (!committed || *committed != "false" || !group || !topic) return std::nullopt;
  const auto partition = number(flow_file, "kafka.partition");
  const auto first = number(flow_file, "kafka.offset");
  const auto last = number(flow_file, "kafka.max.offset");
  if (!partition || !first) return std::nullopt;
  return ConsumedRecords{.group = *group,
                         .topic = *topic,
                         .partition = static_cast<std::int32_t>(*partition),
                         .last = last.value_or(*first),
                         .time_ms = number(flow_file, "kafka.timestamp").value_or(-1),
                         .flow_file = flow_file.id()};
}

bool OffsetsLedger::knows(const ConsumedRecords& consumed) const {
  return partitions_.contains(key_of(consumed));
}

bool OffsetsLedger::load(const ConsumedRecords& consumed) {
  Settings settings = settings_;
  settings["group.id"] = consumed.group;
  settings["isolation.level"] = "read_committed";
  settings["enable.auto.commit"] = "false";
  const Client client(RD_KAFKA_CONSUMER, configuration(settings), log_);
  const Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), consumed.topic.c_str(), consumed.partition);
  const rd_kafka_resp_err_t error =
      rd_kafka_committed(client.get(), list.get(), static_cast<int>(timeout_.count()));
  const rd_kafka_topic_partition_t& one = list->elems[0];
  for (const rd_kafka_resp_err_t why : {error, one.err}) {
    if (why != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) continue;
    log_.warn("The topic {} of {} is gone: offsets of its records are not committed any more",
              consumed.topic, consumed.group);
    return false;
  }
  check(error, "ask for committed offsets");
  check(one.err, "ask for committed offsets");
  const std::string_view metadata(static_cast<const char*>(one.metadata),
                                  one.metadata == nullptr ? 0 : one.metadata_size);
  partitions_.insert_or_assign(key_of(consumed),
                               PublishedFlowFiles::from_metadata(engine_, metadata, one.offset));
  return true;
}

bool OffsetsLedger::is_published(const ConsumedRecords& consumed) const {
  const auto found = partitions_.find(key_of(consumed));
  return found != partitions_.end() && found->second.contains(consumed.flow_file);
}

OffsetsLedger::Partitions OffsetsLedger::after(
    const std::vector<ConsumedRecords>& published) const {
  struct Newest {
    std::vector<std::uint64_t> flow_files;
    std::int64_t last = -1;
    std::int64_t time_ms = -1;
  };
  std::map<Key, Newest> all;
  for (const ConsumedRecords& one : published) {
    Newest& newest = all[key_of(one)];
    newest.flow_files.push_back(one.flow_file);
    newest.last = std::max(newest.last, one.last);
    newest.time_ms = std::max(newest.time_ms, one.time_ms);
  }
  Partitions then;
  for (auto& [key, newest] : all) {
    const auto known = partitions_.find(key);
    const auto [place, is_new] =
        then.emplace(key, known == partitions_.end() ? PublishedFlowFiles(engine_) : known->second);
    place->second.replace(std::move(newest.flow_files), newest.last, newest.time_ms);
  }
  return then;
}

std::vector<GroupOffset> OffsetsLedger::offsets_of(
    const std::vector<ConsumedRecords>& published) const {
  std::vector<GroupOffset> offsets;
  for (const auto& [key, state] : after(published)) {
    offsets.push_back({.group = std::get<0>(key),
                       .topic = std::get<1>(key),
                       .partition = std::get<2>(key),
                       .next = state.next(),
                       .metadata = state.to_metadata()});
  }
  return offsets;
}

void OffsetsLedger::committed(const std::vector<ConsumedRecords>& published) {
  for (auto& [key, state] : after(published)) partitions_.insert_or_assign(key, state);
}

}  // namespace weir::processors::kafka
