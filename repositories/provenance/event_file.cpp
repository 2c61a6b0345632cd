#include "repositories/provenance/event_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "repositories/storage/checksum.h"

namespace weir::provenance {

using storage::DecodeError;
using storage::kRecordFrameBytes;

namespace {

// Of a record's frame: its checksum, then the payload's length (README.md of storage).
constexpr std::size_t kFrameLengthAt = 4;
constexpr std::size_t kIdDigits = 20;
constexpr std::size_t kLookBytes = 4096;         // holds most summaries
constexpr std::size_t kSearchBytes = 256 << 10;  // of one read behind damage

template <typename T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string to_string(const EventFileName& name) {
  std::string id = std::to_string(name.first_event_id);
  id.insert(0, kIdDigits - id.size(), '0');
  return name.generation == 0 ? id : id + "-" + std::to_string(name.generation);
}

std::optional<EventFileName> parse_event_file_name(std::string_view text) {
  EventFileName name;
  if (text.size() < kIdDigits || !parse_number(text.substr(0, kIdDigits), name.first_event_id)) {
    return std::nullopt;
  }
  if (text.size() > kIdDigits &&
      (text[kIdDigits] != '-' || !parse_number(text.substr(kIdDigits + 1), name.generation))) {
    return std::nullopt;
  }
  return to_string(name) == text ? std::optional(name) : std::nullopt;
}

EventFiles list_event_files(storage::FileSystem& files,
                            const std::map<std::string, storage::Path>& directories) {
  EventFiles result;
  for (const auto& [name, directory] : directories) {
    const auto folder = directory / kEventsFolder;
    if (!files.status(folder)) continue;
    for (const auto& entry : files.list(folder)) {
      const auto file_name = parse_event_file_name(entry.name);
      if (!file_name) continue;
      const auto status = files.status(folder / entry.name);
      if (status) result.insert({*file_name, {folder / entry.name, status->size_bytes}});
    }
  }
  return result;
}

std::uint64_t valid_before(const EventFiles& files, const EventFileName& file) {
  const auto next = files.upper_bound(file);
  return next == files.end() ? UINT64_MAX : next->first.first_event_id;
}

std::vector<std::byte> read_range(const storage::ReadableFile& file, std::uint64_t offset,
                                  std::size_t size) {
  std::vector<std::byte> bytes(size);
  bytes.resize(file.read_at(offset, bytes));
  return bytes;
}

std::vector<std::byte> read_filter(const storage::ReadableFile& file, const BlockEntry& entry) {
  auto filter = read_range(file, entry.filter_offset(), entry.summary.filter_bytes);
  if (filter.size() != entry.summary.filter_bytes ||
      storage::checksum(filter) != entry.summary.filter_checksum) {
    throw DecodeError("a block's filter is not what was written");
  }
  return filter;
}

std::vector<std::byte> read_block(const storage::ReadableFile& file, const BlockEntry& entry) {
  return decompress_block(entry.summary,
                          read_range(file, entry.data_offset(), entry.summary.data_bytes));
}

BlockScanner::BlockScanner(storage::FileSystem& files, const storage::Path& path,
                           const EventFileName& name, std::uint64_t from)
    : name_(name), file_(files.open_read(path)), size_(file_->size()), at_(from) {}

std::optional<BlockEntry> BlockScanner::next() {
  expected_at_ = at_;
  if (at_ >= size_) return std::nullopt;
  auto entry = block_at(at_ + kRecordFrameBytes);
  if (!entry) entry = search(at_);
  at_ = entry ? entry->end_offset() : size_;
  return entry;
}

BlockScanner::End BlockScanner::end() const {
  if (expected_at_ >= size_) return End::whole;
  if (expected_at_ + kRecordFrameBytes > size_) return End::cut_short;
  const auto frame = read_range(*file_, expected_at_, kRecordFrameBytes);
  std::uint32_t payload_bytes = 0;
  std::memcpy(&payload_bytes, frame.data() + kFrameLengthAt, sizeof payload_bytes);
  return expected_at_ + kRecordFrameBytes + payload_bytes > size_ ? End::cut_short
                                                                  : End::unreadable;
}

std::optional<BlockEntry> BlockScanner::block_at(std::uint64_t payload_offset) {
  if (payload_offset + kBlockPrefixBytes > size_) return std::nullopt;
  std::size_t needed = kLookBytes;
  std::optional<BlockEntry> entry;
  while (!entry) {
    const auto bytes = read_range(*file_, payload_offset, std::max(needed, kLookBytes));
    entry = parse_block(bytes, name_, payload_offset, needed);
    if (!entry && needed <= bytes.size()) return std::nullopt;
    if (!entry && payload_offset + needed > size_) return std::nullopt;
  }
  if (entry->end_offset() > size_) return std::nullopt;
  return entry;
}

std::optional<BlockEntry> BlockScanner::search(std::uint64_t from) {
  std::array<std::byte, sizeof kBlockMagic> magic;
  std::memcpy(magic.data(), &kBlockMagic, sizeof kBlockMagic);
  for (std::uint64_t at = from; at < size_;) {
    buffer_ = read_range(*file_, at, kSearchBytes);
    auto found = buffer_.begin();
    while ((found = std::search(found, buffer_.end(), magic.begin(), magic.end())) !=
           buffer_.end()) {
      const auto offset = at + static_cast<std::uint64_t>(found - buffer_.begin());
      if (offset >= from + kRecordFrameBytes) {
        auto entry = block_at(offset);
        if (entry) return entry;
      }
      ++found;
    }
    if (buffer_.size() < kSearchBytes) break;
    at += kSearchBytes - magic.size() + 1;
  }
  return std::nullopt;
}

TailScan scan_tail(storage::FileSystem& files, const storage::Path& path,
                   const EventFileName& name) {
  BlockScanner scanner(files, path, name);
  struct Found {
    BlockEntry entry;
    std::uint64_t expected_at;
  };
  std::vector<Found> found;
  std::uint64_t durable_before = 0;
  while (auto entry = scanner.next()) {
    durable_before = std::max(durable_before, entry->summary.durable_before);
    found.push_back({std::move(*entry), scanner.expected_at()});
  }

  const auto whole = [&](const BlockEntry& entry) {
    const auto& summary = entry.summary;
    const auto filter = read_range(scanner.file(), entry.filter_offset(), summary.filter_bytes);
    const auto data = read_range(scanner.file(), entry.data_offset(), summary.data_bytes);
    return storage::checksum(filter) == summary.filter_checksum &&
           storage::checksum(data) == summary.data_checksum;
  };
  TailScan tail;
  tail.cut_at = std::min(scanner.file_size(), storage::kRecordLogHeaderBytes);
  tail.unreadable = scanner.end() == BlockScanner::End::unreadable;
  for (auto& [entry, expected_at] : found) {
    const auto frame = scanner.frame_offset(entry);
    if (expected_at != frame) {
      if (expected_at >= durable_before) {
        tail.unreadable = true;
        break;
      }
      tail.bad.push_back({expected_at, frame - expected_at});
    }
    if (frame >= durable_before && !whole(entry)) {
      tail.unreadable = true;
      break;
    }
    tail.cut_at = entry.end_offset();
    tail.blocks.push_back(std::move(entry));
  }
  return tail;
}

}  // namespace weir::provenance
