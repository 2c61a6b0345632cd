#include "processors/kafka/records/consume_options.h"
#include "processors/kafka/records/nifi_1.h"
#include "processors/support/declare.h"

// ConsumeKafka_2_6 and its elders.
namespace weir::processors::kafka {
namespace {

const PropertyDescriptor topics{.name = "topic",
                                .display_name = "Topic Name(s)",
                                .description = "Names, separated by commas, or a pattern.",
                                .required = true,
                                .validator = validators::non_empty(),
                                .expression_scope = ExpressionScope::environment};
const PropertyDescriptor topic_type{
    .name = "topic_type",
    .display_name = "Topic Name Format",
    .description = "Whether topics are names or one regular expression.",
    .default_value = "names",
    .required = true,
    .allowable_values = {{"names"}, {"pattern"}, {"flowNames"}}};
const PropertyDescriptor group_id{.name = "group.id",
                                  .display_name = "Group ID",
                                  .description = "The consumer group.",
                                  .required = true,
                                  .validator = validators::non_empty(),
                                  .expression_scope = ExpressionScope::environment};
const PropertyDescriptor commit_offsets{.name = "Commit Offsets",
                                        .description = "Whether this processor commits offsets.",
                                        .default_value = "true",
                                        .allowable_values = true_or_false()};
const PropertyDescriptor most_time{
    .name = "max-uncommit-offset-wait",
    .display_name = "Max Uncommitted Time",
    .description = "How long a session reads before it is committed, and its offsets with it.",
    .default_value = "1 secs",
    .validator = validators::duration(std::chrono::milliseconds(1))};
const PropertyDescriptor demarcator{.name = "message-demarcator",
                                    .display_name = "Message Demarcator",
                                    .description = "The text between two records of a FlowFile.",
                                    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor separate_by_key{.name = "separate-by-key",
                                         .display_name = "Separate By Key",
                                         .description = "Whether a FlowFile only holds one key.",
                                         .default_value = "false",
                                         .allowable_values = true_or_false()};
const PropertyDescriptor key_encoding_property{
    .name = "key-attribute-encoding",
    .display_name = "Key Attribute Encoding",
    .description = "How the record's key stands in the attribute kafka.key.",
    .default_value = "utf-8",
    .required = true,
    .allowable_values = {{"utf-8"}, {"hex"}, {"do-not-add"}}};
const PropertyDescriptor offset_reset{
    .name = "auto.offset.reset",
    .display_name = "Offset Reset",
    .description = "Where to begin in a partition of which the group has no offset.",
    .default_value = "latest",
    .required = true,
    .allowable_values = {{"earliest"}, {"latest"}, {"none"}}};
const PropertyDescriptor header_encoding{.name = "message-header-encoding",
                                         .display_name = "Message Header Encoding",
                                         .description = "The character set of headers' values.",
                                         .default_value = "UTF-8",
                                         .validator = validators::character_set()};
const PropertyDescriptor header_pattern{
    .name = "header-name-regex",
    .display_name = "Headers to Add as Attributes (Regex)",
    .description = "Headers whose whole name matches become attributes.",
    .validator = validators::regular_expression()};

}  // namespace

std::vector<PropertyDescriptor> consume_properties_1() {
  std::vector<PropertyDescriptor> all = nifi_1::connection_properties();
  all.insert(all.end(),
             {topics, topic_type, group_id, commit_offsets, most_time, nifi_1::honor_transactions,
              demarcator, separate_by_key, key_encoding_property, offset_reset, header_encoding,
              header_pattern, nifi_1::max_poll_records, nifi_1::communications_timeout});
  return all;
}

std::vector<PropertyDescriptor> consume_record_properties_1() {
  std::vector<PropertyDescriptor> all = consume_properties_1();
  all.insert(all.end(), {nifi_1::record_reader, nifi_1::record_writer,
                         nifi_1::ignored("output-strategy", "Output Strategy"),
                         nifi_1::ignored("key-format", "Key Format"),
                         nifi_1::ignored("key-record-reader", "Key Record Reader")});
  return all;
}

std::vector<ValidationProblem> check_consume_1(const PropertyContext& context) {
  std::vector<ValidationProblem> problems = nifi_1::check_connection(context);
  if (context.property(nifi_1::record_reader).is_set()) {
    problems.push_back({nifi_1::record_reader.name, "record readers come with a later version"});
  }
  const std::string& type = context.property(topic_type).text();
  if (type == "flowNames") {
    problems.push_back({topic_type.name, "topics named by FlowFiles are not supported"});
  }
  for (auto& one : check_topics(context, topics.name, type == "pattern")) {
    problems.push_back(std::move(one));
  }
  return problems;
}

ConsumeOptions read_consume_1(ProcessContext& context) {
  ConsumeOptions options = read_consume(
      context,
      {group_id, topic_type, topics, offset_reset, commit_offsets, most_time, header_pattern,
       header_encoding, key_encoding_property, demarcator, separate_by_key},
      context.property(demarcator).is_set());
  options.connection = nifi_1::make_connection(context);
  return options;
}

}  // namespace weir::processors::kafka
