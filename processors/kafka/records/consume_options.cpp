#include "processors/kafka/records/consume_options.h"

#include <fmt/format.h>

#include "processors/support/declare.h"
#include "processors/support/java_text.h"

namespace weir::processors::kafka {
namespace {

constexpr const char* kReaderInterface = "org.apache.nifi.serialization.RecordReaderFactory";
constexpr const char* kWriterInterface = "org.apache.nifi.serialization.RecordSetWriterFactory";

const PropertyDescriptor connection_service{
    .name = "Kafka Connection Service",
    .description = "The controller service that knows how the cluster is reached.",
    .required = true,
    .controller_service = kConnectionInterface};
const PropertyDescriptor group_id{
    .name = "Group ID",
    .description =
        "The consumer group: its members share the partitions, and its committed "
        "offsets say where a new member begins.",
    .required = true,
    .validator = validators::non_empty()};
const PropertyDescriptor topic_format{
    .name = "Topic Format",
    .description = "Whether Topics are names or one regular expression.",
    .default_value = "names",
    .required = true,
    .allowable_values = {{"names"}, {"pattern"}}};
const PropertyDescriptor topics{
    .name = "Topics",
    .description =
        "Names, separated by commas; or a regular expression that whole names match. "
        "Topics that come to match later are consumed as well.",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor offset_reset{
    .name = "auto.offset.reset",
    .display_name = "Auto Offset Reset",
    .description =
        "Where to begin in a partition of which the group has no offset, or one that is "
        "no longer there; none makes it an error.",
    .default_value = "latest",
    .required = true,
    .allowable_values = {{"earliest"}, {"latest"}, {"none"}}};
const PropertyDescriptor commit_offsets{
    .name = "Commit Offsets",
    .description =
        "Whether this processor commits offsets, each behind the session with its "
        "record. With false PublishKafka does, in the transaction that publishes.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor most_size{
    .name = "Max Uncommitted Size",
    .description = "A session that has read this much is committed at once.",
    .validator = validators::data_size(1)};
const PropertyDescriptor most_time{
    .name = "Max Uncommitted Time",
    .description = "How long a session reads before it is committed, and its offsets with it.",
    .default_value = "100 millis",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1))};
const PropertyDescriptor header_pattern{
    .name = "Header Name Pattern",
    .description = "A regular expression: headers whose whole name matches become attributes.",
    .validator = validators::regular_expression()};
const PropertyDescriptor header_encoding{.name = "Header Encoding",
                                         .description = "The character set of headers' values.",
                                         .default_value = "UTF-8",
                                         .required = true,
                                         .validator = validators::character_set()};
const PropertyDescriptor strategy{
    .name = "Processing Strategy",
    .description =
        "FLOW_FILE: one FlowFile a record. DEMARCATOR: many records a FlowFile, with a "
        "text between them. RECORD comes with a later version.",
    .default_value = "FLOW_FILE",
    .required = true,
    .allowable_values = {{"FLOW_FILE"}, {"DEMARCATOR"}, {"RECORD"}}};
const PropertyDescriptor record_reader{.name = "Record Reader",
                                       .description = "Not in this version.",
                                       .required = true,
                                       .controller_service = kReaderInterface,
                                       .depends_on = {{strategy.name, {"RECORD"}}}};
const PropertyDescriptor record_writer{.name = "Record Writer",
                                       .description = "Not in this version.",
                                       .required = true,
                                       .controller_service = kWriterInterface,
                                       .depends_on = {{strategy.name, {"RECORD"}}}};
const PropertyDescriptor output_strategy{
    .name = "Output Strategy",
    .description = "Of the strategy RECORD, which is not in this version.",
    .default_value = "USE_VALUE",
    .required = true,
    .allowable_values = {{"USE_VALUE", "Use Content as Value"},
                         {"USE_WRAPPER", "Use Wrapper"},
                         {"INJECT_METADATA", "Inject Metadata"},
                         {"INJECT_OFFSET", "Inject Offset"}},
    .depends_on = {{strategy.name, {"RECORD"}}}};

std::vector<AllowableValue> key_encodings() {
  return {{"utf-8", "UTF-8 Encoded"},
          {"hex", "Hex Encoded"},
          {"do-not-add", "Do Not Add Key as Attribute"}};
}

const PropertyDescriptor key_encoding_property{
    .name = "Key Attribute Encoding",
    .description = "How the record's key stands in the attribute kafka.key.",
    .default_value = "utf-8",
    .required = true,
    .allowable_values = key_encodings()};
const PropertyDescriptor key_format{
    .name = "Key Format",
    .description = "Of the strategy RECORD, which is not in this version.",
    .default_value = "byte-array",
    .required = true,
    .allowable_values = {{"string", "String"}, {"byte-array", "Byte Array"}, {"record", "Record"}},
    .depends_on = {{output_strategy.name, {"INJECT_METADATA", "USE_WRAPPER"}}}};
const PropertyDescriptor key_reader{.name = "Key Record Reader",
                                    .description = "Not in this version.",
                                    .required = true,
                                    .controller_service = kReaderInterface,
                                    .depends_on = {{key_format.name, {"record"}}}};
const PropertyDescriptor demarcator{.name = "Message Demarcator",
                                    .description = "The text between two records of a FlowFile.",
                                    .required = true,
                                    .depends_on = {{strategy.name, {"DEMARCATOR"}}}};
const PropertyDescriptor separate_by_key{
    .name = "Separate By Key",
    .description = "Whether a FlowFile only holds records of one key.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false(),
    .depends_on = {{demarcator.name}}};

}  // namespace

std::optional<Pattern> pattern_of(const PropertyValue& value) {
  if (!value.is_set() || value.text().empty()) return std::nullopt;
  auto compiled = Pattern::compile(value.text());
  if (!compiled) throw ProcessException(compiled.error());
  return *std::move(compiled);
}

KeyEncoding key_encoding(std::string_view value) {
  if (value == "hex") return KeyEncoding::hex;
  return value == "do-not-add" ? KeyEncoding::none : KeyEncoding::utf8;
}

TopicSelection topic_selection(bool is_pattern, const std::string& text) {
  if (!is_pattern) return {.names = split_list(text)};
  auto compiled = Pattern::compile(trim(text));
  if (!compiled) throw ProcessException(fmt::format("Topics: {}", compiled.error()));
  return {.pattern = *std::move(compiled)};
}

std::vector<ValidationProblem> check_topics(const PropertyContext& context,
                                            const std::string& property, bool is_pattern) {
  const PropertyValue value = context.property(property);
  if (!value.is_set() || value.has_expression()) return {};
  if (is_pattern) {
    const auto compiled = Pattern::compile(trim(value.text()));
    if (!compiled) return {{property, compiled.error()}};
  } else if (split_list(value.text()).empty()) {
    return {{property, "names no topic"}};
  }
  return {};
}

std::vector<PropertyDescriptor> consume_properties() {
  return {connection_service, group_id,      topic_format,  topics,          offset_reset,
          commit_offsets,     most_size,     most_time,     header_pattern,  header_encoding,
          strategy,           record_reader, record_writer, output_strategy, key_encoding_property,
          key_format,         key_reader,    demarcator,    separate_by_key};
}

std::vector<ValidationProblem> check_consume(const PropertyContext& context) {
  if (context.property(strategy).text() == "RECORD") {
    return {{strategy.name,
             "record readers come with a later version; FLOW_FILE and DEMARCATOR "
             "are there"}};
  }
  return check_topics(context, topics.name, context.property(topic_format).text() == "pattern");
}

ConsumeOptions read_consume(const PropertyContext& context, const ConsumeProperties& properties,
                            bool demarcated) {
  ConsumeOptions options;
  options.group = context.property(properties.group_id).evaluate();
  options.topics = topic_selection(context.property(properties.topic_format).text() == "pattern",
                                   context.property(properties.topics).evaluate());
  options.offset_reset = context.property(properties.offset_reset).text();
  options.most_uncommitted_time = std::chrono::duration_cast<std::chrono::milliseconds>(
      context.property(properties.most_time).duration());
  options.rules.demarcated = demarcated;
  if (demarcated) {
    options.rules.demarcator = context.property(properties.demarcator).evaluate();
    options.rules.separate_by_key = context.property(properties.separate_by_key).boolean();
  }
  options.rules.key = key_encoding(context.property(properties.key_encoding).text());
  options.rules.header_names = pattern_of(context.property(properties.header_pattern));
  options.rules.header_encoding = context.property(properties.header_encoding).text();
  options.rules.offsets_committed = context.property(properties.commit_offsets).boolean();
  options.rules.group = options.group;
  return options;
}

ConsumeOptions read_consume(ProcessContext& context) {
  ConsumeOptions options = read_consume(
      context,
      {group_id, topic_format, topics, offset_reset, commit_offsets, most_time, header_pattern,
       header_encoding, key_encoding_property, demarcator, separate_by_key},
      context.property(strategy).text() == "DEMARCATOR");
  options.connection =
      std::dynamic_pointer_cast<Connection>(context.controller_service(connection_service.name));
  if (!options.connection) throw ProcessException("Kafka Connection Service is no such service");
  if (const PropertyValue most = context.property(most_size); most.is_set()) {
    options.most_uncommitted_bytes = most.data_size();
  }
  return options;
}

}  // namespace weir::processors::kafka
