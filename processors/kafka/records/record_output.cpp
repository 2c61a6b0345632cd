#include "processors/kafka/records/record_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "processors/kafka/record_headers.h"
#include "processors/support/character_set.h"

namespace weir::processors::kafka {
namespace {

// Of a bundle in memory; what is more goes to its FlowFile's content.
constexpr std::size_t kBundleBuffer_bytes = 256 * 1024;

std::string_view view(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), data == nullptr ? 0 : size};
}

std::string hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// The last one of a name counts, as in NiFi; but nobody who writes records may take an attribute
// that says where the record is from, or the FlowFile's own name for itself.
void set(std::vector<flowfile::Attributes::Entry>& attributes, std::string_view name,
         std::string value) {
  const auto found = std::ranges::find(attributes, name, &flowfile::Attributes::Entry::first);
  if (found != attributes.end()) {
    found->second = std::move(value);
  } else {
    attributes.emplace_back(name, std::move(value));
  }
}

void add_headers(std::vector<flowfile::Attributes::Entry>& attributes,
                 const std::vector<flowfile::Attributes::Entry>& headers) {
  for (const auto& [name, value] : headers) {
    if (std::ranges::find(attributes, name, &flowfile::Attributes::Entry::first) ==
        attributes.end()) {
      attributes.emplace_back(name, value);
    }
  }
}

std::int64_t header_count(const rd_kafka_message_t& record) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&record, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return 0;
  return static_cast<std::int64_t>(rd_kafka_header_cnt(headers));
}

}  // namespace

std::vector<flowfile::Attributes::Entry> RecordOutput::header_attributes(
    const rd_kafka_message_t& record) const {
  std::vector<flowfile::Attributes::Entry> found;
  if (!rules_.header_names) return found;
  for_each_header(record, [&](const char* name, const void* value, std::size_t size) {
    if (attribute::uuid == name || !rules_.header_names->matches(name)) return;
    set(found, name, decode_text(view(value, size), rules_.header_encoding));
  });
  return found;
}

std::vector<flowfile::Attributes::Entry> RecordOutput::attributes_of(
    const rd_kafka_message_t& record) const {
  std::vector<flowfile::Attributes::Entry> attributes = {
      {"kafka.topic", rd_kafka_topic_name(record.rkt)},
      {"kafka.partition", std::to_string(record.partition)},
      {"kafka.offset", std::to_string(record.offset)},
      {"kafka.timestamp", std::to_string(rd_kafka_message_timestamp(&record, nullptr))},
      {"kafka.header.count", std::to_string(header_count(record))},
      {"kafka.consumer.offsets.committed", rules_.offsets_committed ? "true" : "false"}};
  if (!rules_.offsets_committed) attributes.emplace_back("kafka.consumer.id", rules_.group);
  return attributes;
}

void RecordOutput::add(const rd_kafka_message_t& record) {
  bytes_ += record.len + record.key_len;
  ++records_;
  if (rules_.demarcated) {
    add_to_bundle(record);
  } else {
    add_flow_file(record);
  }
}

void RecordOutput::add_flow_file(const rd_kafka_message_t& record) {
  auto attributes = attributes_of(record);
  const std::string_view key = view(record.key, record.key_len);
  if (record.key != nullptr && rules_.key != KeyEncoding::none) {
    attributes.emplace_back("kafka.key",
                            rules_.key == KeyEncoding::hex ? hex(key) : decode_text(key, "UTF-8"));
  }
  if (record.payload == nullptr) attributes.emplace_back("kafka.tombstone", "true");
  add_headers(attributes, header_attributes(record));
  const FlowFile flow_file = session_.create();
  if (record.len > 0) {
    session_.write(flow_file,
                   [&](OutputStream& out) { out.write(view(record.payload, record.len)); });
  }
  session_.put_attributes(flow_file, attributes);
  transfer(flow_file, rd_kafka_topic_name(record.rkt), record.partition, 1);
}

void RecordOutput::add_to_bundle(const rd_kafka_message_t& record) {
  BundleKey key{.topic = rd_kafka_topic_name(record.rkt),
                .partition = record.partition,
                .has_key = rules_.separate_by_key && record.key != nullptr,
                .key = {},
                .headers = header_attributes(record)};
  if (key.has_key) key.key = view(record.key, record.key_len);
  const auto [place, is_new] = bundles_.try_emplace(std::move(key));
  Bundle& bundle = place->second;
  if (is_new) {
    bundle.attributes = attributes_of(record);
    order_.push_back(place);
  } else {
    bundle.content += rules_.demarcator;
  }
  bundle.content += view(record.payload, record.len);
  ++bundle.count;
  bundle.last_offset = record.offset;
  if (bundle.content.size() >= kBundleBuffer_bytes) flush(bundle);
}

void RecordOutput::flush(Bundle& bundle) {
  if (!bundle.stream) {
    bundle.flow_file = session_.create();
    bundle.stream = session_.write(bundle.flow_file);
  }
  bundle.stream->write(bundle.content);
  bundle.content.clear();
}

void RecordOutput::finish() {
  for (const auto& place : order_) {
    const BundleKey& key = place->first;
    Bundle& bundle = place->second;
    flush(bundle);
    bundle.stream->close();
    auto& attributes = bundle.attributes;
    attributes.emplace_back("kafka.max.offset", std::to_string(bundle.last_offset));
    attributes.emplace_back("kafka.count", std::to_string(bundle.count));
    if (key.has_key && rules_.key != KeyEncoding::none) {
      attributes.emplace_back("kafka.key", rules_.key == KeyEncoding::hex
                                               ? hex(key.key)
                                               : decode_text(key.key, "UTF-8"));
    }
    add_headers(attributes, key.headers);
    session_.put_attributes(bundle.flow_file, attributes);
    transfer(bundle.flow_file, key.topic, key.partition, bundle.count);
  }
  order_.clear();
  bundles_.clear();
  bytes_ = 0;
  records_ = 0;
}

void RecordOutput::transfer(FlowFile flow_file, std::string_view topic, std::int32_t partition,
                            std::uint64_t records) {
  session_.provenance().receive(flow_file, fmt::format("kafka://{}/{}", topic, partition));
  session_.adjust_counter(fmt::format("Records Received from {}", topic),
                          static_cast<std::int64_t>(records));
  session_.transfer(flow_file, relationship_);
}

std::vector<AttributeNote> consumed_attributes() {
  return {{"kafka.topic", "The topic of the record or records."},
          {"kafka.partition", "The partition of them."},
          {"kafka.offset", "The offset of the record, or of the first one."},
          {"kafka.timestamp", "The timestamp of that record, in milliseconds since the epoch."},
          {"kafka.key", "Its key, where it has one and the encoding is not do-not-add."},
          {"kafka.tombstone", "true where the record has no value at all."},
          {"kafka.header.count", "How many headers that record has."},
          {"kafka.count", "With a demarcator: how many records there are."},
          {"kafka.max.offset", "With a demarcator: the offset of the last one."},
          {"kafka.consumer.offsets.committed", "Whether this processor commits the offsets."},
          {"kafka.consumer.id", "Where it does not: the group, for PublishKafka's transaction."},
          {"record.count, mime.type", "Of the strategy RECORD, which is not in this version."}};
}

}  // namespace weir::processors::kafka
