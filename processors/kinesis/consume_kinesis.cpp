#include "processors/kinesis/consume_kinesis.h"

#include <fmt/format.h>

#include <atomic>

#include "processors/aws/credentials.h"
#include "processors/kinesis/consume_kinesis_properties.h"
#include "processors/kinesis/consumer.h"
#include "processors/kinesis/flow_file_output.h"
#include "processors/kinesis/kcl_properties.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

using namespace consume_kinesis_properties;
using std::chrono::milliseconds;

const Relationship success{.name = "success", .description = "FlowFiles with what was read."};

// How long a task waits for records before it looks whether it is to stop.
constexpr milliseconds kWait{1000};
constexpr std::int64_t kReportEveryNs = 60'000'000'000;
const std::string worker_key = "worker.id";
const std::string behind_counter = "Millis Behind Latest";

class ConsumeKinesis : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;
  void on_unscheduled(ProcessContext&) override {
    if (consumer_) consumer_->close();
  }
  void on_stopped(ProcessContext&) override {
    if (!consumer_) return;
    consumer_->stop();
    consumer_.reset();
  }

 private:
  kinesis::Consumer::Settings settings(ProcessContext& context) const;
  void report(ProcessContext& context, ProcessSession& session);

  kinesis::OutputRules output_;
  std::unique_ptr<kinesis::Consumer> consumer_;
  bool log_status_ = false;
  std::atomic<std::int64_t> next_report_ns_{0};
  std::mutex counter_mutex_;
  std::int64_t counted_behind_ms_ = 0;  // guarded by it: what the counter shows
};

std::vector<ValidationProblem> ConsumeKinesis::custom_validate(
    const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  if (context.property(strategy).text() == kRecord) {
    problems.push_back({strategy.name,
                        "RECORD needs record readers and writers, which come with a later version; "
                        "use FLOW_FILE or DEMARCATOR"});
  }
  for (const std::string& name : context.dynamic_properties()) {
    if (auto wrong = kinesis::check_kcl_property(name, context.property(name).text())) {
      problems.push_back({name, *std::move(wrong)});
    }
  }
  if (const auto installation = kinesis::find_installation(); !installation) {
    problems.push_back({"", installation.error()});
  }
  return problems;
}

// The name under which this consumer holds its leases. One that the user did not choose is kept:
// with a new one after each start the old leases would first have to run out.
std::string worker_name(ProcessContext& context) {
  if (const PropertyValue value = context.property(worker_id); value.is_set()) {
    return value.evaluate();
  }
  const state::StateMap state = context.state().get();
  if (const auto kept = state.values.find(worker_key); kept != state.values.end()) {
    return kept->second;
  }
  std::string made = "weir-" + random_uuid(context.random());
  context.state().set({{worker_key, made}});
  return made;
}

kinesis::Consumer::Settings ConsumeKinesis::settings(ProcessContext& context) const {
  const auto installation = kinesis::find_installation();
  if (!installation) throw ProcessException(installation.error());
  const auto provider = std::dynamic_pointer_cast<aws::CredentialsProvider>(
      context.controller_service(credentials.name));
  if (!provider) {
    throw ProcessException(fmt::format("'{}' names no credentials provider", credentials.name));
  }

  kinesis::Consumer::Settings settings;
  settings.daemon.installation = *installation;
  settings.daemon.properties = kinesis::kcl_properties(context, worker_name(context));
  settings.daemon.heap_bytes = context.property(heap_size).data_size();
  settings.daemon.stream = context.property(stream_name).text();
  settings.daemon.region = context.property(region).text();
  if (const PropertyValue value = context.property(endpoint); value.is_set()) {
    settings.daemon.endpoint = value.evaluate();
  }
  settings.complete = [provider](kinesis::KclDaemon::Settings& daemon) {
    daemon.properties["AwsCredentialsProvider"] = provider->for_java(daemon.directory).provider;
    daemon.environment = [provider, directory = daemon.directory] {
      return provider->for_java(directory).environment;
    };
  };
  settings.checkpoints.interval = context.property(checkpoint_interval).duration();
  if (context.property(strategy).text() == kDemarcator) {
    settings.batching.max_batch_bytes = context.property(max_batch_size).data_size();
    settings.batching.max_batch_duration = context.property(max_batch_duration).duration();
  }
  settings.max_bytes = context.property(max_bytes).data_size();
  settings.stop_grace =
      std::chrono::duration_cast<milliseconds>(context.property(shutdown_timeout).duration());
  return settings;
}

void ConsumeKinesis::on_scheduled(ProcessContext& context) {
  output_ = {.stream = context.property(stream_name).text(),
             .region = context.property(region).text()};
  if (context.property(strategy).text() == kDemarcator) {
    output_.merge = true;
    output_.demarcator = context.property(demarcator).text();
    output_.max_bytes = context.property(max_batch_size).data_size();
  }
  log_status_ = context.property(consume_kinesis_properties::metrics).text() == "LOGS";
  next_report_ns_ = context.clock().steady_ns() + kReportEveryNs;
  consumer_ =
      std::make_unique<kinesis::Consumer>(settings(context), context.clock(), context.log());
}

// The lease is given back without a commit where anything throws: the records stay in progress and
// are given out again.
void ConsumeKinesis::on_trigger(ProcessContext& context, ProcessSession& session) {
  kinesis::RecordBuffer& buffer = consumer_->buffer();
  std::optional<kinesis::RecordBuffer::Lease> lease = buffer.acquire(kWait);
  if (lease) {
    const kinesis::Written written = kinesis::write_flow_files(
        session, success, output_, lease->id().shard_id, buffer.consume(*lease));
    session.adjust_counter("Records Received", static_cast<std::int64_t>(written.records));
    session.commit();
    if (!buffer.commit(*lease)) {
      context.log().info(
          "The lease of {} was lost while {} records were written; its next owner may deliver them "
          "again",
          lease->id().shard_id, written.records);
    }
    buffer.give_back(*std::move(lease));
  }
  report(context, session);
}

// Counters and, where wanted, a line a shard once a minute.
void ConsumeKinesis::report(ProcessContext& context, ProcessSession& session) {
  const std::vector<kinesis::ShardStatus> shards = consumer_->buffer().status();
  std::int64_t behind_ms = 0;
  for (const kinesis::ShardStatus& shard : shards) {
    behind_ms = std::max(behind_ms, shard.millis_behind_latest);
  }
  {
    const std::lock_guard lock(counter_mutex_);
    if (behind_ms != counted_behind_ms_) {
      session.adjust_counter(behind_counter, behind_ms - counted_behind_ms_);
      counted_behind_ms_ = behind_ms;
    }
  }
  if (!log_status_) return;
  const std::int64_t now_ns = context.clock().steady_ns();
  std::int64_t due_ns = next_report_ns_.load();
  if (now_ns < due_ns ||
      !next_report_ns_.compare_exchange_strong(due_ns, now_ns + kReportEveryNs)) {
    return;
  }
  for (const kinesis::ShardStatus& shard : shards) {
    context.log().info(
        "{}: {} records ({} bytes) buffered, {} ms behind the latest, last call {} s ago, last "
        "checkpoint {} s ago",
        shard.id.shard_id, shard.records, shard.bytes, shard.millis_behind_latest,
        (now_ns - shard.last_call_ns) / 1'000'000'000,
        (now_ns - shard.last_checkpoint_ns) / 1'000'000'000);
  }
}

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = "org.apache.nifi.processors.aws.kinesis.ConsumeKinesis";
  definition.summary =
      "Reads a Kinesis stream, each record at least once. The Kinesis Client Library (version 3), "
      "in a process of its own, shares the shards out among all consumers of the application and "
      "keeps their progress in DynamoDB; a shard's progress is written only after its FlowFiles "
      "are committed.";
  definition.tags = {"amazon", "aws", "kinesis", "consume", "stream", "record"};
  definition.properties = all();
  definition.dynamic_properties = DynamicPropertyNote{
      .name = "a setting of the Kinesis Client Library",
      .value = "its value",
      .description =
          "Given to the library's daemon as it is, such as maxLeasesForWorker or "
          "leaseTableDeletionProtectionEnabled."};
  definition.relationships = {success};
  definition.writes_attributes = kinesis::written_attributes();
  definition.input = InputRequirement::forbidden;
  definition.blocking = true;
  definition.stateful = true;
  definition.delivery_note =
      "At least once. After a crash of the engine, of the library's process or of the machine, "
      "reading goes on behind the last checkpoint, and what was committed since is delivered "
      "again. After an orderly stop nothing is. Within a shard the order is kept.";
  definition.example = R"({
  "services": {
    "credentials": {
      "type": "AWSCredentialsProviderControllerService",
      "properties": {"Use Default Credentials": "true"}
    }
  },
  "processors": {
    "read": {
      "type": "ConsumeKinesis",
      "properties": {
        "Stream Name": "orders",
        "Application Name": "orders-to-files",
        "AWS Credentials Provider Service": {"service": "credentials"},
        "Region": "eu-west-1",
        "Processing Strategy": "DEMARCATOR",
        "Message Demarcator": "\n"
      }
    }
  }
})";
  definition.make = [] { return std::make_unique<ConsumeKinesis>(); };
  return definition;
}

}  // namespace

const ProcessorDefinition& consume_kinesis() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
