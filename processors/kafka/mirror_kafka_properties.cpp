#include "processors/kafka/mirror_kafka_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "processors/kafka/connection.h"
#include "processors/kafka/mirror/mirror_expression_handler.h"
#include "processors/support/declare.h"
#include "processors/support/java_text.h"

namespace weir::processors::mirror_kafka_properties {
namespace {

using std::chrono_literals::operator""ms;

constexpr const char* kNames = "names";
constexpr const char* kPattern = "pattern";
constexpr const char* kExactlyOnce = "exactly-once";
constexpr const char* kStop = "stop";
constexpr const char* kGoOn = "continue";
constexpr const char* kDeadLetterTopic = "dead-letter-topic";
constexpr const char* kFailureRelationship = "failure";
constexpr const char* kBrokersDefault = "default";
constexpr const char* kAsSource = "source";

// "default", "source" or a number.
std::optional<int> replication_of(std::string_view text) {
  if (text == kBrokersDefault) return -1;
  if (text == kAsSource) return 0;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

Validator replication() {
  return [](std::string_view value) -> std::optional<std::string> {
    if (replication_of(value)) return std::nullopt;
    return "it is 'default' (what the target's brokers have), 'source' (as there) or a number";
  };
}

Validator handler_name() {
  return [](std::string_view value) -> std::optional<std::string> {
    const std::vector<std::string> names = kafka::mirror_message_handlers();
    if (std::ranges::find(names, value) != names.end()) return std::nullopt;
    return fmt::format("there is no such handler; known are {}", fmt::join(names, ", "));
  };
}

std::chrono::milliseconds milliseconds_of(const PropertyValue& value) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(value.duration());
}

std::shared_ptr<kafka::Connection> connection(const PropertyContext& context,
                                              const PropertyDescriptor& property) {
  auto found =
      std::dynamic_pointer_cast<kafka::Connection>(context.controller_service(property.name));
  if (!found) throw ProcessException(fmt::format("'{}' names no Kafka connection", property.name));
  return found;
}

kafka::TopicSelection selection_of(const PropertyContext& context) {
  const std::string text = context.property(topics).evaluate();
  if (context.property(topic_format).text() != kPattern) return {.names = split_list(text)};
  std::expected<Pattern, std::string> pattern = Pattern::compile(text);
  if (!pattern) throw ProcessException(fmt::format("'Topics': {}", pattern.error()));
  return {.pattern = *std::move(pattern)};
}

kafka::FailureRule failure_rule(const std::string& text) {
  if (text == kDeadLetterTopic) return kafka::FailureRule::dead_letter_topic;
  if (text == kFailureRelationship) return kafka::FailureRule::dead_letter;
  return kafka::FailureRule::stop;
}

kafka::LossRule loss_rule(const PropertyContext& context, const PropertyDescriptor& property) {
  return context.property(property).text() == kGoOn ? kafka::LossRule::go_on
                                                    : kafka::LossRule::stop;
}

const std::vector<AllowableValue> stop_or_go_on = {
    {kStop, "Stop Partition", "The partition stands still, and nothing of it is committed."},
    {kGoOn, "Continue", "Reading goes on with the first record that is there."}};

}  // namespace

const PropertyDescriptor source{.name = "Source Connection Service",
                                .description = "The cluster that is read.",
                                .required = true,
                                .controller_service = kafka::kConnectionInterface};
const PropertyDescriptor target{.name = "Target Connection Service",
                                .description = "The cluster that is written.",
                                .required = true,
                                .controller_service = kafka::kConnectionInterface};
const PropertyDescriptor topics{
    .name = "Topics",
    .description =
        "The topics to mirror: names by commas, or a pattern for whole names. Topics that come to "
        "match are taken up while the mirror runs. A pattern never means internal topics (__...).",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor topic_format{.name = "Topic Format",
                                      .description = "What 'Topics' holds.",
                                      .default_value = kNames,
                                      .required = true,
                                      .allowable_values = {{kNames}, {kPattern}}};
const PropertyDescriptor group_id{
    .name = "Group ID",
    .description =
        "The group whose positions the mirror keeps. Mirrors of the same group share the "
        "partitions; with exactly-once delivery one at a time works, and a later one takes its "
        "place.",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor group_instance_id{
    .name = "Group Instance ID",
    .description =
        "A name that this mirror alone has in its group. With it a mirror that died and comes "
        "back has its partitions at once; else they wait for the end of its session.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor initial_position{
    .name = "auto.offset.reset",
    .display_name = "Auto Offset Reset",
    .description =
        "Where a partition is read first that the group has no position for. 'latest' is the end "
        "of "
        "what is there when the mirror starts; what comes later is read from its beginning. A "
        "position whose record is gone is another matter: see 'On Lost Records'.",
    .default_value = "earliest",
    .required = true,
    .allowable_values = {{"earliest"}, {"latest"}, {"none"}}};
const PropertyDescriptor delivery{
    .name = "Delivery Guarantee",
    .description = "What happens after a crash to records that the target has already.",
    .default_value = "at-least-once",
    .required = true,
    .allowable_values = {
        {"at-least-once", "At Least Once", "Those since the last commit are mirrored again."},
        {kExactlyOnce, "Exactly Once",
         "Records and positions are written to the target in one transaction: readers of the "
         "target with isolation.level=read_committed see each record once."}}};
const PropertyDescriptor channels{
    .name = "Data Channels",
    .description =
        "Threads that handle and send records. All records of a partition go through the same "
        "one, in order. More than one is of use where the message handler takes time.",
    .default_value = "1",
    .required = true,
    .validator = validators::integer(1, 64)};
const PropertyDescriptor commit_interval{
    .name = "Commit Interval",
    .description = "How often positions, or transactions, are committed.",
    .default_value = "1 sec",
    .required = true,
    .validator = validators::duration(10ms)};
const PropertyDescriptor drain_timeout{
    .name = "Drain Timeout",
    .description =
        "How long partitions that are given up, in a rebalance or a stop, wait for the target's "
        "acknowledgements. What is not acknowledged by then is mirrored again.",
    .default_value = "30 sec",
    .required = true,
    .validator = validators::duration()};
const PropertyDescriptor max_bytes{
    .name = "Max Data In Flight",
    .description = "Bytes of records that are read and not yet acknowledged, at most.",
    .default_value = "64 MB",
    .required = true,
    .validator = validators::data_size(std::uint64_t{1} << 20, std::uint64_t{1} << 40)};
const PropertyDescriptor assignment_strategy{
    .name = "Partition Assignment Strategy",
    .description =
        "How the mirrors of a group share the partitions. All of them must have the same kind.",
    .default_value = "range",
    .required = true,
    .allowable_values = {
        {"cooperative-sticky", "Cooperative Sticky",
         "Only the partitions that change hands stand still; positions are not committed while the "
         "group is joined."},
        {"range"},
        {"roundrobin"}}};
const PropertyDescriptor topic_refresh_interval{
    .name = "Topic Refresh Interval",
    .description = "How often new topics and partitions are looked for.",
    .default_value = "10 sec",
    .required = true,
    .validator = validators::duration(100ms)};
const PropertyDescriptor create_topics{
    .name = "Create Topics",
    .description =
        "Whether topics that the target lacks are created, with as many partitions as in the "
        "source.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor grow_topics{
    .name = "Add Partitions",
    .description = "Whether topics of the target get partitions added where the source has more.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor replication_factor{
    .name = "Replication Factor",
    .description =
        "Of topics that are created: 'default' (what the target's brokers have), 'source' (as "
        "there) or a number.",
    .default_value = kBrokersDefault,
    .required = true,
    .validator = replication(),
    .depends_on = {{.property = "Create Topics", .values = {"true"}}}};
const PropertyDescriptor copied_settings{
    .name = "Copied Topic Settings",
    .description =
        "Settings that a topic which is created takes from the source's topic, where they are set "
        "there. Timestamps stay what they are in the source only where the target's topic has "
        "message.timestamp.type=CreateTime.",
    .default_value = "cleanup.policy, max.message.bytes",
    .depends_on = {{.property = "Create Topics", .values = {"true"}}}};
const PropertyDescriptor message_handler{
    .name = "Message Handler",
    .description =
        "What is done to records on their way: 'identity' (nothing), 'expression' (the properties "
        "below), or a handler that the engine was built with.",
    .default_value = kafka::kIdentityHandler,
    .required = true,
    .validator = handler_name()};
const PropertyDescriptor on_loss{
    .name = "On Lost Records",
    .description =
        "What happens where records were gone before they were mirrored (retention). It is told as "
        "an error in any case. A batch that cannot be read always stops its partition.",
    .default_value = kStop,
    .required = true,
    .allowable_values = stop_or_go_on};
const PropertyDescriptor on_recreated_topic{
    .name = "On Recreated Topic",
    .description =
        "What happens where a topic of the source was made anew: its positions then mean nothing. "
        "It is told as an error in any case.",
    .default_value = kStop,
    .required = true,
    .allowable_values = stop_or_go_on};
const PropertyDescriptor on_failure{
    .name = "On Failed Record",
    .description =
        "What happens to a record that the message handler or the target refuses (too large).",
    .default_value = kStop,
    .required = true,
    .allowable_values = {
        {kStop, "Stop Partition", "Its partition stands still, its position before the record."},
        {kDeadLetterTopic, "Dead Letter Topic", "It is written to 'Dead Letter Topic'."},
        {kFailureRelationship, "Failure Relationship",
         "It becomes a FlowFile for failure; its position is committed after that."}}};
const PropertyDescriptor dead_letter_topic{
    .name = "Dead Letter Topic",
    .description =
        "A topic of the target. Headers of its records (weir.mirror....) tell whence and why.",
    .validator = validators::non_empty(),
    .depends_on = {{.property = "On Failed Record", .values = {kDeadLetterTopic}}}};
const PropertyDescriptor provenance{
    .name = "Provenance",
    .description =
        "Whether each batch of a partition leaves RECEIVE and SEND events with its offsets.",
    .default_value = kProvenanceBatches,
    .required = true,
    .allowable_values = {{kProvenanceBatches, "Per Batch"}, {"none", "None"}}};

std::vector<PropertyDescriptor> all() {
  std::vector<PropertyDescriptor> properties = {source,
                                                target,
                                                topics,
                                                topic_format,
                                                group_id,
                                                group_instance_id,
                                                initial_position,
                                                delivery,
                                                channels,
                                                commit_interval,
                                                drain_timeout,
                                                max_bytes,
                                                assignment_strategy,
                                                topic_refresh_interval,
                                                create_topics,
                                                grow_topics,
                                                replication_factor,
                                                copied_settings,
                                                message_handler};
  std::ranges::move(kafka::expression_handler_properties(), std::back_inserter(properties));
  for (const PropertyDescriptor* property :
       {&on_loss, &on_recreated_topic, &on_failure, &dead_letter_topic, &provenance}) {
    properties.push_back(*property);
  }
  return properties;
}

std::vector<ValidationProblem> problems_of(const PropertyContext& context) {
  std::vector<ValidationProblem> problems;
  const PropertyValue selected = context.property(topics);
  if (context.property(topic_format).text() == kPattern && !selected.has_expression()) {
    if (const auto pattern = Pattern::compile(selected.text()); !pattern) {
      problems.push_back({topics.name, pattern.error()});
    }
  }
  if (context.property(on_failure).text() == kDeadLetterTopic &&
      !context.property(dead_letter_topic).is_set()) {
    problems.push_back({dead_letter_topic.name, "dead letters need a topic"});
  }
  const bool has_expressions =
      context.property(message_handler).text() == kafka::kExpressionHandler;
  for (const std::string& name : context.dynamic_properties()) {
    if (!name.starts_with(kafka::kHeaderPrefix)) {
      problems.push_back({name, "further properties name a header, as in header.NAME"});
    } else if (!has_expressions) {
      problems.push_back({name, "headers are set by the message handler 'expression' only"});
    }
  }
  return problems;
}

kafka::MirrorSettings settings_of(const PropertyContext& context) {
  kafka::MirrorSettings settings;
  const std::shared_ptr<kafka::Connection> from = connection(context, source);
  const std::shared_ptr<kafka::Connection> to = connection(context, target);
  settings.source = from->consumer_settings();
  settings.source["partition.assignment.strategy"] = context.property(assignment_strategy).text();
  if (const PropertyValue value = context.property(group_instance_id); value.is_set()) {
    settings.source["group.instance.id"] = value.evaluate();
  }
  settings.target = to->producer_settings();
  settings.target_reader = to->consumer_settings();
  settings.source_name = from->brokers();
  settings.target_name = to->brokers();
  settings.api_timeout = std::max(from->api_timeout(), to->api_timeout());
  settings.topics = selection_of(context);
  settings.group_id = context.property(group_id).evaluate();
  const std::string& position = context.property(initial_position).text();
  settings.initial_position = position == "latest" ? kafka::InitialPosition::latest
                              : position == "none" ? kafka::InitialPosition::none
                                                   : kafka::InitialPosition::earliest;
  settings.delivery = context.property(delivery).text() == kExactlyOnce
                          ? kafka::Delivery::exactly_once
                          : kafka::Delivery::at_least_once;
  settings.channels = static_cast<int>(context.property(channels).integer());
  settings.commit_interval = milliseconds_of(context.property(commit_interval));
  settings.drain_timeout = milliseconds_of(context.property(drain_timeout));
  settings.max_bytes = context.property(max_bytes).data_size();
  settings.topic_refresh_interval = milliseconds_of(context.property(topic_refresh_interval));
  settings.topic_rules = {
      .create = context.property(create_topics).boolean(),
      .grow = context.property(grow_topics).boolean(),
      .replication_factor = replication_of(context.property(replication_factor).text()).value(),
      .copied_settings = split_list(context.property(copied_settings).text())};
  settings.on_loss = loss_rule(context, on_loss);
  settings.on_recreated_topic = loss_rule(context, on_recreated_topic);
  settings.on_failure = failure_rule(context.property(on_failure).text());
  settings.dead_letter_topic = context.property(dead_letter_topic).text();
  settings.handler =
      kafka::make_mirror_message_handler(context.property(message_handler).text(), context);
  return settings;
}

}  // namespace weir::processors::mirror_kafka_properties
