#include "repositories/provenance/continuity.h"

namespace weir::provenance {

namespace {

// Everything that a block holds, down to the last attribute.
void check_block(const storage::ReadableFile& file, const storage::Path& path,
                 const BlockEntry& entry, storage::FindingReporter& reporter) {
  const auto tell = [&](const std::string& what) {
    reporter.report({path, entry.offset, entry.end_offset() - entry.offset, what});
  };
  try {
    read_filter(file, entry);
  } catch (const storage::DecodeError& error) {
    tell(error.what());
  }
  try {
    const auto raw = read_block(file, entry);
    for_each_batch(entry.summary, raw, [&](const BatchView& batch) {
      if (decode_event_batch(batch.first_event_id, batch.bytes).size() != batch.count) {
        throw storage::DecodeError("a batch's count is not its block's");
      }
    });
  } catch (const storage::DecodeError& error) {
    tell(error.what());
  }
}

// Questions do not need header and frames; damage there is damage all the same.
void check_frames(storage::FileSystem& files, const storage::Path& path, bool may_be_torn,
                  storage::FindingReporter& reporter) {
  using Status = storage::RecordLogReader::Status;
  try {
    storage::RecordLogReader reader(files, path, kEventFileFormat, kEventFileVersion);
    auto status = reader.next();
    while (status == Status::record) status = reader.next();
    if (status == Status::damaged || (status == Status::torn && !may_be_torn)) {
      reporter.report(reader.finding());
    }
  } catch (const storage::DamagedError& error) {
    reporter.report({path, error.offset(), 0, error.what()});
  } catch (const storage::RefusedError& error) {
    reporter.report({path, 0, 0, error.what()});
  }
}

}  // namespace

void check_provenance(storage::FileSystem& files, const ProvenanceRepositoryConfig& config,
                      storage::FindingReporter& reporter) {
  const auto event_files = list_event_files(files, config.directories);
  if (event_files.empty()) return;
  DamageReporter damage(&reporter);
  Continuity continuity(damage, event_files.begin()->first.first_event_id);
  for (const auto& [name, file] : event_files) {
    const bool newest = name == event_files.rbegin()->first;
    const auto limit = valid_before(event_files, name);
    continuity.enter(file.path, storage::kRecordLogHeaderBytes);
    try {
      BlockScanner scanner(files, file.path, name);
      while (const auto entry = scanner.next()) {
        if (entry->summary.first_event_id >= limit) break;
        continuity.block(*entry);
        check_block(scanner.file(), file.path, *entry, reporter);
      }
      // A block may be under way, or the engine died over it.
      const bool unfinished = newest && scanner.end() == BlockScanner::End::cut_short;
      check_frames(files, file.path, unfinished, reporter);
    } catch (const storage::IoError& error) {
      if (files.status(file.path)) reporter.report({file.path, 0, 0, error.what()});
    }
  }
}

}  // namespace weir::provenance
