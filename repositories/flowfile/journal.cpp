#include "repositories/flowfile/journal.h"

#include <algorithm>
#include <charconv>

namespace weir::flowfile {

std::string segment_name(std::uint64_t first) {
  std::string digits = std::to_string(first);
  return std::string(20 - digits.size(), '0') + digits;
}

std::optional<std::uint64_t> parse_position(std::string_view name, std::string_view suffix) {
  if (name.size() != 20 + suffix.size() || !name.ends_with(suffix)) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + 20, value);
  if (error != std::errc() || end != name.data() + 20) return std::nullopt;
  return value;
}

std::vector<Segment> list_segments(storage::FileSystem& files, const storage::Path& directory,
                                   const std::function<void(const std::string& name)>& other) {
  std::vector<Segment> segments;
  for (const storage::DirectoryEntry& entry : files.list(directory)) {
    const auto first = parse_position(entry.name, "");
    if (!first || entry.type != storage::FileStatus::Type::regular) {
      other(entry.name);
      continue;
    }
    Segment segment;
    segment.first = *first;
    segment.path = directory / entry.name;
    const auto status = files.status(segment.path);
    if (!status) continue;  // gone meanwhile
    segment.bytes = status->size_bytes;
    segments.push_back(std::move(segment));
  }
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.first < b.first; });
  return segments;
}

Journal::Journal(storage::FileSystem& files, storage::Path directory, std::uint64_t random_seed)
    : files_(files), directory_(std::move(directory)), random_(random_seed) {}

void Journal::adopt(std::vector<Segment> segments) {
  const std::lock_guard lock(mutex_);
  segments_ = std::move(segments);
  open_ = false;
  ++names_created_;  // the earlier run may not have synced them
}

bool Journal::wants_segment(std::uint64_t limit) const {
  return !writer_ || writer_->size() >= limit;
}

void Journal::open_segment(std::uint64_t first_sequence) {
  seal();
  create(first_sequence);
}

// A segment whose name is lost with the power while a later one's is not would look like a
// journal without its snapshot: earlier names are durable before the next one exists.
void Journal::sync_earlier_names() {
  std::uint64_t names;
  {
    const std::lock_guard lock(mutex_);
    names = names_created_;
    if (segments_.empty() || names_synced_ >= names) return;
  }
  files_.sync_directory(directory_);
  const std::lock_guard lock(mutex_);
  names_synced_ = std::max(names_synced_, names);
}

void Journal::create(std::uint64_t first_sequence) {
  sync_earlier_names();
  const storage::Path path = directory_ / segment_name(first_sequence);
  if (!leftover_.empty()) {
    files_.remove(leftover_);
    leftover_.clear();
  }
  Segment segment;
  try {
    writer_ = std::make_unique<storage::RecordLogWriter>(
        files_, path,
        storage::RecordLogHeader{
            .format = format::kJournal, .version = format::kVersion, .salt = random_()});
    segment.unsynced = files_.open_append(path, storage::FileSystem::Create::keep);
  } catch (const storage::IoError&) {
    writer_.reset();
    if (files_.status(path)) leftover_ = path;
    throw;
  }
  framer_ = std::make_unique<storage::RecordFramer>(writer_->salt());
  segment.first = first_sequence;
  segment.last = first_sequence - 1;
  segment.path = path;
  segment.bytes = writer_->size();
  const std::lock_guard lock(mutex_);
  segments_.push_back(std::move(segment));
  open_ = true;
  ++names_created_;
}

void Journal::frame(std::uint64_t sequence, storage::Bytes payload,
                    std::vector<std::byte>& out) const {
  framer_->frame(sequence, std::span(&payload, 1), out);
}

void Journal::append(storage::Bytes frames) {
  try {
    writer_->append_frames(frames);
  } catch (const storage::IoError&) {
    // Whole records may stand in the file: nobody may find them after a crash. An append of
    // nothing cuts them off now; where even that fails, the segment is given up, and the next
    // one repeats their sequence numbers, which makes them void.
    try {
      writer_->append_frames({});
    } catch (const storage::IoError&) {
      seal();
    }
    throw;
  }
}

void Journal::appended(std::uint64_t last_sequence, std::uint64_t last_with_events) {
  const std::lock_guard lock(mutex_);
  Segment& segment = segments_.back();
  segment.last = last_sequence;
  if (last_with_events != 0) segment.last_with_events = last_with_events;
  segment.bytes = writer_->size();
}

void Journal::sync_open(std::uint64_t good_size) {
  std::uint64_t names;
  bool names_unsynced;
  {
    const std::lock_guard lock(mutex_);
    names = names_created_;
    names_unsynced = names_synced_ < names;
  }
  try {
    writer_->sync();
    if (names_unsynced) files_.sync_directory(directory_);
  } catch (const storage::IoError&) {
    try {
      files_.open_append(writer_->path(), storage::FileSystem::Create::keep)->truncate(good_size);
    } catch (const storage::IoError&) {
      // The disk refuses everything now; README.md says what a restart may find.
    }
    throw;
  }
  if (!names_unsynced) return;
  const std::lock_guard lock(mutex_);
  names_synced_ = std::max(names_synced_, names);
}

void Journal::seal() {
  writer_.reset();
  framer_.reset();
  const std::lock_guard lock(mutex_);
  open_ = false;
}

void Journal::sync_all() {
  std::vector<std::shared_ptr<storage::WritableFile>> unsynced;
  std::uint64_t names;
  bool names_unsynced;
  {
    const std::lock_guard lock(mutex_);
    for (const Segment& segment : segments_) {
      if (segment.unsynced) unsynced.push_back(segment.unsynced);
    }
    names = names_created_;
    names_unsynced = names_synced_ < names;
  }
  for (const auto& file : unsynced) file->sync();
  if (names_unsynced) files_.sync_directory(directory_);
  const std::lock_guard lock(mutex_);
  names_synced_ = std::max(names_synced_, names);
  // The last one may have grown meanwhile.
  for (Segment& segment : segments_) {
    if (!unsynced.empty() && segment.unsynced != unsynced.back() &&
        std::find(unsynced.begin(), unsynced.end(), segment.unsynced) != unsynced.end()) {
      segment.unsynced.reset();
    }
  }
}

std::vector<Segment> Journal::sealed() const {
  const std::lock_guard lock(mutex_);
  return {segments_.begin(), segments_.end() - (open_ ? 1 : 0)};
}

void Journal::remove_finished(std::uint64_t position, std::uint64_t durable_events) {
  std::vector<storage::Path> finished;
  {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    const std::size_t sealed = segments_.size() - (open_ ? 1 : 0);
    // From the front only: the journal has no holes.
    while (count < sealed && segments_[count].last <= position &&
           segments_[count].last_with_events <= durable_events) {
      finished.push_back(segments_[count++].path);
    }
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  for (const storage::Path& path : finished) {
    if (files_.status(path)) files_.remove(path);
  }
}

}  // namespace weir::flowfile
