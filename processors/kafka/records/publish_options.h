#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/pattern.h"
#include "engine/api/processor.h"
#include "processors/kafka/connection.h"
#include "processors/kafka/records/consume_options.h"
#include "processors/kafka/records/producer.h"

namespace weir::processors::kafka {

PartitionChoice partition_choice(std::string_view partitioner_class);

struct PublishOptions {
  std::shared_ptr<Connection> connection;
  PropertyValue topic;
  PropertyValue key;         // not set: the attribute kafka.key
  PropertyValue partition;   // of the choice by_hash
  PropertyValue demarcator;  // not set: a FlowFile is a record
  PropertyValue header_encoding;
  bool rolls_back = false;
  std::string acks;
  std::string compression;
  std::uint64_t most_bytes = 0;  // of a record
  bool transactions = false;
  std::string transactional_id_prefix;
  PartitionChoice choice = PartitionChoice::by_key;
  std::optional<Pattern> header_names = {};  // of attributes that become headers
  KeyEncoding key_encoding = KeyEncoding::utf8;
};

// The properties by which a declaration has them.
struct PublishProperties {
  const PropertyDescriptor& topic;
  const PropertyDescriptor& key;
  const PropertyDescriptor& key_encoding;
  const PropertyDescriptor& partitioner;
  const PropertyDescriptor& partition;
  const PropertyDescriptor& demarcator;
  const PropertyDescriptor& header_pattern;
  const PropertyDescriptor& header_encoding;
  const PropertyDescriptor& failure_strategy;
  const PropertyDescriptor& acks;
  const PropertyDescriptor& compression;
  const PropertyDescriptor& most_request;
  const PropertyDescriptor& transactions;
  const PropertyDescriptor& transactional_id_prefix;
};
// What does not go together.
std::vector<ValidationProblem> check_publish(const PropertyContext& context,
                                             const PublishProperties& properties);
PublishOptions read_publish(const PropertyContext& context, const PublishProperties& properties);

// What PublishKafka declares, and what NiFi 1.x's types declare; each with the reader of its
// values.
std::vector<PropertyDescriptor> publish_properties();
std::vector<ValidationProblem> check_publish(const PropertyContext& context);
PublishOptions read_publish(ProcessContext& context);

std::vector<PropertyDescriptor> publish_properties_1();
std::vector<PropertyDescriptor> publish_record_properties_1();
std::vector<ValidationProblem> check_publish_1(const PropertyContext& context);
PublishOptions read_publish_1(ProcessContext& context);

}  // namespace weir::processors::kafka
