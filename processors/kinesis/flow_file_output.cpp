#include "processors/kinesis/flow_file_output.h"

#include <fmt/format.h>

#include <array>

namespace weir::processors::kinesis {
namespace {

constexpr const char* kStreamName = "aws.kinesis.stream.name";
constexpr const char* kShardId = "aws.kinesis.shard.id";
constexpr const char* kPartitionKey = "aws.kinesis.partition.key";
constexpr const char* kFirstSequence = "aws.kinesis.first.sequence.number";
constexpr const char* kFirstSubSequence = "aws.kinesis.first.subsequence.number";
constexpr const char* kLastSequence = "aws.kinesis.last.sequence.number";
constexpr const char* kLastSubSequence = "aws.kinesis.last.subsequence.number";
constexpr const char* kArrival = "aws.kinesis.approximate.arrival.timestamp.ms";
constexpr const char* kBehind = "aws.kinesis.millis.behind.latest";
constexpr const char* kRecordCount = "record.count";

// One FlowFile while its records are written.
class Output {
 public:
  Output(ProcessSession& session, const Relationship& relationship, const OutputRules& rules,
         const std::string& shard_id)
      : session_(session),
        relationship_(relationship),
        rules_(rules),
        shard_id_(shard_id),
        transit_uri_(fmt::format("kinesis://{}/{}/{}", rules.region, rules.stream, shard_id)) {}

  void add(const Record& record, std::int64_t millis_behind_latest) {
    if (records_ == 0) begin(record);
    if (records_ > 0 && !rules_.demarcator.empty()) stream_->write(rules_.demarcator);
    if (!record.data.empty()) stream_->write(record.data);
    ++records_;
    last_ = &record;
    millis_behind_latest_ = millis_behind_latest;
    if (!rules_.merge || stream_->written() >= rules_.max_bytes) finish();
  }

  void finish() {
    if (records_ == 0) return;
    stream_->close();
    stream_.reset();
    put_attributes();
    session_.provenance().receive(flow_file_, transit_uri_);
    session_.transfer(flow_file_, relationship_);
    ++flow_files_;
    records_ = 0;
  }

  std::size_t flow_files() const { return flow_files_; }

 private:
  void begin(const Record& record) {
    flow_file_ = session_.create();
    stream_ = session_.write(flow_file_);
    first_ = &record;
  }

  void put_attributes() {
    const std::array<flowfile::Attributes::Entry, 10> attributes{{
        {kStreamName, rules_.stream},
        {kShardId, shard_id_},
        {kPartitionKey, std::string(last_->partition_key)},
        {kFirstSequence, std::string(first_->sequence_number)},
        {kFirstSubSequence, std::to_string(first_->sub_sequence_number)},
        {kLastSequence, std::string(last_->sequence_number)},
        {kLastSubSequence, std::to_string(last_->sub_sequence_number)},
        {kArrival, std::to_string(last_->approximate_arrival_ms)},
        {kBehind, std::to_string(millis_behind_latest_)},
        {kRecordCount, std::to_string(records_)},
    }};
    session_.put_attributes(flow_file_, attributes);
  }

  ProcessSession& session_;
  const Relationship& relationship_;
  const OutputRules& rules_;
  const std::string& shard_id_;
  const std::string transit_uri_;
  FlowFile flow_file_;
  std::unique_ptr<OutputStream> stream_;
  const Record* first_ = nullptr;
  const Record* last_ = nullptr;
  std::int64_t millis_behind_latest_ = 0;
  std::size_t records_ = 0;
  std::size_t flow_files_ = 0;
};

}  // namespace

Written write_flow_files(ProcessSession& session, const Relationship& relationship,
                         const OutputRules& rules, const std::string& shard_id,
                         const std::vector<RecordBatchPtr>& batches) {
  Output output(session, relationship, rules, shard_id);
  std::size_t records = 0;
  for (const RecordBatchPtr& batch : batches) {
    for (const Record& record : batch->records()) {
      output.add(record, batch->millis_behind_latest());
    }
    records += batch->records().size();
  }
  output.finish();
  return {records, output.flow_files()};
}

std::vector<AttributeNote> written_attributes() {
  return {
      {kStreamName, "The stream."},
      {kShardId, "The shard."},
      {kPartitionKey, "The partition key of the last record."},
      {kFirstSequence, "The first record's sequence number."},
      {kFirstSubSequence, "The first record's place within an aggregate, else 0."},
      {kLastSequence, "The last record's sequence number."},
      {kLastSubSequence, "The last record's place within an aggregate, else 0."},
      {kArrival, "When the stream got the last record, in milliseconds since the epoch."},
      {kBehind,
       "How far the shard was read behind its end, in milliseconds, when the last record "
       "was fetched."},
      {kRecordCount, "How many records the FlowFile holds."},
  };
}

}  // namespace weir::processors::kinesis
