#include "processors/kinesis/shard_buffer.h"

#include <utility>

namespace weir::processors::kinesis {

void ShardBuffer::add(RecordBatchPtr batch, std::int64_t now_ns) {
  millis_behind_latest_ = batch->millis_behind_latest();
  if (batch->records().empty()) return;
  pending_bytes_ += batch->bytes();
  pending_records_ += batch->records().size();
  pending_.push_back({std::move(batch), now_ns});
}

const std::vector<RecordBatchPtr>& ShardBuffer::consume() {
  if (in_progress_.empty() && !pending_.empty()) {
    in_progress_oldest_ns_ = pending_.front().arrived_ns;
  }
  in_progress_.reserve(in_progress_.size() + pending_.size());
  for (Pending& pending : pending_) in_progress_.push_back(std::move(pending.batch));
  pending_.clear();
  in_progress_bytes_ += std::exchange(pending_bytes_, 0);
  in_progress_records_ += std::exchange(pending_records_, 0);
  given_ = true;
  return in_progress_;
}

std::vector<RecordBatchPtr> ShardBuffer::commit() {
  if (!std::exchange(given_, false) || in_progress_.empty()) return {};
  Position last = in_progress_.back()->records().back().position();
  if (!committed_ || *committed_ < last) committed_ = std::move(last);
  in_progress_bytes_ = 0;
  in_progress_records_ = 0;
  return std::exchange(in_progress_, {});
}

void ShardBuffer::clear() {
  pending_.clear();
  in_progress_.clear();
  pending_bytes_ = in_progress_bytes_ = 0;
  pending_records_ = in_progress_records_ = 0;
  given_ = false;
}

bool ShardBuffer::set_checkpointed(const Position& position) {
  if (checkpointed_ && position < *checkpointed_) return false;
  checkpointed_ = position;
  return true;
}

const Position* ShardBuffer::to_checkpoint() const {
  if (!committed_ || (checkpointed_ && *committed_ <= *checkpointed_)) return nullptr;
  return &*committed_;
}

std::int64_t ShardBuffer::oldest_ns() const {
  return in_progress_.empty() ? pending_.front().arrived_ns : in_progress_oldest_ns_;
}

}  // namespace weir::processors::kinesis
