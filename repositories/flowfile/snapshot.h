#pragma once

#include <functional>

#include "repositories/flowfile/blocks.h"

namespace weir::flowfile {

// The counters that go on from run to run.
struct Counters {
  std::uint64_t next_order = 1;
  std::uint64_t next_id = 1;
  std::uint64_t next_event_id = 1;
};

// The state of all FlowFiles after the journal record `position` (README.md, "Snapshot").
struct SnapshotHeader {
  std::uint64_t position = 0;
  Counters counters;
};

// One thread. A snapshot without footer is not complete and is never used.
class SnapshotWriter {
 public:
  SnapshotWriter(storage::FileSystem& files, const storage::Path& path, std::uint64_t salt,
                 const SnapshotHeader& header);
  // FlowFiles by rising id.
  void add(const PlainFlowFile& file, std::uint32_t connection, storage::Bytes encoded_connection) {
    batches_.add(file, connection, encoded_connection);
  }
  void add(const SwapSummary& swap_file);
  // Writes the footer and syncs the file.
  void finish();
  std::uint64_t size() const { return log_.size(); }

 private:
  storage::RecordLogWriter log_;
  BatchWriter batches_;
  SnapshotHeader header_;
  std::uint64_t swap_files_ = 0;
};

// Throws DamagedError with file and offset where anything is not as it was written, and where
// the footer is missing.
class SnapshotReader {
 public:
  SnapshotReader(storage::FileSystem& files, const storage::Path& path);
  const SnapshotHeader& header() const { return header_; }
  // Once: everything in the file, in its order.
  void read(const BatchVisitor& flow_file, const std::function<void(SwapSummary&&)>& swap_file);

 private:
  storage::Path path_;
  storage::RecordLogReader log_;
  SnapshotHeader header_;
};

}  // namespace weir::flowfile
