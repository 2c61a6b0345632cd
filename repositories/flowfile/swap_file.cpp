#include "repositories/flowfile/swap_file.h"

#include <algorithm>

namespace weir::flowfile {
namespace {

using Status = storage::RecordLogReader::Status;

SwapSummary first_record(storage::RecordLogReader& log, const storage::Path& path) {
  if (log.next() != Status::record) {
    throw storage::DamagedError(path, log.offset(), "the swap file has no summary");
  }
  storage::Decoder in(log.record().payload);
  if (in.u8() != static_cast<std::uint8_t>(format::BlockKind::header)) {
    throw storage::DecodeError("the summary is not first");
  }
  return decode_summary(in);
}

}  // namespace

SwapSummary summarize(const SwapFile& swap_file) {
  SwapSummary summary;
  summary.connection = swap_file.connection;
  summary.name = swap_file.name;
  summary.count = swap_file.count;
  summary.bytes = swap_file.bytes;
  summary.first_order = swap_file.first_order;
  for (const content::ResourceClaimPtr& claim : swap_file.claims) {
    summary.claims.push_back({.container = claim->container,
                              .section = claim->section,
                              .identifier = claim->identifier});
  }
  return summary;
}

void describe(SwapFile& swap_file, const std::vector<FlowFilePtr>& flow_files) {
  swap_file.count = flow_files.size();
  swap_file.first_order = UINT64_MAX;
  for (const FlowFilePtr& flow_file : flow_files) {
    swap_file.bytes += flow_file->size();
    swap_file.first_order = std::min(swap_file.first_order, flow_file->arrival());
    const content::ResourceClaimPtr& resource = flow_file->claim.resource();
    if (resource && (swap_file.claims.empty() || swap_file.claims.back() != resource)) {
      swap_file.claims.push_back(resource);
    }
  }
  std::sort(swap_file.claims.begin(), swap_file.claims.end());
  swap_file.claims.erase(std::unique(swap_file.claims.begin(), swap_file.claims.end()),
                         swap_file.claims.end());
}

std::unique_ptr<storage::RecordLogWriter> write_swap_file(storage::FileSystem& files,
                                                          const storage::Path& path,
                                                          std::uint64_t salt,
                                                          const SwapSummary& summary,
                                                          std::span<const FlowFilePtr> flow_files) {
  auto log = std::make_unique<storage::RecordLogWriter>(
      files, path,
      storage::RecordLogHeader{.format = format::kSwap, .version = format::kVersion, .salt = salt});
  try {
    BatchWriter batches(*log);
    std::vector<std::byte> payload;
    storage::Encoder out(payload);
    out.u8(static_cast<std::uint8_t>(format::BlockKind::header));
    encode_summary(summary, out);
    batches.write_record(payload);
    std::vector<std::byte> connection;
    storage::Encoder connection_out(connection);
    encode_connection(summary.connection, connection_out);
    std::vector<std::byte> attributes;
    for (const FlowFilePtr& flow_file : flow_files) {
      batches.add(plain_flow_file(*flow_file, attributes), 0, connection);
    }
    payload.clear();
    out.u8(static_cast<std::uint8_t>(format::BlockKind::footer));
    out.varint(batches.count());
    batches.write_record(payload);
  } catch (const storage::StorageError&) {
    log.reset();
    files.remove(path);
    throw;
  }
  return log;
}

SwapSummary read_swap_file(storage::FileSystem& files, const storage::Path& path,
                           const BatchVisitor& visit) {
  storage::RecordLogReader log(files, path, format::kSwap, format::kVersion);
  try {
    SwapSummary summary = first_record(log, path);
    std::uint64_t count = 0;
    bool footer = false;
    Status status;
    while ((status = log.next()) == Status::record) {
      storage::Decoder in(log.record().payload);
      const auto kind = static_cast<format::BlockKind>(in.u8());
      if (footer) throw storage::DecodeError("a record follows the footer");
      if (kind == format::BlockKind::flow_files) {
        decode_batch(in, [&](const PlainFlowFile& file, storage::Bytes connection) {
          ++count;
          visit(file, connection);
        });
      } else if (kind == format::BlockKind::footer) {
        if (in.varint() != count || count != summary.count) {
          throw storage::DecodeError("the footer does not fit the swap file");
        }
        footer = true;
      } else {
        throw storage::DecodeError("a record is of unknown kind");
      }
    }
    if (status != Status::end) {
      throw storage::DamagedError(path, log.finding().offset, log.finding().what);
    }
    if (!footer) throw storage::DamagedError(path, log.offset(), "the swap file ends early");
    return summary;
  } catch (const storage::DecodeError& error) {
    throw storage::DamagedError(path, log.record().offset, error.what());
  }
}

SwapSummary read_swap_summary(storage::FileSystem& files, const storage::Path& path) {
  storage::RecordLogReader log(files, path, format::kSwap, format::kVersion);
  try {
    return first_record(log, path);
  } catch (const storage::DecodeError& error) {
    throw storage::DamagedError(path, log.record().offset, error.what());
  }
}

}  // namespace weir::flowfile
