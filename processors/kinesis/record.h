#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir::processors::kinesis {

// A place in a shard: what is checkpointed. A record that the KPL put into an aggregate shares the
// sequence number with its siblings and is told from them by the sub-sequence number; a plain
// record has 0.
struct Position {
  std::string sequence_number;  // decimal digits
  std::int64_t sub_sequence_number = 0;

  bool operator==(const Position& other) const { return (*this <=> other) == 0; }
  // In the shard's order. Only between sequence numbers of digits, which may be of any length.
  std::strong_ordering operator<=>(const Position& other) const;
};

// One user record, as the KCL delivers it. The texts are views into the batch that holds it.
struct Record {
  std::string_view data;
  std::string_view partition_key;  // UTF-8
  std::string_view sequence_number;
  std::int64_t sub_sequence_number = 0;
  std::int64_t approximate_arrival_ms = 0;  // since the epoch

  Position position() const { return {std::string(sequence_number), sub_sequence_number}; }
};

// The records of one processRecords call, in the shard's order. Immutable once built.
class RecordBatch {
 public:
  // `storage` holds every text of `records`.
  RecordBatch(std::unique_ptr<char[]> storage, std::size_t storage_bytes,
              std::vector<Record> records, std::int64_t millis_behind_latest);

  const std::vector<Record>& records() const { return records_; }
  std::int64_t millis_behind_latest() const { return millis_behind_latest_; }
  // All memory it holds, which is what counts against Max Bytes to Buffer.
  std::size_t bytes() const { return bytes_; }

 private:
  const std::unique_ptr<char[]> storage_;
  const std::vector<Record> records_;
  const std::int64_t millis_behind_latest_;
  const std::size_t bytes_;
};
using RecordBatchPtr = std::shared_ptr<const RecordBatch>;

}  // namespace weir::processors::kinesis
