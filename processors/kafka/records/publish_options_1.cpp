#include "processors/kafka/records/nifi_1.h"
#include "processors/kafka/records/publish_options.h"
#include "processors/support/declare.h"

// PublishKafka_2_6 and its elders.
namespace weir::processors::kafka {
namespace {

const PropertyDescriptor topic{.name = "topic",
                               .display_name = "Topic Name",
                               .description = "The topic that the records go to.",
                               .required = true,
                               .validator = validators::non_empty(),
                               .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor failure_strategy{
    .name = "Failure Strategy",
    .description = "What happens to FlowFiles that could not be published.",
    .default_value = "Route to Failure",
    .required = true,
    .allowable_values = {{"Route to Failure"}, {"Rollback"}}};
const PropertyDescriptor acks{.name = "acks",
                              .display_name = "Delivery Guarantee",
                              .description = "Whose acknowledgement counts.",
                              .default_value = "all",
                              .required = true,
                              .allowable_values = {{"all"}, {"1"}, {"0"}}};
const PropertyDescriptor transactions{
    .name = "use-transactions",
    .display_name = "Use Transactions",
    .description = "Whether what is published together becomes visible together.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor transactional_id_prefix{
    .name = "transactional-id-prefix",
    .display_name = "Transactional Id Prefix",
    .description = "The beginning of the producers' transactional ids.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor header_pattern{
    .name = "attribute-name-regex",
    .display_name = "Attributes to Send as Headers (Regex)",
    .description = "Attributes whose whole name matches become headers.",
    .validator = validators::regular_expression()};
const PropertyDescriptor header_encoding{.name = "message-header-encoding",
                                         .display_name = "Message Header Encoding",
                                         .description = "The character set of headers' values.",
                                         .default_value = "UTF-8",
                                         .validator = validators::character_set()};
const PropertyDescriptor kafka_key{.name = "kafka-key",
                                   .display_name = "Kafka Key",
                                   .description = "The key; else the attribute kafka.key.",
                                   .validator = validators::non_empty(),
                                   .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor key_encoding_property{
    .name = "key-attribute-encoding",
    .display_name = "Key Attribute Encoding",
    .description = "How the key's bytes stand in that text.",
    .default_value = "utf-8",
    .required = true,
    .allowable_values = {{"utf-8"}, {"hex"}, {"do-not-add"}}};
const PropertyDescriptor demarcator{.name = "message-demarcator",
                                    .display_name = "Message Demarcator",
                                    .description = "The text between the records of a FlowFile.",
                                    .validator = validators::non_empty(),
                                    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor most_request{.name = "max.request.size",
                                      .display_name = "Max Request Size",
                                      .description = "The largest record that is sent.",
                                      .default_value = "1 MB",
                                      .required = true,
                                      .validator = validators::data_size(1, 1'000'000'000)};
const PropertyDescriptor partitioner{
    .name = "partitioner.class",
    .display_name = "Partitioner class",
    .description = "How a record's partition is chosen.",
    .default_value = "org.apache.kafka.clients.producer.internals.DefaultPartitioner",
    .allowable_values = {
        {"org.apache.nifi.processors.kafka.pubsub.Partitioners$RoundRobinPartitioner"},
        {"org.apache.kafka.clients.producer.internals.DefaultPartitioner"},
        {"org.apache.nifi.processors.kafka.pubsub.Partitioners$RandomPartitioner"},
        {"org.apache.nifi.processors.kafka.pubsub.Partitioners$RecordPathPartitioner"},
        {"org.apache.nifi.processors.kafka.pubsub.Partitioners$ExpressionLanguagePartitioner"}}};
const PropertyDescriptor partition{.name = "partition",
                                   .display_name = "Partition",
                                   .description = "For the expression language partitioner.",
                                   .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor compression{
    .name = "compression.type",
    .display_name = "Compression Type",
    .description = "How batches of records are compressed.",
    .default_value = "none",
    .required = true,
    .allowable_values = {{"none"}, {"gzip"}, {"snappy"}, {"lz4"}, {"zstd"}}};

const PublishProperties kProperties = {topic,
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

std::vector<PropertyDescriptor> publish_properties_1() {
  std::vector<PropertyDescriptor> all = nifi_1::connection_properties();
  all.insert(all.end(),
             {topic, failure_strategy, acks, transactions, transactional_id_prefix, header_pattern,
              header_encoding, kafka_key, key_encoding_property, demarcator, most_request,
              nifi_1::ack_wait, nifi_1::metadata_wait, partitioner, partition, compression});
  return all;
}

std::vector<PropertyDescriptor> publish_record_properties_1() {
  std::vector<PropertyDescriptor> all = publish_properties_1();
  all.insert(all.end(), {nifi_1::record_reader, nifi_1::record_writer,
                         nifi_1::ignored("message-key-field", "Message Key Field"),
                         nifi_1::ignored("publish-strategy", "Publish Strategy"),
                         nifi_1::ignored("record-key-writer", "Record Key Writer"),
                         nifi_1::ignored("record-metadata-strategy", "Record Metadata Strategy")});
  return all;
}

std::vector<ValidationProblem> check_publish_1(const PropertyContext& context) {
  std::vector<ValidationProblem> problems = nifi_1::check_connection(context);
  if (context.property(nifi_1::record_reader).is_set()) {
    problems.push_back(
        {nifi_1::record_reader.name, "record readers and writers come with a later version"});
  }
  for (auto& problem : check_publish(context, kProperties)) problems.push_back(std::move(problem));
  if (context.property(partitioner).text().ends_with("RecordPathPartitioner")) {
    problems.push_back({partitioner.name, "it needs record readers, of a later version"});
  }
  return problems;
}

PublishOptions read_publish_1(ProcessContext& context) {
  PublishOptions options = read_publish(context, kProperties);
  options.connection = nifi_1::make_connection(context);
  return options;
}

}  // namespace weir::processors::kafka
