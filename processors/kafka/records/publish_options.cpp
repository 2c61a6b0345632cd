#include "processors/kafka/records/publish_options.h"

#include <fmt/format.h>

#include "processors/support/declare.h"

namespace weir::processors::kafka {
namespace {

constexpr const char* kReaderInterface = "org.apache.nifi.serialization.RecordReaderFactory";
constexpr const char* kWriterInterface = "org.apache.nifi.serialization.RecordSetWriterFactory";
constexpr const char* kNoRecords =
    "record readers and writers come with a later version; without them a FlowFile is one record, "
    "or many with a Message Demarcator";

const PropertyDescriptor connection_service{
    .name = "Kafka Connection Service",
    .description = "The controller service that knows how the cluster is reached.",
    .required = true,
    .controller_service = kConnectionInterface};
const PropertyDescriptor topic_name{.name = "Topic Name",
                                    .description = "The topic that the records go to.",
                                    .required = true,
                                    .validator = validators::non_empty(),
                                    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor failure_strategy{
    .name = "Failure Strategy",
    .description =
        "What happens to FlowFiles that could not be published. Rollback keeps them, and "
        "all taken together with them, in their queue.",
    .default_value = "Route to Failure",
    .required = true,
    .allowable_values = {{"Route to Failure"}, {"Rollback"}}};
const PropertyDescriptor acks{
    .name = "acks",
    .display_name = "Delivery Guarantee",
    .description = "Whose acknowledgement counts: all in-sync replicas, the leader, nobody.",
    .default_value = "all",
    .required = true,
    .allowable_values = {{"all", "Guarantee Replicated Delivery"},
                         {"1", "Guarantee Single Node Delivery"},
                         {"0", "Best Effort"}}};
const PropertyDescriptor compression{
    .name = "compression.type",
    .display_name = "Compression Type",
    .description = "How batches of records are compressed on their way and at the brokers.",
    .default_value = "none",
    .required = true,
    .allowable_values = {{"none"}, {"gzip"}, {"snappy"}, {"lz4"}, {"zstd"}}};
const PropertyDescriptor most_request{
    .name = "max.request.size",
    .display_name = "Max Request Size",
    .description = "The largest record that is sent. A FlowFile with a larger one fails.",
    .default_value = "1 MB",
    .required = true,
    .validator = validators::data_size(1, 1'000'000'000)};
const PropertyDescriptor transactions{
    .name = "Transactions Enabled",
    .description =
        "Whether what is published together becomes visible together, and the offsets "
        "that ConsumeKafka left open are committed with it. Needs acks all.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor transactional_id_prefix{
    .name = "Transactional ID Prefix",
    .description =
        "The beginning of the producers' transactional ids; what follows is this "
        "processor's own and stays the same over restarts.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{transactions.name, {"true"}}}};

constexpr const char* kRoundRobin = "org.apache.kafka.clients.producer.RoundRobinPartitioner";
constexpr const char* kDefault = "org.apache.kafka.clients.producer.internals.DefaultPartitioner";
constexpr const char* kExpression =
    "org.apache.nifi.processors.kafka.pubsub.Partitioners.ExpressionLanguagePartitioner";

const PropertyDescriptor partitioner{
    .name = "partitioner.class",
    .display_name = "Partitioner Class",
    .description =
        "How a record's partition is chosen: in turns; by the key's hash as Kafka's "
        "Java client does, at random without key; or by the hash of Partition.",
    .default_value = kDefault,
    .required = true,
    .allowable_values = {{kRoundRobin, "RoundRobinPartitioner"},
                         {kDefault, "DefaultPartitioner"},
                         {kExpression, "Expression Language Partitioner"}}};
const PropertyDescriptor partition{
    .name = "partition",
    .display_name = "Partition",
    .description =
        "For the Expression Language Partitioner: FlowFiles with the same text go to "
        "the same partition.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor demarcator{
    .name = "Message Demarcator",
    .description =
        "The text between the records of a FlowFile; what is empty is no record. "
        "Without it each FlowFile is one record.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor record_reader{.name = "Record Reader",
                                       .description = "Not in this version.",
                                       .controller_service = kReaderInterface};
const PropertyDescriptor record_writer{.name = "Record Writer",
                                       .description = "Not in this version.",
                                       .controller_service = kWriterInterface};
const PropertyDescriptor publish_strategy{
    .name = "Publish Strategy",
    .description = "Of records, which are not in this version.",
    .default_value = "USE_VALUE",
    .required = true,
    .allowable_values = {{"USE_VALUE", "Use Content as Record Value"},
                         {"USE_WRAPPER", "Use Wrapper"}},
    .depends_on = {{record_reader.name}}};
const PropertyDescriptor key_field{.name = "Message Key Field",
                                   .description = "Of records, which are not in this version.",
                                   .validator = validators::non_empty(),
                                   .expression_scope = ExpressionScope::flow_file_attributes,
                                   .depends_on = {{publish_strategy.name, {"USE_VALUE"}}}};
const PropertyDescriptor header_pattern{
    .name = "FlowFile Attribute Header Pattern",
    .description = "A regular expression: attributes whose whole name matches become headers.",
    .validator = validators::regular_expression()};
const PropertyDescriptor header_encoding{.name = "Header Encoding",
                                         .description = "The character set of headers' values.",
                                         .default_value = "UTF-8",
                                         .required = true,
                                         .validator = validators::character_set(),
                                         .expression_scope = ExpressionScope::flow_file_attributes,
                                         .depends_on = {{header_pattern.name}}};
const PropertyDescriptor kafka_key{
    .name = "Kafka Key",
    .description =
        "The key of the FlowFile's records. Without it: the attribute kafka.key, and "
        "where that is not there, none.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor key_encoding_property{
    .name = "Kafka Key Attribute Encoding",
    .description = "How the key's bytes stand in that text; do-not-add sends none.",
    .default_value = "utf-8",
    .required = true,
    .allowable_values = {{"utf-8", "UTF-8 Encoded"},
                         {"hex", "Hex Encoded"},
                         {"do-not-add", "Do Not Add Key as Attribute"}}};
const PropertyDescriptor key_writer{.name = "Record Key Writer",
                                    .description = "Not in this version.",
                                    .controller_service = kWriterInterface};
const PropertyDescriptor metadata_strategy{
    .name = "Record Metadata Strategy",
    .description = "Of records, which are not in this version.",
    .default_value = "FROM_PROPERTIES",
    .required = true,
    .allowable_values = {{"FROM_RECORD", "Metadata From Record"},
                         {"FROM_PROPERTIES", "Use Configured Values"}},
    .depends_on = {{publish_strategy.name, {"USE_WRAPPER"}}}};

const PublishProperties kProperties = {topic_name,
                                       kafka_key,
                                       key_encoding_property,
                                       partitioner,
                                       partition,
                                       demarcator,
                                       header_pattern,
                                       header_encoding,
                                       failure_strategy,
                                       acks,
                                       compression,
                                       most_request,
                                       transactions,
                                       transactional_id_prefix};

}  // namespace

PartitionChoice partition_choice(std::string_view partitioner_class) {
  // NiFi 1.x's RandomPartitioner spreads records; so do turns.
  if (partitioner_class.ends_with("RoundRobinPartitioner") ||
      partitioner_class.ends_with("RandomPartitioner")) {
    return PartitionChoice::round_robin;
  }
  if (partitioner_class.ends_with("ExpressionLanguagePartitioner")) return PartitionChoice::by_hash;
  return PartitionChoice::by_key;
}

std::vector<PropertyDescriptor> publish_properties() {
  return {connection_service,
          topic_name,
          failure_strategy,
          acks,
          compression,
          most_request,
          transactions,
          transactional_id_prefix,
          partitioner,
          partition,
          demarcator,
          record_reader,
          record_writer,
          publish_strategy,
          key_field,
          header_pattern,
          header_encoding,
          kafka_key,
          key_encoding_property,
          key_writer,
          metadata_strategy};
}

std::vector<ValidationProblem> check_publish(const PropertyContext& context,
                                             const PublishProperties& properties) {
  std::vector<ValidationProblem> problems;
  if (context.property(properties.transactions).text() == "true" &&
      context.property(properties.acks).text() != "all") {
    problems.push_back({properties.acks.name,
                        fmt::format("transactions need the acknowledgement of all replicas: choose "
                                    "all, or set {} to false",
                                    properties.transactions.shown_name())});
  }
  const bool by_hash =
      partition_choice(context.property(properties.partitioner).text()) == PartitionChoice::by_hash;
  if (by_hash && !context.property(properties.partition).is_set()) {
    problems.push_back({properties.partition.name, "the Expression Language Partitioner needs it"});
  }
  return problems;
}

PublishOptions read_publish(const PropertyContext& context, const PublishProperties& properties) {
  PublishOptions options;
  options.topic = context.property(properties.topic);
  options.key = context.property(properties.key);
  options.partition = context.property(properties.partition);
  options.demarcator = context.property(properties.demarcator);
  options.header_encoding = context.property(properties.header_encoding);
  options.rolls_back = context.property(properties.failure_strategy).text() == "Rollback";
  options.acks = context.property(properties.acks).text();
  options.compression = context.property(properties.compression).text();
  options.most_bytes = context.property(properties.most_request).data_size();
  options.transactions = context.property(properties.transactions).boolean();
  const PropertyValue prefix = context.property(properties.transactional_id_prefix);
  if (prefix.is_set()) options.transactional_id_prefix = prefix.evaluate();
  options.choice = partition_choice(context.property(properties.partitioner).text());
  options.header_names = pattern_of(context.property(properties.header_pattern));
  options.key_encoding = key_encoding(context.property(properties.key_encoding).text());
  return options;
}

std::vector<ValidationProblem> check_publish(const PropertyContext& context) {
  std::vector<ValidationProblem> problems = check_publish(context, kProperties);
  for (const auto* property : {&record_reader, &record_writer, &key_writer}) {
    if (context.property(*property).is_set()) problems.push_back({property->name, kNoRecords});
  }
  return problems;
}

PublishOptions read_publish(ProcessContext& context) {
  PublishOptions options = read_publish(context, kProperties);
  options.connection =
      std::dynamic_pointer_cast<Connection>(context.controller_service(connection_service.name));
  if (!options.connection) throw ProcessException("Kafka Connection Service is no such service");
  return options;
}

}  // namespace weir::processors::kafka
