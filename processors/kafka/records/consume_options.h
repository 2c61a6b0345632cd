#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/pattern.h"
#include "engine/api/processor.h"
#include "processors/kafka/connection.h"
#include "processors/kafka/records/topic_selection.h"

namespace weir::processors::kafka {

enum class KeyEncoding { utf8, hex, none };
KeyEncoding key_encoding(std::string_view value);

// Throws ProcessException where the pattern does not compile.
TopicSelection topic_selection(bool is_pattern, const std::string& text);
std::vector<ValidationProblem> check_topics(const PropertyContext& context,
                                            const std::string& property, bool is_pattern);
// nullopt where it is not set or empty.
std::optional<Pattern> pattern_of(const PropertyValue& value);

// How records become FlowFiles.
struct RecordRules {
  bool demarcated = false;
  std::string demarcator = {};
  bool separate_by_key = false;
  KeyEncoding key = KeyEncoding::utf8;
  std::optional<Pattern> header_names = {};  // of headers that become attributes
  std::string header_encoding = "UTF-8";
  bool offsets_committed = true;
  std::string group = {};
};

struct ConsumeOptions {
  std::shared_ptr<Connection> connection;
  std::string group;
  TopicSelection topics;
  std::string offset_reset;
  std::uint64_t most_uncommitted_bytes = 0;  // 0: no limit of the user's
  std::chrono::milliseconds most_uncommitted_time{0};
  RecordRules rules;
};

// The properties by which a declaration has them, where they mean the same.
struct ConsumeProperties {
  const PropertyDescriptor& group_id;
  const PropertyDescriptor& topic_format;
  const PropertyDescriptor& topics;
  const PropertyDescriptor& offset_reset;
  const PropertyDescriptor& commit_offsets;
  const PropertyDescriptor& most_time;
  const PropertyDescriptor& header_pattern;
  const PropertyDescriptor& header_encoding;
  const PropertyDescriptor& key_encoding;
  const PropertyDescriptor& demarcator;
  const PropertyDescriptor& separate_by_key;
};
// `demarcated`: whether the demarcator counts.
ConsumeOptions read_consume(const PropertyContext& context, const ConsumeProperties& properties,
                            bool demarcated);

// What ConsumeKafka declares, and what NiFi 1.x's types declare; each with the reader of its
// values.
std::vector<PropertyDescriptor> consume_properties();
std::vector<ValidationProblem> check_consume(const PropertyContext& context);
ConsumeOptions read_consume(ProcessContext& context);

std::vector<PropertyDescriptor> consume_properties_1();
std::vector<PropertyDescriptor> consume_record_properties_1();
std::vector<ValidationProblem> check_consume_1(const PropertyContext& context);
ConsumeOptions read_consume_1(ProcessContext& context);

}  // namespace weir::processors::kafka
