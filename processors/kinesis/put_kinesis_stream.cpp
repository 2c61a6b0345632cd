#include "processors/kinesis/put_kinesis_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

#include "engine/text/utf16.h"
#include "processors/aws/client.h"
#include "processors/aws/regions.h"
#include "processors/kinesis/put_records.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

using kinesis::PutRecord;
using kinesis::PutRecords;

// Limits of the service for one PutRecords request. It takes 10 MB by now; the older limit is
// where a request is cut, a single larger record goes alone.
constexpr std::size_t kMostRecords = 500;
constexpr std::uint64_t kMostRequestBytes = 5 << 20;
constexpr std::size_t kMostKeyCharacters = 256;

constexpr int kMostAttempts = 5;
constexpr std::chrono::milliseconds kFirstWait{100};
constexpr int kMostReasons = 5;  // in the log, of one trigger

constexpr const char* kErrorMessage = "aws.kinesis.error.message";
constexpr const char* kErrorCode = "aws.kinesis.error.code";
constexpr const char* kShardId = "aws.kinesis.shard.id";
constexpr const char* kSequenceNumber = "aws.kinesis.sequence.number";
constexpr const char* kByPartitionKey = "PARTITION_KEY";

const Relationship success{.name = "success", .description = "FlowFiles that Kinesis accepted."};
const Relationship failure{
    .name = "failure",
    .description = "FlowFiles that Kinesis did not accept, or that are too large for it."};

const PropertyDescriptor stream_name{.name = "Stream Name",
                                     .description = "The stream, for each FlowFile.",
                                     .required = true,
                                     .validator = validators::non_empty(),
                                     .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor region = aws::region_property();
const PropertyDescriptor credentials_service{
    .name = "AWS Credentials Provider service",
    .description = "Gives the credentials that requests are signed with.",
    .required = true,
    .controller_service = aws::kCredentialsProviderInterface};
const PropertyDescriptor partition_key{
    .name = "Stream Partition Key",
    .description = "Records of one key go to one shard. An empty key is replaced by a random one.",
    .default_value = "${kinesis.partition.key}",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"amazon-kinesis-stream-partition-key"}};
const PropertyDescriptor batch_size{.name = "Message Batch Size",
                                    .description = "How many FlowFiles a trigger takes at most.",
                                    .default_value = "250",
                                    .validator = validators::integer(1, 500),
                                    .old_names = {"message-batch-size"}};
const PropertyDescriptor buffer_size{
    .name = "Max Message Buffer Size",
    .description = "A trigger takes no further FlowFile once those it has are larger than this.",
    .default_value = "1 MB",
    .validator = validators::data_size(),
    .old_names = {"max-message-buffer-size"}};
const PropertyDescriptor communications_timeout{
    .name = "Communications Timeout",
    .description = "How long a connection may take to stand, and how long it may be silent.",
    .default_value = "30 secs",
    .required = true,
    .validator = validators::duration(std::chrono::milliseconds(1))};
const PropertyDescriptor proxy{
    .name = "proxy-configuration-service",
    .display_name = "Proxy Configuration Service",
    .description = "Not supported: a proxy for HTTPS is taken from the environment (HTTPS_PROXY).",
    .controller_service = "org.apache.nifi.proxy.ProxyConfigurationService",
    .old_names = {"Proxy Configuration Service"}};
const PropertyDescriptor endpoint{
    .name = "Endpoint Override URL",
    .description = "Where Kinesis is reached instead of the region's own endpoint.",
    .validator = aws::endpoint_url(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor record_ordering{
    .name = "Record Ordering",
    .description =
        "NONE: as in NiFi, a record that is repeated may come behind later ones. PARTITION_KEY: of "
        "each stream's partition key one record at a time is on its way, the next one follows once "
        "it is accepted, and FlowFiles wait in the queue while Kinesis cannot take them. Costs a "
        "request for each record of a key, and needs one concurrent task. A record that Kinesis "
        "refuses "
        "for good goes to failure, and those behind it go on.",
    .default_value = "NONE",
    .allowable_values = {{"NONE"}, {kByPartitionKey}}};
const PropertyDescriptor record_limit{
    .name = "Max Record Size",
    .description =
        "FlowFiles that are larger, with their partition key, go to failure. Raise it, "
        "up to 10 MB, for streams that take larger records.",
    .default_value = "1 MB",
    .validator = validators::data_size(1, 10 << 20)};

void report(ProcessContext& context, LogLevel level, std::string_view fate,
            const std::map<std::string, int>& reasons, std::size_t taken) {
  int shown = 0;
  for (const auto& [reason, count] : reasons) {
    if (++shown > kMostReasons) return;
    context.log().log(level, "{} of {} FlowFiles {}: {}", count, taken, fate, reason);
  }
}

class PutKinesisStream : public Processor {
 public:
  explicit PutKinesisStream(std::chrono::milliseconds first_wait) : first_wait_(first_wait) {}

  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;
  void on_unscheduled(ProcessContext& context) override;

 private:
  std::vector<PutRecord> take(ProcessSession& session) const;
  void fill(ProcessSession& session, PutRecord& record) const;
  // Sends what waits, and repeats what may be accepted a little later.
  void send_all(ProcessContext& context, std::vector<PutRecord>& records);
  void send_each_once(ProcessContext& context, std::vector<PutRecord>& records, int pass);
  PutRecords next_round(std::vector<PutRecord>& records, int pass) const;
  // False where nothing answered: no other request is worth trying now.
  bool send(ProcessContext& context, const PutRecords& round, std::vector<PutRecord>& all);
  bool wait(int attempt);  // false: the processor was asked to stop
  void route(ProcessContext& context, ProcessSession& session,
             std::vector<PutRecord>& records) const;

  const std::chrono::milliseconds first_wait_;
  // Constants while scheduled.
  PropertyValue stream_name_;
  PropertyValue partition_key_;
  std::size_t batch_size_ = 0;
  std::uint64_t buffer_bytes_ = 0;
  std::uint64_t most_record_bytes_ = 0;
  bool ordered_ = false;
  Random* random_ = nullptr;
  std::chrono::nanoseconds timeout_{0};
  std::unique_ptr<aws::Client> client_;

  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;  // guarded by `mutex_`
};

ProcessorDefinition declare(std::chrono::milliseconds first_wait) {
  ProcessorDefinition definition;
  definition.type = "org.apache.nifi.processors.aws.kinesis.stream.PutKinesisStream";
  definition.summary =
      "Writes the contents of FlowFiles as records to Amazon Kinesis Data Streams, many with one "
      "request. Records that Kinesis refuses for want of throughput are repeated.";
  definition.tags = {"amazon", "aws", "kinesis", "put", "stream"};
  definition.properties = {stream_name,
                           region,
                           credentials_service,
                           partition_key,
                           batch_size,
                           buffer_size,
                           communications_timeout,
                           proxy,
                           endpoint,
                           record_ordering,
                           record_limit};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {kErrorMessage, "Why the FlowFile is in failure."},
      {kErrorCode,
       "The service's name for it; missing where the FlowFile was never sent, or "
       "nothing answered."},
      {kSequenceNumber, "The record's number within its shard."},
      {kShardId, "The shard that took the record."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.blocking = true;
  definition.delivery_note =
      "At least once: an engine that dies after Kinesis accepted a record and before its commit "
      "sends it again.";
  definition.example = R"({"type": "PutKinesisStream", "properties": {"Stream Name": "events", )"
                       R"("Region": "eu-west-1", "Stream Partition Key": "${device}", )"
                       R"("AWS Credentials Provider service": {"service": "AWS"}}})";
  definition.make = [first_wait] { return std::make_unique<PutKinesisStream>(first_wait); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> PutKinesisStream::custom_validate(
    const PropertyContext& context) const {
  if (!context.property(proxy).is_set()) return {};
  return {{proxy.name, "is not supported: a proxy is taken from the environment (HTTPS_PROXY)"}};
}

void PutKinesisStream::on_scheduled(ProcessContext& context) {
  stream_name_ = context.property(stream_name);
  partition_key_ = context.property(partition_key);
  batch_size_ = static_cast<std::size_t>(context.property(batch_size).integer());
  buffer_bytes_ = context.property(buffer_size).data_size();
  most_record_bytes_ = context.property(record_limit).data_size();
  ordered_ = context.property(record_ordering).text() == kByPartitionKey;
  if (ordered_ && context.concurrent_tasks() > 1) {
    throw ProcessException(
        fmt::format("{} {} needs one concurrent task: two would overtake each "
                    "other",
                    record_ordering.name, kByPartitionKey));
  }
  random_ = &context.random();
  timeout_ = context.property(communications_timeout).duration();
  auto credentials = std::dynamic_pointer_cast<aws::CredentialsProvider>(
      context.controller_service(credentials_service.name));
  if (!credentials) {
    throw ProcessException(credentials_service.name + " names no enabled service for credentials");
  }
  const std::string url =
      context.property(endpoint).is_set() ? context.property(endpoint).evaluate() : std::string();
  if (!url.empty()) {
    if (const auto wrong = aws::endpoint_url()(url)) {
      throw ProcessException(fmt::format("{}: {}", endpoint.name, *wrong));
    }
  }
  client_ = std::make_unique<aws::Client>(
      aws::ClientSettings{
          .service = "kinesis",
          .region = context.property(region).text(),
          .endpoint = url,
          .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout_)},
      std::move(credentials));
  const std::lock_guard lock(mutex_);
  stopping_ = false;
}

void PutKinesisStream::on_unscheduled(ProcessContext&) {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  stopped_.notify_all();
}

bool PutKinesisStream::wait(int attempt) {
  auto most = first_wait_ * (1 << attempt);
  // Half of it at random: those whom one shard refused at once do not come back at once.
  const auto random_part = random_->next() % static_cast<std::uint64_t>(most.count() / 2 + 1);
  most -= std::chrono::milliseconds(random_part);
  std::unique_lock lock(mutex_);
  return !stopped_.wait_for(lock, most, [this] { return stopping_; });
}

void PutKinesisStream::on_trigger(ProcessContext& context, ProcessSession& session) {
  std::vector<PutRecord> records = take(session);
  if (records.empty()) return;
  send_all(context, records);
  route(context, session, records);
}

std::vector<PutRecord> PutKinesisStream::take(ProcessSession& session) const {
  std::vector<PutRecord> records;
  std::uint64_t bytes = 0;
  while (records.size() < batch_size_ && bytes <= buffer_bytes_) {
    const FlowFile flow_file = session.get();
    if (!flow_file) break;
    PutRecord& record = records.emplace_back(flow_file);
    try {
      fill(session, record);
    } catch (const ProcessException& error) {  // an expression: it fails this FlowFile alone
      record.fail({}, error.what());
    }
    bytes += record.content.size();
  }
  return records;
}

void PutKinesisStream::fill(ProcessSession& session, PutRecord& record) const {
  record.stream = stream_name_.evaluate(record.flow_file);
  if (partition_key_.is_set()) record.key = partition_key_.evaluate(record.flow_file);
  if (record.key.find_first_not_of(" \t\r\n") == std::string::npos) {
    record.key = std::to_string(static_cast<std::int32_t>(random_->next()));
  }
  const std::uint64_t size = record.flow_file.size() + record.key.size();
  if (size > most_record_bytes_) {
    return record.fail(
        {}, fmt::format("The record has {} bytes with its partition key, more than the {} "
                        "that {} allows",
                        size, most_record_bytes_, record_limit.name));
  }
  if (record.stream.empty()) return record.fail({}, "Stream Name is empty for this FlowFile");
  if (text::utf16_length(record.key) > kMostKeyCharacters) {
    return record.fail(
        {}, fmt::format("The partition key is longer than {} characters", kMostKeyCharacters));
  }
  record.content = session.read(record.flow_file)->read_all();
}

PutRecords PutKinesisStream::next_round(std::vector<PutRecord>& records, int pass) const {
  PutRecords round;
  std::uint64_t bytes = 0;
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (PutRecord& record : records) {
    if (record.state != PutRecord::State::waiting) continue;
    // The first of a key that still waits stands before all behind it.
    if (ordered_ && !keys.insert({record.stream, record.key}).second) continue;
    if (record.last_pass == pass) continue;
    if (!round.empty() && record.stream != round.front()->stream) continue;
    if (!round.empty() && bytes + record.bytes() > kMostRequestBytes) break;
    bytes += record.bytes();
    round.push_back(&record);
    if (round.size() == kMostRecords) break;
  }
  return round;
}

void PutKinesisStream::send_all(ProcessContext& context, std::vector<PutRecord>& records) {
  const auto waits = [](const PutRecord& record) {
    return record.state == PutRecord::State::waiting;
  };
  const std::int64_t begin_ns = context.clock().steady_ns();
  bool asked_to_stop = false;
  for (int pass = 0; pass < kMostAttempts; ++pass) {
    send_each_once(context, records, pass);
    if (std::ranges::none_of(records, waits)) return;
    // Timeouts one after another: FlowFiles are better off in a queue than here.
    if (context.clock().steady_ns() - begin_ns > timeout_.count()) break;
    asked_to_stop = pass + 1 < kMostAttempts && !wait(pass);
    if (asked_to_stop) break;
  }
  // Who asks for order gets no record into failure that may yet be accepted.
  const auto end =
      ordered_ || asked_to_stop ? PutRecord::State::put_back : PutRecord::State::failed;
  for (PutRecord& record : records) {
    if (waits(record)) record.state = end;
  }
}

void PutKinesisStream::send_each_once(ProcessContext& context, std::vector<PutRecord>& records,
                                      int pass) {
  for (PutRecords round = next_round(records, pass); !round.empty();
       round = next_round(records, pass)) {
    for (PutRecord* record : round) record->last_pass = pass;
    if (!send(context, round, records)) return;
  }
}

bool PutKinesisStream::send(ProcessContext& context, const PutRecords& round,
                            std::vector<PutRecord>& all) {
  const std::int64_t begin_ns = context.clock().steady_ns();
  const auto for_waiting = [&all](const auto& action) {
    for (PutRecord& record : all) {
      if (record.state == PutRecord::State::waiting) action(record);
    }
  };
  try {
    const std::string answer =
        client_->call("Kinesis_20131202.PutRecords", kinesis::put_records_request(round));
    if (!kinesis::read_put_records_answer(answer, round)) {
      throw aws::ServiceError(200, {},
                              client_->endpoint() + " answered PutRecords with no result of it");
    }
  } catch (const aws::ServiceError& error) {
    if (error.status() == 0) {
      for_waiting([&](PutRecord& record) { record.note_error({}, error.what()); });
      return false;
    }
    for (PutRecord* record : round) {
      if (error.retryable()) {
        record->note_error(error.code(), error.what());
      } else {
        record->fail(error.code(), error.what());
      }
    }
  } catch (const ProcessException& error) {  // no credentials: no other request has any, either
    for_waiting([&](PutRecord& record) { record.fail({}, error.what()); });
  }
  const std::int64_t duration_ms = (context.clock().steady_ns() - begin_ns) / 1'000'000;
  for (PutRecord* record : round) record->duration_ms = duration_ms;
  return true;
}

void PutKinesisStream::route(ProcessContext& context, ProcessSession& session,
                             std::vector<PutRecord>& records) const {
  std::map<std::string, int> failures, delays;  // by reason
  bool refused = false;
  for (const PutRecord& record : records) {
    const FlowFile& flow_file = record.flow_file;
    if (record.state == PutRecord::State::put_back) {
      session.transfer_to_source(flow_file);
      // Those behind a record of their key have no reason of their own.
      if (!record.error_message.empty()) ++delays[record.reason()];
    } else if (record.state == PutRecord::State::accepted) {
      // A FlowFile that comes from failure has the former attempt's.
      session.remove_attributes(flow_file, std::vector<std::string>{kErrorCode, kErrorMessage});
      session.put_attribute(flow_file, kShardId, record.shard_id);
      session.put_attribute(flow_file, kSequenceNumber, record.sequence_number);
      session.provenance().send(flow_file, fmt::format("{}/{}", client_->endpoint(), record.stream),
                                "shard " + record.shard_id, record.duration_ms);
      session.transfer(flow_file, success);
    } else {
      if (!record.error_code.empty()) {
        session.put_attribute(flow_file, kErrorCode, record.error_code);
      }
      session.put_attribute(flow_file, kErrorMessage, record.error_message);
      session.transfer(flow_file, failure);
      ++failures[record.reason()];
    }
    refused |= record.state != PutRecord::State::accepted && record.last_pass >= 0;
  }
  report(context, LogLevel::error, "go to failure", failures, records.size());
  report(context, LogLevel::warn, "stay in the queue", delays, records.size());
  // Whoever never got as far as the service says nothing about it.
  if (refused) context.yield();
}

ProcessorDefinition put_kinesis_stream(std::chrono::milliseconds first_wait) {
  return declare(first_wait);
}

const ProcessorDefinition& put_kinesis_stream() {
  static const ProcessorDefinition definition = declare(kFirstWait);
  return definition;
}

}  // namespace weir::processors
