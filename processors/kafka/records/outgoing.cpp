#include "processors/kafka/records/outgoing.h"

#include <fmt/format.h>

#include "processors/kafka/records/demarcated_reader.h"
#include "processors/support/character_set.h"

namespace weir::processors::kafka {
namespace {

std::string from_hex(std::string_view text) {
  const auto digit = [&](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    throw ProcessException("the key is no text of hexadecimal digits");
  };
  if (text.size() % 2 != 0)
    throw ProcessException("the key has an odd number of hexadecimal digits");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  }
  return bytes;
}

}  // namespace

std::uint32_t partition_hash(std::string_view utf8) {
  // Big endian without a mark: each pair of bytes is one of Java's characters.
  const std::string utf16 = encode_text(utf8, "UTF-16BE");
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i + 1 < utf16.size(); i += 2) {
    const auto high = static_cast<unsigned char>(utf16[i]);
    const auto low = static_cast<unsigned char>(utf16[i + 1]);
    hash = hash * 31 + (static_cast<std::uint32_t>(high) << 8 | low);
  }
  return static_cast<std::int32_t>(hash) < 0 ? 0 - hash : hash;
}

std::optional<std::string> RecordSender::key_of(const FlowFile& flow_file) const {
  if (options_.key_encoding == KeyEncoding::none) return std::nullopt;
  std::optional<std::string> text;
  if (options_.key.is_set()) {
    text = options_.key.evaluate(flow_file);
  } else {
    text = flow_file.attribute("kafka.key");
  }
  if (text && options_.key_encoding == KeyEncoding::hex) return from_hex(*text);
  return text;
}

std::vector<std::pair<std::string, std::string>> RecordSender::headers_of(
    const FlowFile& flow_file) const {
  std::vector<std::pair<std::string, std::string>> headers;
  if (!options_.header_names) return headers;
  const std::string encoding = options_.header_encoding.evaluate(flow_file);
  const auto add = [&](const std::string& name, const std::string& value) {
    if (options_.header_names->matches(name))
      headers.emplace_back(name, encode_text(value, encoding));
  };
  for (const auto& [name, value] : flow_file.attributes()) add(name, value);
  add(std::string(attribute::uuid), flow_file.uuid());
  return headers;
}

void RecordSender::send(ProcessSession& session, const FlowFile& flow_file,
                        const std::string& topic, Producer& producer, Delivery& delivery) const {
  try {
    if (topic.empty()) throw ProcessException("Topic Name gives no name for it");
    const auto headers = headers_of(flow_file);
    const std::optional<std::string> key = key_of(flow_file);
    if (options_.choice == PartitionChoice::by_hash) {
      delivery.hash = partition_hash(options_.partition.evaluate(flow_file));
    }
    OutgoingRecord record{.topic = topic, .key = key, .value = {}, .headers = headers};
    const auto content = session.read(flow_file);
    if (options_.demarcator.is_set()) {
      const std::string demarcator = options_.demarcator.evaluate(flow_file);
      if (demarcator.empty()) throw ProcessException("Message Demarcator is empty for it");
      DemarcatedReader reader(*content, demarcator, options_.most_bytes);
      while ((record.value = reader.next()) && delivery.failed == 0) {
        producer.send(record, delivery);
      }
      return;
    }
    if (flow_file.size() > options_.most_bytes) {
      throw ProcessException(fmt::format("it has {} bytes, and Max Request Size is {}",
                                         flow_file.size(), options_.most_bytes));
    }
    const std::string value = content->read_all();
    const std::string* const tombstone = flow_file.find_attribute("kafka.tombstone");
    const bool has_value = !value.empty() || tombstone == nullptr || *tombstone != "true";
    if (has_value) record.value = value;
    producer.send(record, delivery);
  } catch (const ProcessException& error) {
    delivery.fail(error.what());
  }
}

}  // namespace weir::processors::kafka
