#include "tests/processors/kinesis/fake_kcl.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/text/base64.h"

namespace weir::processors::kinesis::testing {
namespace {

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string initialize_line(std::string_view shard_id, const Position& position) {
  return fmt::format(
      R"({{"action":"initialize","shardId":"{}","sequenceNumber":"{}","subSequenceNumber":{}}})",
      shard_id, position.sequence_number, position.sub_sequence_number);
}

std::string process_records_line(const std::vector<FakeRecord>& records,
                                 std::int64_t millis_behind_latest) {
  std::string line = R"({"action":"processRecords","records":[)";
  for (const FakeRecord& record : records) {
    if (!line.ends_with('[')) line += ',';
    line += fmt::format(
        R"({{"data":"{}","partitionKey":"{}","sequenceNumber":"{}",)"
        R"("approximateArrivalTimestamp":1796029040590,"subSequenceNumber":{},"action":"record"}})",
        text::base64_encode(record.data), record.partition_key, record.position.sequence_number,
        record.position.sub_sequence_number);
  }
  return line + fmt::format(R"(],"millisBehindLatest":{}}})", millis_behind_latest);
}

std::string call_line(std::string_view action) {
  return fmt::format(R"({{"action":"{}"}})", action);
}

std::string checkpoint_line(std::string_view error) {
  return fmt::format(
      R"({{"action":"checkpoint","sequenceNumber":null,"subSequenceNumber":null,"error":{}}})",
      error.empty() ? "null" : fmt::format("\"{}\"", error));
}

FakeKcl::FakeKcl(Settings settings, std::uint64_t seed)
    : settings_(std::move(settings)), random_(seed), next_commit_(1) {
  // The numbers grow by a digit on the way, so that they do not sort as texts.
  for (std::uint64_t sequence = 95; shard_.size() < settings_.records;
       sequence += 1 + random_() % 3) {
    const std::uint64_t size = chance(30) ? 1 + random_() % 5 : 1;
    for (std::uint64_t sub = 0; sub < size && shard_.size() < settings_.records; ++sub) {
      shard_.push_back({fmt::format("{}", sequence), static_cast<std::int64_t>(sub)});
    }
  }
}

void FakeKcl::begin_stay() {
  ++stay_;
  stay_over_ = lease_gone_ = lost_called_ = shutdown_wanted_ = shutdown_called_ = false;
  initialized_ = false;
  delivered_ = stored_;
  open_call_.clear();
  result_.reset();
  next_commit_.push_back(stored_);
}

void FakeKcl::connection_lost() {
  stay_over_ = true;
  open_call_.clear();
  result_.reset();
}

std::optional<std::string> FakeKcl::line_out() {
  if (stay_over_) return std::nullopt;
  if (result_) return std::exchange(result_, std::nullopt);
  if (call_open()) return std::nullopt;
  if (!std::exchange(initialized_, true)) {
    open_call_ = "initialize";
    return initialize_line(settings_.shard_id,
                           stored_ == 0 ? Position{"TRIM_HORIZON", 0} : shard_[stored_ - 1]);
  }
  if (lease_gone_ || shutdown_called_) return call("leaseLost");
  if (shutdown_wanted_) return call("shutdownRequested");
  if (delivered_ == shard_.size() && chance(30)) return call("shardEnded");
  if (chance(settings_.disturb_percent)) {
    return call(chance(50) ? "shutdownRequested" : "leaseLost");
  }
  if (chance(25)) return deliver(0);
  return deliver(1 + random_() % settings_.most_a_call);
}

std::string FakeKcl::call(std::string_view action) {
  open_call_ = action;
  if (action == "leaseLost") lease_gone_ = lost_called_ = true;
  if (action == "shutdownRequested") shutdown_called_ = true;
  return call_line(action);
}

std::string FakeKcl::deliver(std::size_t count) {
  open_call_ = "processRecords";
  std::vector<FakeRecord> records;
  for (; records.size() < count && delivered_ < shard_.size(); ++delivered_) {
    records.push_back(
        {fmt::format("{}", delivered_), shard_[delivered_], fmt::format("{}", stay_)});
  }
  return process_records_line(records, static_cast<std::int64_t>(shard_.size() - delivered_));
}

void FakeKcl::line_in(std::string_view line) {
  if (stay_over_) return;  // nobody reads it
  const simdjson::padded_string padded(line);
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  std::string_view action, text;
  std::int64_t sub = 0;
  if (parser.parse(padded).get(object) || object["action"].get(action)) {
    return fail(fmt::format("no message: {}", line));
  }
  if (result_) return fail(fmt::format("not waited for a checkpoint's result: {}", line));
  if (action == "status") {
    if (object["responseFor"].get(text)) return fail("a status of nothing");
    return status(text);
  }
  if (action != "checkpoint") return fail(fmt::format("unknown: {}", line));
  if (object["sequenceNumber"].get(text)) return checkpoint(std::nullopt);
  if (object["subSequenceNumber"].get(sub)) return fail("a checkpoint without a sub-sequence");
  checkpoint(Position{std::string(text), sub});
}

void FakeKcl::status(std::string_view response_for) {
  if (response_for != open_call_ || open_call_.empty()) {
    return fail(fmt::format("a status of {} within '{}'", response_for, open_call_));
  }
  if (response_for == "shardEnded") {
    if (!shard_end_written_ && !lease_gone_)
      return fail("the shard's end is answered, not written");
    stay_over_ = true;
  }
  if (response_for == "leaseLost") stay_over_ = true;
  open_call_.clear();
}

std::optional<std::size_t> FakeKcl::index_of(const Position& position) const {
  const auto found = std::ranges::find(shard_, position);
  if (found == shard_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - shard_.begin());
}

void FakeKcl::checkpoint(std::optional<Position> position) {
  if (open_call_ != "processRecords" && open_call_ != "shutdownRequested" &&
      open_call_ != "shardEnded") {
    return fail(fmt::format("a checkpoint within '{}'", open_call_));
  }
  std::size_t upto = shard_.size();
  if (position) {
    const auto index = index_of(*position);
    if (!index || *index >= delivered_) return fail("a checkpoint of what was not delivered");
    upto = *index + 1;
  } else if (open_call_ != "shardEnded") {
    return fail(fmt::format("a checkpoint of all that was delivered within {}", open_call_));
  }
  if (upto <= stored_ && position) return fail("a checkpoint that goes back, or is there already");
  if (upto > committed_) return fail("a checkpoint of a record that is not committed");
  if (lease_gone_ || chance(settings_.fail_percent)) {
    lease_gone_ = lease_gone_ || chance(30);
    result_ = checkpoint_line(lease_gone_ ? "ShutdownException" : "ThrottlingException");
    return;
  }
  stored_ = upto;
  if (!position) shard_end_written_ = true;
  result_ = checkpoint_line();
}

void FakeKcl::commit(const Record& record) {
  const std::size_t number = number_in(record.data), stay = number_in(record.partition_key);
  ++commits_;
  if (stay >= next_commit_.size() || number >= shard_.size() ||
      shard_[number] != record.position()) {
    return fail("a record that was never delivered is committed");
  }
  if (number != next_commit_[stay]) {
    return fail(fmt::format("record {} of stay {} is committed where {} is next", number, stay,
                            next_commit_[stay]));
  }
  ++next_commit_[stay];
  if (number > committed_) return fail(fmt::format("record {} is left out", committed_));
  committed_ = std::max(committed_, number + 1);
}

void FakeKcl::fail(std::string what) {
  if (problem_.empty()) problem_ = fmt::format("stay {}: {}", stay_, what);
}

}  // namespace weir::processors::kinesis::testing
