#include "processors/kafka/mirror_kafka.h"

#include <fmt/format.h>

#include "processors/kafka/mirror/mirror.h"
#include "processors/kafka/mirror_kafka_properties.h"
#include "processors/kafka/mirror_report.h"

namespace weir::processors {
namespace {

using namespace mirror_kafka_properties;

const Relationship mirrored{.name = "mirrored",
                            .description =
                                "With Provenance 'batches', an empty FlowFile for each batch of a "
                                "partition. Where nothing is "
                                "connected it ends there, and its events stay.",
                            .auto_terminated_by_default = true};
const Relationship failure{
    .name = "failure",
    .description =
        "Records that were refused, one FlowFile each, where 'On Failed Record' says so.",
    .auto_terminated_by_default = false};

// How long a trigger waits for something to tell before it looks whether it is to stop.
constexpr std::chrono::milliseconds kWait{1000};

constexpr const char* kTopic = "kafka.topic";
constexpr const char* kPartition = "kafka.partition";
constexpr const char* kOffset = "kafka.offset";
constexpr const char* kTimestamp = "kafka.timestamp";
constexpr const char* kKey = "kafka.key";
constexpr const char* kTombstone = "kafka.tombstone";
constexpr const char* kMaxOffset = "kafka.max.offset";
constexpr const char* kCount = "kafka.count";
constexpr const char* kLag = "kafka.lag";
constexpr const char* kError = "kafka.mirror.error";

class MirrorKafka : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    return problems_of(context);
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;
  void on_unscheduled(ProcessContext&) override {
    if (report_) report_->close();
  }
  void on_stopped(ProcessContext&) override {
    mirror_.reset();
    report_.reset();
  }

 private:
  void record_range(ProcessSession& session, const kafka::MirroredRange& range);
  static void write_failure(ProcessSession& session, const std::string& source_uri,
                            const kafka::MirrorFailure& failed);
  void write(ProcessSession& session, const kafka::MirrorReport::Taken& taken);

  std::string source_uri_, target_uri_;
  bool records_provenance_ = true;
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> shown_lag_;
  std::unique_ptr<kafka::MirrorReport> report_;
  std::unique_ptr<kafka::Mirror> mirror_;
};

void MirrorKafka::on_scheduled(ProcessContext& context) {
  kafka::MirrorSettings settings = settings_of(context);
  source_uri_ = "kafka://" + settings.source_name;
  target_uri_ = "kafka://" + settings.target_name;
  records_provenance_ = context.property(provenance).text() == kProvenanceBatches;
  report_ = std::make_unique<kafka::MirrorReport>(context.log(), context.clock());
  mirror_ = std::make_unique<kafka::Mirror>(std::move(settings), *report_, context.clock(),
                                            context.log());
}

// A FlowFile stands for the batch; one that were removed here would leave no events.
void MirrorKafka::record_range(ProcessSession& session, const kafka::MirroredRange& range) {
  session.adjust_counter("Records Mirrored", static_cast<std::int64_t>(range.records));
  if (range.lag >= 0) {
    std::int64_t& shown = shown_lag_[{range.topic, range.partition}];
    if (range.lag != shown) {
      session.adjust_counter(fmt::format("Lag {}-{}", range.topic, range.partition),
                             range.lag - shown);
      shown = range.lag;
    }
  }
  if (!records_provenance_ || range.records == 0) return;
  const std::string details =
      fmt::format("{} records of {}-{}, offsets {} to {}", range.records, range.topic,
                  range.partition, range.first_offset, range.last_offset);
  const FlowFile batch = session.create();
  std::vector<flowfile::Attributes::Entry> attributes = {
      {kTopic, range.topic},
      {kPartition, std::to_string(range.partition)},
      {kOffset, std::to_string(range.first_offset)},
      {kMaxOffset, std::to_string(range.last_offset)},
      {kCount, std::to_string(range.records)}};
  if (range.lag >= 0) attributes.emplace_back(kLag, std::to_string(range.lag));
  session.put_attributes(batch, attributes);
  session.provenance().receive(batch, fmt::format("{}/{}", source_uri_, range.topic), details);
  session.provenance().send(batch, fmt::format("{}/{}", target_uri_, range.topic), details);
  session.transfer(batch, mirrored);
}

void MirrorKafka::write_failure(ProcessSession& session, const std::string& source_uri,
                                const kafka::MirrorFailure& failed) {
  const kafka::MirrorRecord& record = failed.record;
  const FlowFile flow_file = session.create();
  std::vector<flowfile::Attributes::Entry> attributes;
  for (const kafka::MirrorHeader& header : record.headers) {
    if (header.value) attributes.emplace_back(header.name, *header.value);
  }
  if (record.key) attributes.emplace_back(kKey, *record.key);
  if (!record.value) attributes.emplace_back(kTombstone, "true");
  attributes.emplace_back(kTopic, failed.source_topic);
  attributes.emplace_back(kPartition, std::to_string(failed.source_partition));
  attributes.emplace_back(kOffset, std::to_string(failed.source_offset));
  attributes.emplace_back(kTimestamp, std::to_string(record.timestamp_ms));
  attributes.emplace_back(kError, failed.reason);
  std::erase_if(attributes, [](const auto& entry) {
    return entry.first.empty() || entry.first == attribute::uuid;
  });
  session.put_attributes(flow_file, attributes);
  if (record.value && !record.value->empty()) {
    session.write(flow_file,
                  [&record](OutputStream& out) { out.write(std::string_view(*record.value)); });
  }
  session.provenance().receive(flow_file, fmt::format("{}/{}", source_uri, failed.source_topic),
                               failed.reason);
  session.transfer(flow_file, failure);
  session.after_commit(failed.kept);
}

void MirrorKafka::write(ProcessSession& session, const kafka::MirrorReport::Taken& taken) {
  for (const kafka::MirroredRange& range : taken.ranges) record_range(session, range);
  if (taken.records_failed > 0) {
    session.adjust_counter("Records Failed", static_cast<std::int64_t>(taken.records_failed));
  }
  if (taken.records_lost > 0) {
    session.adjust_counter("Records Lost", static_cast<std::int64_t>(taken.records_lost));
  }
  for (const kafka::MirrorFailure& failed : taken.failures) {
    write_failure(session, source_uri_, failed);
  }
}

void MirrorKafka::on_trigger(ProcessContext&, ProcessSession& session) {
  kafka::MirrorReport::Taken taken = report_->take(kWait);
  const auto shown_lag = shown_lag_;
  try {
    write(session, taken);
    session.commit();
  } catch (...) {
    // The position of a failed record waits for its FlowFile: it is written by a later trigger.
    shown_lag_ = shown_lag;
    report_->give_back(std::move(taken));
    throw;
  }
}

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = "weir.processors.kafka.MirrorKafka";
  definition.summary =
      "Mirrors topics of one Kafka cluster to another one and loses nothing: a position is "
      "committed only once the target has acknowledged its record and all before it. Keeps "
      "partitions, order, keys, values, headers and timestamps, creates topics and adds "
      "partitions, and can filter and change records.";
  definition.tags = {"kafka", "mirror", "replicate", "consume", "publish", "apache"};
  definition.properties = all();
  definition.dynamic_properties = DynamicPropertyNote{
      .name = "header.NAME",
      .value = "an expression",
      .description =
          "With the message handler 'expression': the header gets what it gives, or is "
          "removed where that is empty.",
      .expression_scope = ExpressionScope::flow_file_attributes};
  definition.relationships = {mirrored, failure};
  definition.writes_attributes = {
      {kTopic, "The source's topic."},
      {kPartition, "Its partition."},
      {kOffset, "The offset of a failed record, or the first one of a batch."},
      {kMaxOffset, "The last offset of a batch."},
      {kCount, "How many records of it were mirrored."},
      {kLag, "How many records the partition had behind it."},
      {kTimestamp, "Its timestamp, in milliseconds since the epoch."},
      {kKey, "Its key, where it has one."},
      {kTombstone, "true where it has no value."},
      {kError, "Why it was not mirrored."},
      {"the name of a header", "Its value."}};
  definition.input = InputRequirement::forbidden;
  definition.trigger_serially = true;
  definition.blocking = true;
  definition.delivery_note =
      "At least once: after a crash the records acknowledged since the last commit are mirrored "
      "again. Exactly once where asked for. An orderly stop or rebalance makes no duplicates.";
  definition.example = R"({
  "type": "MirrorKafka",
  "properties": {
    "Source Connection Service": {"service": "from"},
    "Target Connection Service": {"service": "to"},
    "Topics": "orders.*",
    "Topic Format": "pattern",
    "Group ID": "mirror"
  }
})";
  definition.make = [] { return std::make_unique<MirrorKafka>(); };
  return definition;
}

}  // namespace

const ProcessorDefinition& mirror_kafka() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
