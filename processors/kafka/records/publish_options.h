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

std::vector<PropertyDescriptor> publish_properties();
std::vector<ValidationProblem> check_publish(const PropertyContext& context);
PublishOptions read_publish(const ProcessContext& context);

std::vector<PropertyDescriptor> publish_properties_1();
std::vector<PropertyDescriptor> publish_record_properties_1();
std::vector<ValidationProblem> check_publish_1(const PropertyContext& context);
PublishOptions read_publish_1(const ProcessContext& context);

}  // namespace weir::processors::kafka
