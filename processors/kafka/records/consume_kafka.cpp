#include "processors/kafka/records/consume_kafka.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "processors/kafka/records/consume_options.h"
#include "processors/kafka/records/consumer_pool.h"
#include "processors/kafka/records/kept_offsets.h"
#include "processors/kafka/records/nifi_1.h"
#include "processors/kafka/records/record_output.h"

namespace weir::processors::kafka {
namespace {

const Relationship success{.name = "success", .description = "The records, in new FlowFiles."};

// A trigger that gets no record ends after this, so that a stop is not kept waiting.
constexpr std::chrono::milliseconds kIdleWait{500};
constexpr std::chrono::milliseconds kSlice{100};
// What a consumer fetches ahead where the user sets no size.
constexpr std::uint64_t kFetchAhead_kb = 16 * 1024;
constexpr std::uint64_t kLeastFetchAhead_kb = 1024;
constexpr std::uint64_t kMostFetchAhead_kb = 64 * 1024;
// A session with more open FlowFiles than this is committed.
constexpr std::size_t kMostOpen = 1'000;

using Check = std::vector<ValidationProblem> (*)(const PropertyContext&);
using Read = ConsumeOptions (*)(ProcessContext&);

class ConsumeKafka : public Processor {
 public:
  ConsumeKafka(Check check, Read read) : check_(check), read_(read) {}

  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    return check_(context);
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;
  void on_stopped(ProcessContext& context) override;

 private:
  ConsumerOptions consumer_options(ProcessContext& context);
  bool is_full(const RecordOutput& output) const;
  void read_session(ProcessContext& context, Consumer& consumer, RecordOutput& output,
                    const std::function<void()>& finish) const;

  const Check check_;
  const Read read_;
  ConsumeOptions options_;
  std::size_t most_records_ = 0;
  std::unique_ptr<KeptOffsets> kept_;  // null where this processor commits offsets
  std::unique_ptr<ConsumerPool> pool_;
};

void set_default(Settings& settings, const std::string& name, std::uint64_t value) {
  settings.emplace(name, std::to_string(value));
}

}  // namespace

ConsumerOptions ConsumeKafka::consumer_options(ProcessContext& context) {
  ConsumerOptions options;
  options.settings = options_.connection->consumer_settings();
  options.settings["group.id"] = options_.group;
  options.settings["auto.offset.reset"] =
      options_.offset_reset == "none" ? "error" : options_.offset_reset;
  const std::uint64_t ahead_kb = options_.most_uncommitted_bytes == 0
                                     ? kFetchAhead_kb
                                     : std::clamp(options_.most_uncommitted_bytes / 1024,
                                                  kLeastFetchAhead_kb, kMostFetchAhead_kb);
  set_default(options.settings, "queued.max.messages.kbytes", ahead_kb);
  options.topics = options_.topics;
  options.commits = options_.rules.offsets_committed;
  options.timeout = options_.connection->api_timeout();
  if (!options.commits) {
    kept_ = std::make_unique<KeptOffsets>(context.state(), options_.group);
    options.positions = [this] { return kept_->get(); };
    options.keep = [this](const Offsets& offsets) { kept_->put(offsets); };
  }
  return options;
}

void ConsumeKafka::on_scheduled(ProcessContext& context) {
  options_ = read_(context);
  most_records_ = static_cast<std::size_t>(options_.connection->max_poll_records());
  pool_ = std::make_unique<ConsumerPool>(consumer_options(context), context.concurrent_tasks(),
                                         context.clock(), context.log());
}

void ConsumeKafka::on_stopped(ProcessContext&) {
  pool_.reset();
  kept_.reset();
}

bool ConsumeKafka::is_full(const RecordOutput& output) const {
  return output.records() >= most_records_ || output.open_flow_files() >= kMostOpen ||
         (options_.most_uncommitted_bytes > 0 && output.bytes() >= options_.most_uncommitted_bytes);
}

void ConsumeKafka::read_session(ProcessContext& context, Consumer& consumer, RecordOutput& output,
                                const std::function<void()>& finish) const {
  using std::chrono::nanoseconds;
  std::chrono::milliseconds idle{0};
  while (idle < kIdleWait && output.records() == 0) {
    if (!context.is_scheduled()) return;
    if (const auto record = consumer.poll(kSlice, finish)) {
      output.add(*record);
    } else {
      idle += kSlice;
    }
  }
  const std::int64_t deadline_ns =
      context.clock().steady_ns() + nanoseconds(options_.most_uncommitted_time).count();
  // Waiting is counted apart from the clock, which stands still in tests.
  std::chrono::milliseconds waited{0};
  while (output.records() > 0 && !is_full(output) && context.is_scheduled()) {
    const auto left = std::min(std::chrono::ceil<std::chrono::milliseconds>(
                                   nanoseconds(deadline_ns - context.clock().steady_ns())),
                               options_.most_uncommitted_time - waited);
    if (left.count() <= 0) return;
    const auto slice = std::min(left, kSlice);
    if (const auto record = consumer.poll(slice, finish)) {
      output.add(*record);
    } else {
      waited += slice;
    }
  }
}

void ConsumeKafka::on_trigger(ProcessContext& context, ProcessSession& session) {
  const ConsumerPool::Lease consumer = pool_->take();
  RecordOutput output(session, success, options_.rules);
  // The consumer goes back to the pool only after this: nobody else may commit in between.
  const auto finish = [&] {
    output.finish();
    session.commit();
  };
  try {
    read_session(context, *consumer.operator->(), output, finish);
    if (output.records() > 0) finish();
  } catch (const std::exception&) {
    session.rollback();
    consumer->session_failed();
    throw;
  }
  consumer->session_committed();
}

namespace {

ProcessorDefinition declare_common(Check check, Read read) {
  ProcessorDefinition definition;
  definition.summary =
      "Reads records of Kafka topics as a member of a consumer group; each becomes a FlowFile, or "
      "many of them one.";
  definition.tags = {"kafka", "get", "ingest", "ingress", "topic", "pubsub", "consume"};
  definition.relationships = {success};
  definition.writes_attributes = consumed_attributes();
  definition.input = InputRequirement::forbidden;
  definition.blocking = true;
  definition.delivery_note =
      "At least once: offsets are committed behind the session that holds their records, so that a "
      "crash between the two reads those records again, and none is lost. A stop in order, and "
      "partitions that go to another member in order, make no duplicates.";
  definition.example =
      R"({"type": "ConsumeKafka", "properties": {"Kafka Connection Service": {"service": "cluster"}, "Group ID": "readers", "Topics": "orders", "auto.offset.reset": "earliest"}})";
  definition.make = [check, read] { return std::make_unique<ConsumeKafka>(check, read); };
  return definition;
}

ProcessorDefinition declare() {
  ProcessorDefinition definition = declare_common(check_consume, read_consume);
  definition.type = "org.apache.nifi.kafka.processors.ConsumeKafka";
  definition.properties = consume_properties();
  return definition;
}

}  // namespace

const ProcessorDefinition& consume_kafka() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

const ProcessorDefinition& consume_kafka_1() {
  static const ProcessorDefinition definition =
      as_in_1(declare_common(check_consume_1, read_consume_1), "ConsumeKafka",
              consume_properties_1(), true);
  return definition;
}

const ProcessorDefinition& consume_kafka_record_1() {
  static const ProcessorDefinition definition =
      as_in_1(declare_common(check_consume_1, read_consume_1), "ConsumeKafkaRecord",
              consume_record_properties_1(), false);
  return definition;
}

}  // namespace weir::processors::kafka
