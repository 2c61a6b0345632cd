#include <algorithm>

#include "repositories/flowfile/queue_builder.h"
#include "repositories/flowfile/swap_file.h"
#include "repositories/flowfile/write_ahead_repository.h"

namespace weir::flowfile {
namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[16];
  for (int i = 15; i >= 0; --i, value >>= 4) text[i] = "0123456789abcdef"[value & 0xF];
  return {text, sizeof text};
}

}  // namespace

SwapFilePtr WriteAheadRepository::swap_out(const std::string& connection,
                                           const std::vector<FlowFilePtr>& flow_files) {
  require_usable();
  auto swap_file = std::make_shared<SwapFile>();
  swap_file->connection = connection;
  describe(*swap_file, flow_files);
  std::uint64_t salt;
  {
    const std::lock_guard lock(swap_mutex_);
    do {
      swap_file->name =
          segment_name(last_sequence()) + "-" + hexadecimal(swap_random_()) + kSwapSuffix;
    } while (files_.status(layout_.swap(swap_file->name)));
    salt = swap_random_();
  }
  const storage::Path path = layout_.swap(swap_file->name);
  const SwapSummary summary = summarize(*swap_file);
  auto log = write_swap_file(files_, path, salt, summary, flow_files);
  bytes_written_.fetch_add(log->size(), std::memory_order_relaxed);
  try {
    if (config_.always_sync) {
      log->sync();
      files_.sync_directory(layout_.swap());
    } else {
      // Before the commit: a flush that finds the commit finds the file as well.
      const std::lock_guard lock(swap_mutex_);
      unsynced_swap_files_.push_back(std::move(log));
    }
    std::vector<std::byte> payload;
    encode_swap_out(summary, flow_files, payload);
    Pending pending;
    pending.payload = &payload;
    write(pending);
  } catch (const storage::StorageError&) {
    {
      const std::lock_guard lock(swap_mutex_);
      std::erase_if(unsynced_swap_files_, [&](const auto& file) { return file->path() == path; });
    }
    // After a failed sync the commit may be on disk all the same.
    if (!sync_failed_) files_.remove(path);
    throw;
  }
  return swap_file;
}

void WriteAheadRepository::write_swap_name(format::RecordKind kind, const std::string& name) {
  std::vector<std::byte> payload;
  encode_swap_name(kind, name, payload);
  Pending pending;
  pending.payload = &payload;
  write(pending);
}

std::vector<FlowFilePtr> WriteAheadRepository::read_swap(const SwapFile& swap_file) {
  const storage::Path path = layout_.swap(swap_file.name);
  if (!files_.status(path)) throw storage::DamagedError(path, 0, "the swap file is missing");
  std::vector<FlowFilePtr> flow_files;
  flow_files.reserve(swap_file.count);
  RecordMaker maker(*contents_, swap_file.claims);
  try {
    const SwapSummary summary = read_swap_file(
        files_, path,
        [&](const PlainFlowFile& file, storage::Bytes) { flow_files.push_back(maker.make(file)); });
    if (summary.name != swap_file.name || flow_files.size() != swap_file.count) {
      throw storage::DecodeError("it is another swap file than the one committed");
    }
  } catch (const storage::DecodeError& error) {
    throw storage::DamagedError(path, 0, error.what());
  }
  return flow_files;
}

std::vector<FlowFilePtr> WriteAheadRepository::swap_in(const SwapFilePtr& swap_file) {
  require_usable();
  try {
    std::vector<FlowFilePtr> flow_files = read_swap(*swap_file);
    write_swap_name(format::RecordKind::swap_in, swap_file->name);
    return flow_files;
  } catch (const storage::DamagedError& error) {
    write_swap_name(format::RecordKind::swap_lost, swap_file->name);
    {
      const std::lock_guard lock(swap_mutex_);
      std::erase_if(unsynced_swap_files_, [&](const auto& file) {
        return file->path() == layout_.swap(swap_file->name);
      });
      kept_claims_.insert(kept_claims_.end(), swap_file->claims.begin(), swap_file->claims.end());
    }
    storage::Finding finding{.file = error.path(), .offset = error.offset(), .what = error.what()};
    finding.what += "; " + std::to_string(swap_file->count) + " FlowFiles of connection " +
                    swap_file->connection + " were in it";
    if (files_.status(layout_.swap(swap_file->name))) {
      finding.what +=
          "; set aside as " + set_aside(files_, layout_, layout_.swap(swap_file->name)).string();
    }
    reporter_.report(finding);
    throw;
  }
}

std::vector<FlowFilePtr> WriteAheadRepository::peek(const SwapFilePtr& swap_file) {
  return read_swap(*swap_file);
}

}  // namespace weir::flowfile
