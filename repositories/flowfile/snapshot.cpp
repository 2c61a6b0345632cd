#include "repositories/flowfile/snapshot.h"

namespace weir::flowfile {
namespace {

storage::Decoder block(const storage::RecordView& record, format::BlockKind& kind) {
  storage::Decoder in(record.payload);
  kind = static_cast<format::BlockKind>(in.u8());
  return in;
}

}  // namespace

SnapshotWriter::SnapshotWriter(storage::FileSystem& files, const storage::Path& path,
                               std::uint64_t salt, const SnapshotHeader& header)
    : log_(files, path, {.format = format::kSnapshot, .version = format::kVersion, .salt = salt}),
      batches_(log_),
      header_(header) {
  std::vector<std::byte> payload;
  storage::Encoder out(payload);
  out.u8(static_cast<std::uint8_t>(format::BlockKind::header));
  out.varint(header.position);
  out.varint(header.counters.next_order);
  out.varint(header.counters.next_id);
  out.varint(header.counters.next_event_id);
  batches_.write_record(payload);
}

void SnapshotWriter::add(const SwapSummary& swap_file) {
  std::vector<std::byte> payload;
  storage::Encoder out(payload);
  out.u8(static_cast<std::uint8_t>(format::BlockKind::swap_file));
  encode_summary(swap_file, out);
  batches_.write_record(payload);
  ++swap_files_;
}

void SnapshotWriter::finish() {
  std::vector<std::byte> payload;
  storage::Encoder out(payload);
  out.u8(static_cast<std::uint8_t>(format::BlockKind::footer));
  out.varint(header_.position);
  out.varint(batches_.count());
  out.varint(swap_files_);
  batches_.write_record(payload);
  log_.sync();
}

SnapshotReader::SnapshotReader(storage::FileSystem& files, const storage::Path& path)
    : path_(path), log_(files, path, format::kSnapshot, format::kVersion) {
  if (log_.next() != storage::RecordLogReader::Status::record) {
    throw storage::DamagedError(path_, log_.offset(), "the snapshot has no header record");
  }
  try {
    format::BlockKind kind;
    storage::Decoder in = block(log_.record(), kind);
    if (kind != format::BlockKind::header) throw storage::DecodeError("the header is not first");
    header_.position = in.varint();
    header_.counters.next_order = in.varint();
    header_.counters.next_id = in.varint();
    header_.counters.next_event_id = in.varint();
  } catch (const storage::DecodeError& error) {
    throw storage::DamagedError(path_, log_.record().offset, error.what());
  }
}

void SnapshotReader::read(const BatchVisitor& flow_file,
                          const std::function<void(SwapSummary&&)>& swap_file) {
  using Status = storage::RecordLogReader::Status;
  std::uint64_t flow_files = 0;
  std::uint64_t swap_files = 0;
  bool footer = false;
  Status status;
  while ((status = log_.next()) == Status::record) {
    try {
      format::BlockKind kind;
      storage::Decoder in = block(log_.record(), kind);
      if (footer) throw storage::DecodeError("a record follows the footer");
      switch (kind) {
        case format::BlockKind::swap_file:
          swap_file(decode_summary(in));
          ++swap_files;
          break;
        case format::BlockKind::flow_files:
          decode_batch(in, [&](const PlainFlowFile& file, storage::Bytes connection) {
            ++flow_files;
            flow_file(file, connection);
          });
          break;
        case format::BlockKind::footer:
          if (in.varint() != header_.position || in.varint() != flow_files ||
              in.varint() != swap_files) {
            throw storage::DecodeError("the footer does not fit the snapshot");
          }
          footer = true;
          break;
        default:
          throw storage::DecodeError("a record is of unknown kind");
      }
    } catch (const storage::DecodeError& error) {
      throw storage::DamagedError(path_, log_.record().offset, error.what());
    }
  }
  if (status != Status::end) {
    throw storage::DamagedError(path_, log_.finding().offset, log_.finding().what);
  }
  if (!footer) throw storage::DamagedError(path_, log_.offset(), "the snapshot ends early");
}

}  // namespace weir::flowfile
