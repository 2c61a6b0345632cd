#include "processors/kinesis/record_processor.h"

#include <utility>
#include <variant>

namespace weir::processors::kinesis {
namespace {

// Exceptions of the KCL's checkpointer, by their simple names.
constexpr std::string_view lease_is_gone = "ShutdownException";
constexpr std::string_view position_is_wrong = "IllegalArgumentException";

}  // namespace

ConsumeKinesisRecordProcessor::ConsumeKinesisRecordProcessor(RecordBuffer& buffer,
                                                             CheckpointRules rules, Clock& clock,
                                                             ComponentLog& log, Send send)
    : buffer_(buffer), rules_(rules), clock_(clock), log_(log), send_(std::move(send)) {}

ConsumeKinesisRecordProcessor::~ConsumeKinesisRecordProcessor() {
  closed();
}

bool ConsumeKinesisRecordProcessor::message(protocol::Message message) {
  if (closed_) return false;
  return std::visit([this](const auto& one) { return take(one); }, message);
}

void ConsumeKinesisRecordProcessor::progress() {
  step();
}

std::optional<std::int64_t> ConsumeKinesisRecordProcessor::deadline_ns() const {
  return deadline_ns_;
}

void ConsumeKinesisRecordProcessor::stop() {
  stopped_ = true;
  step();
}

void ConsumeKinesisRecordProcessor::closed() {
  if (std::exchange(closed_, true)) return;
  call_ = Call::none;
  wait(Wait::none, std::nullopt);
  if (id_) buffer_.invalidate(*id_);
}

bool ConsumeKinesisRecordProcessor::call_open() const {
  return call_ != Call::none;
}

bool ConsumeKinesisRecordProcessor::take(const protocol::Initialize& message) {
  if (id_) return breach("a second initialize");
  id_ = buffer_.create(message.shard_id);
  log_.debug("Shard {} begins after {}/{}", message.shard_id, message.sequence_number,
             message.sub_sequence_number);
  send_(protocol::status("initialize"));
  return true;
}

bool ConsumeKinesisRecordProcessor::take(const protocol::ProcessRecords& message) {
  if (!may_begin("processRecords")) return false;
  if (ended_) return breach("processRecords after shardEnded");
  empty_call_ = message.batch->records().empty();
  if (empty_call_) {
    buffer_.touch(*id_, message.batch->millis_behind_latest());
  } else if (stopped_ || !buffer_.add(*id_, message.batch)) {
    refused_ = true;  // delivered again to whoever has the shard next
  }
  begin(Call::process_records);
  return true;
}

bool ConsumeKinesisRecordProcessor::take(const protocol::LeaseLost&) {
  if (!may_begin("leaseLost")) return false;
  lost_ = true;
  buffer_.end(*id_, ShardEnd::lease_lost);
  buffer_.invalidate(*id_);
  send_(protocol::status("leaseLost"));
  return true;
}

bool ConsumeKinesisRecordProcessor::take(const protocol::ShardEnded&) {
  if (!may_begin("shardEnded")) return false;
  if (std::exchange(ended_, true)) return breach("a second shardEnded");
  buffer_.end(*id_, ShardEnd::shard_ended);
  begin(Call::shard_ended);
  return true;
}

bool ConsumeKinesisRecordProcessor::take(const protocol::ShutdownRequested&) {
  if (!may_begin("shutdownRequested")) return false;
  buffer_.end(*id_, ShardEnd::shutdown_requested);
  grace_end_ns_ = clock_.steady_ns() + rules_.shutdown_grace.count();
  begin(Call::shutdown_requested);
  return true;
}

bool ConsumeKinesisRecordProcessor::take(const protocol::CheckpointResult& message) {
  if (wait_ != Wait::checkpoint) return breach("the result of a checkpoint that nobody asked for");
  wait(Wait::none, std::nullopt);
  if (!message.error) {
    checkpoint_written();
    answer();
    return true;
  }
  checkpoint_failed(*message.error);
  const std::int64_t again_ns = clock_.steady_ns() + rules_.retry_after.count();
  const bool in_time =
      call_ == Call::shard_ended || (call_ == Call::shutdown_requested &&
                                     again_ns < grace_end_ns_ && to_checkpoint().has_value());
  const bool again = in_time && *message.error != lease_is_gone;
  if (again) {
    wait(Wait::retry, again_ns);
  } else {
    answer();
  }
  return true;
}

bool ConsumeKinesisRecordProcessor::breach(std::string_view what) {
  log_.error("The KCL's daemon broke the protocol of shard {}: {}",
             id_ ? id_->shard_id : "(none yet)", what);
  return false;
}

bool ConsumeKinesisRecordProcessor::may_begin(std::string_view what) {
  if (!id_) return breach(fmt::format("{} before initialize", what));
  if (call_open()) return breach(fmt::format("{} while another call is open", what));
  if (lost_) return breach(fmt::format("{} after leaseLost", what));
  return true;
}

void ConsumeKinesisRecordProcessor::begin(Call call) {
  call_ = call;
  step();
}

// Brings the open call nearer to its answer. Sends at most one line.
void ConsumeKinesisRecordProcessor::step() {
  if (wait_ == Wait::checkpoint) return;
  if (wait_ == Wait::retry && clock_.steady_ns() < *deadline_ns_) return;
  switch (call_) {
    case Call::none:
      return;
    case Call::process_records:
      return step_process_records();
    case Call::shard_ended:
      return step_shard_ended();
    case Call::shutdown_requested:
      return step_shutdown_requested();
  }
}

void ConsumeKinesisRecordProcessor::step_process_records() {
  const std::int64_t now_ns = clock_.steady_ns();
  if (lease_gone_ || !buffer_.valid(*id_) || (retry_ns_ && now_ns < *retry_ns_)) return answer();
  const bool drained = buffer_.drained(*id_);
  if (wait_ == Wait::commit) {
    if (!drained && !stopped_ && now_ns < *deadline_ns_) return;
    if (auto position = to_checkpoint()) return send_checkpoint(std::move(position));
    may_hold_ = drained;
    return answer();
  }
  const bool due = !due_ns_ || now_ns >= *due_ns_;
  const bool idle = empty_call_ && drained;
  if (auto position = to_checkpoint()) {
    if (due || idle || stopped_) return send_checkpoint(std::move(position));
    return answer();
  }
  const bool hold = due && may_hold_ && !drained && !stopped_ && rules_.hold_back.count() > 0;
  if (!hold) return answer();
  wait(Wait::commit, now_ns + rules_.hold_back.count());
}

void ConsumeKinesisRecordProcessor::step_shard_ended() {
  // Without a checkpoint this answer loses nothing: whoever has the shard next gets it again.
  if (!buffer_.valid(*id_)) return answer();
  if (buffer_.drained(*id_) && !refused_) return send_checkpoint(std::nullopt);
  if (stopped_ && !std::exchange(end_postponed_, true)) {
    log_.info(
        "Shard {} ended with records that are not processed: they come again after the next "
        "start, and its end is checkpointed then",
        id_->shard_id);
  }
  wait(Wait::commit, std::nullopt);
}

void ConsumeKinesisRecordProcessor::step_shutdown_requested() {
  if (lease_gone_ || !buffer_.valid(*id_)) return answer();
  const bool over = stopped_ || clock_.steady_ns() >= grace_end_ns_;
  if (!over && !buffer_.drained(*id_)) return wait(Wait::commit, grace_end_ns_);
  if (auto position = to_checkpoint()) return send_checkpoint(std::move(position));
  answer();
}

void ConsumeKinesisRecordProcessor::wait(Wait what, std::optional<std::int64_t> deadline_ns) {
  wait_ = what;
  deadline_ns_ = deadline_ns;
}

// Nothing: the shard's end.
void ConsumeKinesisRecordProcessor::send_checkpoint(std::optional<Position> position) {
  wait(Wait::checkpoint, std::nullopt);
  due_ns_ = clock_.steady_ns() + rules_.interval.count();
  may_hold_ = true;
  asked_ = std::move(position);
  send_(asked_ ? protocol::checkpoint(*asked_) : protocol::checkpoint_all());
}

void ConsumeKinesisRecordProcessor::answer() {
  static constexpr const char* names[] = {"", "processRecords", "shardEnded", "shutdownRequested"};
  const Call answered = std::exchange(call_, Call::none);
  wait(Wait::none, std::nullopt);
  send_(protocol::status(names[static_cast<std::size_t>(answered)]));
}

void ConsumeKinesisRecordProcessor::checkpoint_written() {
  // Of the shard's end, all that is committed is written with it.
  const std::optional<Position> written = asked_ ? asked_ : buffer_.to_checkpoint(*id_);
  if (written) buffer_.checkpointed(*id_, *written);
}

void ConsumeKinesisRecordProcessor::checkpoint_failed(const std::string& error) {
  const std::string what =
      asked_ ? fmt::format("{}/{}", asked_->sequence_number, asked_->sub_sequence_number)
             : std::string("its end");
  if (error == lease_is_gone) {
    log_.info("The lease of shard {} is gone: {} is not checkpointed", id_->shard_id, what);
    lease_gone_ = true;
    return;
  }
  if (error == position_is_wrong && asked_) {
    log_.error("The KCL refused to checkpoint shard {} at {}: {}", id_->shard_id, what, error);
    hopeless_ = asked_;
    return;
  }
  log_.warn("Shard {} could not be checkpointed at {}, which is tried again: {}", id_->shard_id,
            what, error);
  retry_ns_ = clock_.steady_ns() + rules_.retry_after.count();
  due_ns_ = retry_ns_;
}

std::optional<Position> ConsumeKinesisRecordProcessor::to_checkpoint() const {
  auto position = buffer_.to_checkpoint(*id_);
  if (position == hopeless_) return std::nullopt;
  return position;
}

}  // namespace weir::processors::kinesis
