#include "processors/kafka/mirror/transaction_offsets.h"

#include <fmt/format.h>

#include <algorithm>

#include "processors/kafka/mirror/group_offsets.h"

namespace weir::processors::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// As in GroupOffsets: a position that is never written again is forgotten by the broker.
constexpr std::int64_t kRefreshNs = 30'000'000'000;
// A step that is not done by then goes on, or begins again, where it is asked for again.
constexpr int kStepMs = 5'000;

struct DestroyGroup {
  void operator()(rd_kafka_consumer_group_metadata_t* group) const {
    rd_kafka_consumer_group_metadata_destroy(group);
  }
};

}  // namespace

milliseconds transaction_timeout(const MirrorSettings& settings) {
  return std::max(milliseconds(60'000), settings.commit_interval * 4);
}

std::string transactional_id(const MirrorSettings& settings) {
  return "weir-mirror-" + settings.group_id;
}

TransactionOffsets::TransactionOffsets(const MirrorSettings& settings, MirrorProducer& producer,
                                       rd_kafka_t* consumer, PartitionTable& partitions,
                                       SendGate& gate, MirrorListener& listener, Clock& clock,
                                       const Patience& patience, ComponentLog& log,
                                       std::function<void(std::exception_ptr)> broken)
    : settings_(settings),
      producer_(producer),
      consumer_(consumer),
      partitions_(partitions),
      gate_(gate),
      listener_(listener),
      clock_(clock),
      patience_(patience),
      log_(log),
      broken_(std::move(broken)) {
  Owned<rd_kafka_error_t> error;
  patience_.ask([&](int timeout_ms) {
    error.reset(rd_kafka_init_transactions(producer_.get(), timeout_ms));
    return rd_kafka_error_code(error.get());
  });
  check(error.release(), fmt::format("Transactions of '{}' cannot begin in {}",
                                     transactional_id(settings_), settings_.target_name));
  begin();
}

TransactionOffsets::~TransactionOffsets() {
  if (!is_open_) return;
  // Where it fails, the next mirror of the group or the time-out ends it.
  if (rd_kafka_error_t* const error = rd_kafka_abort_transaction(producer_.get(), kStepMs)) {
    rd_kafka_error_destroy(error);
  }
}

void TransactionOffsets::begin() {
  check(rd_kafka_begin_transaction(producer_.get()), "A transaction cannot begin");
  is_open_ = true;
  began_ns_ = clock_.steady_ns();
}

void TransactionOffsets::fetch(rd_kafka_topic_partition_list_t& partitions) {
  const std::string what = fmt::format("The positions of group '{}' cannot be read in {}",
                                       settings_.group_id, settings_.target_name);
  Settings reader = settings_.target_reader;
  reader["group.id"] = settings_.group_id;
  reader["enable.auto.commit"] = "false";
  // Positions of an open transaction are waited for.
  reader["isolation.level"] = "read_committed";
  const Client client(RD_KAFKA_CONSUMER, configuration(reader), log_);
  check(patience_.committed(client.get(), &partitions), what);
  for (int i = 0; i < partitions.cnt; ++i) {
    rd_kafka_topic_partition_t& one = partitions.elems[i];
    // The topic is not in the target yet: nothing was mirrored.
    if (one.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
      one.offset = RD_KAFKA_OFFSET_INVALID;
    } else {
      check(one.err, what);
    }
  }
}

// Nobody is sending, as the gate is shut: waits until all that was sent is acknowledged.
TransactionOffsets::Due TransactionOffsets::quiesce() {
  const std::vector<MirrorPartitionPtr> partitions = partitions_.all();
  const bool drained = patience_.wait(transaction_timeout(settings_), [&](milliseconds piece) {
    return producer_.await_acknowledged(partitions, piece);
  });
  if (!drained || producer_.is_broken()) {
    throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT,
                     "The target did not acknowledge a transaction's records in time");
  }
  const std::int64_t now_ns = clock_.steady_ns();
  Due due;
  for (const MirrorPartitionPtr& partition : partitions) {
    if (partition->released) continue;
    const std::int64_t position = partition->unacked.advance();
    if (position < 0) continue;
    if (position == partition->committed && now_ns - partition->committed_ns < kRefreshNs) continue;
    due.partitions.push_back(partition);
    due.positions.push_back(position);
  }
  return due;
}

bool TransactionOffsets::is_taken_over(rd_kafka_resp_err_t code) const {
  const bool is_fenced = code == RD_KAFKA_RESP_ERR__FENCED ||
                         code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
                         code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH;
  // A transaction that was open for too long is fenced by the target itself.
  const nanoseconds open(clock_.steady_ns() - began_ns_);
  return is_fenced && open < transaction_timeout(settings_);
}

void TransactionOffsets::give_up(rd_kafka_error_t* error, const std::string& what) {
  const Owned<rd_kafka_error_t> held(error);
  const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  const std::string text = fmt::format("{}: {}", what, rd_kafka_error_string(error));
  if (is_taken_over(code)) {
    throw MirrorFenced(fmt::format("{}. Another mirror of group '{}' has taken over; this one ends",
                                   text, settings_.group_id));
  }
  throw KafkaError(code, text);
}

// Some errors only mean that the same is to be asked again.
void TransactionOffsets::try_step(const std::function<rd_kafka_error_t*(int)>& step,
                                  const std::string& what) {
  Owned<rd_kafka_error_t> error;
  const auto is_done = [&](milliseconds) {
    error.reset(step(kStepMs));
    return !error || rd_kafka_error_is_retriable(error.get()) == 0;
  };
  patience_.wait(transaction_timeout(settings_), is_done);
  if (error) give_up(error.release(), what);
}

void TransactionOffsets::commit(const Due& due) {
  const Owned<rd_kafka_topic_partition_list_t> list = list_of(due.partitions);
  for (int i = 0; i < list->cnt; ++i) {
    list->elems[i].offset = due.positions[static_cast<std::size_t>(i)];
  }
  const std::unique_ptr<rd_kafka_consumer_group_metadata_t, DestroyGroup> group(
      rd_kafka_consumer_group_metadata_new(settings_.group_id.c_str()));
  try_step(
      [&](int timeout_ms) {
        return rd_kafka_send_offsets_to_transaction(producer_.get(), list.get(), group.get(),
                                                    timeout_ms);
      },
      "Positions cannot be added to a transaction");
  try_step([&](int timeout_ms) { return rd_kafka_commit_transaction(producer_.get(), timeout_ms); },
           "A transaction cannot be committed");
  is_open_ = false;
  begin();
  for (std::size_t i = 0; i < due.partitions.size(); ++i) {
    MirrorPartition& partition = *due.partitions[i];
    const bool moved = due.positions[i] != partition.reported;
    partition.committed = due.positions[i];
    partition.committed_ns = clock_.steady_ns();
    if (moved) listener_.mirrored(take_range(partition, due.positions[i], consumer_));
  }
}

bool TransactionOffsets::commit(const std::vector<MirrorPartitionPtr>&) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || is_doomed_ || producer_.is_broken()) return true;
  gate_.shut();
  try {
    const Due due = quiesce();
    if (!due.partitions.empty()) {
      commit(due);
    } else {
      began_ns_ = clock_.steady_ns();
    }
  } catch (const KafkaError&) {
    is_doomed_ = true;
    broken_(std::current_exception());
  } catch (const MirrorFenced&) {
    is_open_ = false;
    broken_(std::current_exception());
  }
  gate_.open();
  return true;
}

std::int64_t TransactionOffsets::position(MirrorPartition& partition) {
  const std::lock_guard lock(mutex_);
  return partition.unacked.advance();
}

void TransactionOffsets::release(const std::vector<MirrorPartitionPtr>& partitions) {
  const std::lock_guard lock(mutex_);
  for (const MirrorPartitionPtr& partition : partitions) partition->released = true;
}

}  // namespace weir::processors::kafka
