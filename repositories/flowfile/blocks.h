#pragma once

#include <functional>

#include "repositories/flowfile/commit_codec.h"
#include "repositories/storage/record_log.h"

namespace weir::flowfile {

// Batches of FlowFiles: what snapshots and swap files are made of. Each batch is one record and
// needs nothing from the others.

class BatchWriter {
 public:
  explicit BatchWriter(storage::RecordLogWriter& log) : log_(log) {}

  // `connection` is any number that stands for `encoded_connection` within this file. The name
  // of the claim's container must stay valid until the batch is written.
  void add(const PlainFlowFile& file, std::uint32_t connection, storage::Bytes encoded_connection);
  void write_batch();
  // Any other record of the file; a begun batch is written before it.
  void write_record(storage::Bytes payload);

  std::uint64_t count() const { return count_; }

 private:
  storage::RecordLogWriter& log_;
  std::uint64_t sequence_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t batch_count_ = 0;
  UpdateContext context_;
  std::vector<std::byte> table_;
  std::vector<std::uint32_t> table_numbers_;
  std::vector<std::byte> body_;
  std::vector<std::byte> payload_;
};

// `visit(file, connection)` for each FlowFile; `in` stands behind the kind byte.
using BatchVisitor = std::function<void(const PlainFlowFile& file, storage::Bytes connection)>;
void decode_batch(storage::Decoder in, const BatchVisitor& visit);

}  // namespace weir::flowfile
