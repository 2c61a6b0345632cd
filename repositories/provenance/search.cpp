#include "repositories/provenance/search.h"

#include <algorithm>
#include <ranges>

namespace weir::provenance {

using storage::DecodeError;

namespace {

constexpr std::size_t kMostOpenFiles = 16;
constexpr std::size_t kMostRawBlocks = 16;

// Calls `look` for each, in the order asked for, until it returns false.
template <typename Items, typename Look>
bool in_order(const Items& items, bool newest_first, const Look& look) {
  return newest_first ? std::ranges::all_of(items | std::views::reverse, look)
                      : std::ranges::all_of(items, look);
}

}  // namespace

void DamageReporter::report(const storage::Path& path, std::uint64_t offset, std::uint64_t bytes,
                            const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (!known_.emplace(path, offset).second) return;
  }
  if (reporter_ != nullptr) reporter_->report({path, offset, bytes, what});
}

Search::Search(storage::FileSystem& files, DamageReporter& damage, Snapshot snapshot)
    : files_(files), damage_(damage), snapshot_(std::move(snapshot)) {}

void Search::scan(const Selection& selection, const EventVisitor& visit) {
  if (selection.query.newest_first) {
    if (scan_batches(selection, visit) && scan_blocks(selection, visit)) {
      scan_files(selection, visit);
    }
  } else if (scan_files(selection, visit) && scan_blocks(selection, visit)) {
    scan_batches(selection, visit);
  }
}

bool Search::scan_batches(const Selection& selection, const EventVisitor& visit) {
  return in_order(snapshot_.batches, selection.query.newest_first, [&](const BatchPtr& batch) {
    try {
      return visit_batch(selection, batch->view(), visit);
    } catch (const DecodeError&) {
      return true;  // told when its block is made
    }
  });
}

bool Search::scan_blocks(const Selection& selection, const EventVisitor& visit) {
  return in_order(snapshot_.blocks, selection.query.newest_first, [&](const BlockPtr& block) {
    if (!block->summary.may_match(selection) ||
        !filter_may_match(block->summary, block->filter, selection)) {
      return true;
    }
    return visit_raw(block->summary, decompress_block(block->summary, block->data), UINT64_MAX,
                     selection, visit);
  });
}

bool Search::scan_files(const Selection& selection, const EventVisitor& visit) {
  const auto& query = selection.query;
  if (!snapshot_.index || snapshot_.files_before == 0) return true;
  if (query.before_event == 0 || query.after_event == UINT64_MAX) return true;
  const std::uint64_t from = query.after_event ? *query.after_event + 1 : 0;
  std::uint64_t to = snapshot_.files_before - 1;
  if (query.before_event) to = std::min(to, *query.before_event - 1);
  bool more = true;
  snapshot_.index->visit(from, to, query.newest_first, [&](const BlockEntry& entry) {
    if (entry.summary.may_match(selection)) more = visit_entry(entry, selection, visit);
    return more;
  });
  return more;
}

bool Search::visit_entry(const BlockEntry& entry, const Selection& selection,
                         const EventVisitor& visit) {
  const auto file = snapshot_.event_files.find(entry.file);
  if (file == snapshot_.event_files.end()) return true;  // past the retention
  const auto tell = [&](const std::string& what) {
    damage_.report(file->second.path, entry.offset, entry.end_offset() - entry.offset, what);
  };
  auto raw = raw_.find(entry.summary.first_event_id);
  try {
    if (raw == raw_.end()) {
      const auto* opened = open(entry.file);
      if (opened == nullptr) return true;
      bool maybe = true;
      try {
        const auto& query = selection.query;
        if (!selection.flow_files.empty() || !query.attributes.empty()) {
          maybe = filter_may_match(entry.summary, read_filter(*opened, entry), selection);
        }
      } catch (const DecodeError& error) {
        tell(error.what());  // the events themselves may be whole
      }
      if (!maybe) return true;
      if (raw_.size() == kMostRawBlocks) raw_.erase(raw_.begin());
      raw = raw_.emplace(entry.summary.first_event_id, read_block(*opened, entry)).first;
    }
    return visit_raw(entry.summary, raw->second, snapshot_.files_before, selection, visit);
  } catch (const DecodeError& error) {
    tell(error.what());
    return true;
  } catch (const storage::IoError& error) {
    tell(error.what());
    return true;
  }
}

bool Search::visit_raw(const BlockSummary& summary, std::span<const std::byte> raw,
                       std::uint64_t before_event, const Selection& selection,
                       const EventVisitor& visit) {
  std::vector<BatchView> batches;
  for_each_batch(summary, raw, [&](const BatchView& batch) {
    if (batch.first_event_id < before_event) batches.push_back(batch);
  });
  return in_order(batches, selection.query.newest_first, [&](const BatchView& batch) {
    try {
      return visit_batch(selection, batch, visit);
    } catch (const DecodeError&) {
      return true;  // told when its block was made
    }
  });
}

// Null where the file is gone: retention may pass it between the snapshot and now.
const storage::ReadableFile* Search::open(const EventFileName& name) {
  auto found = open_.find(name);
  if (found == open_.end()) {
    const auto& path = snapshot_.event_files.at(name).path;
    std::unique_ptr<storage::ReadableFile> file;
    try {
      file = files_.open_read(path);
    } catch (const storage::IoError&) {
      if (files_.status(path)) throw;
      return nullptr;
    }
    if (open_.size() == kMostOpenFiles) open_.clear();
    found = open_.emplace(name, std::move(file)).first;
  }
  return found->second.get();
}

}  // namespace weir::provenance
