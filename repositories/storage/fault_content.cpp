#include <algorithm>

#include "repositories/storage/fault_disk.h"

namespace weir::storage::fault {
namespace {

std::uint64_t blocks(std::uint64_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes;
}

std::vector<std::byte> garbage(std::size_t size, Random& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = std::byte(random());
  return bytes;
}

}  // namespace

std::uint64_t FileContent::allocated_bytes() const {
  return (blocks(size()) - holes_.size()) * kBlockBytes;
}

bool FileContent::has_hole(std::uint64_t offset, std::uint64_t length) const {
  if (length == 0 || offset >= size()) return false;
  const auto hole = holes_.lower_bound(offset / kBlockBytes);
  const std::uint64_t last = offset + std::min(length, size() - offset) - 1;
  return hole != holes_.end() && *hole <= last / kBlockBytes;
}

FileContent::Change& FileContent::record(Kind kind, std::uint64_t offset, std::uint64_t length,
                                         std::uint64_t old_end) {
  Change& change = changes_.emplace_back(Change{.kind = kind,
                                                .offset = offset,
                                                .length = length,
                                                .old_size = size(),
                                                .old_bytes = {},
                                                .old_holes = holes_,
                                                .new_bytes = {}});
  const std::uint64_t end = std::min(old_end, size());
  if (offset < end) {
    change.old_bytes.assign(data_.begin() + static_cast<std::ptrdiff_t>(offset),
                            data_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return change;
}

void FileContent::write(std::uint64_t offset, Bytes bytes) {
  if (bytes.empty()) return;
  record(Kind::write, offset, bytes.size(), offset + bytes.size());
  apply_write(offset, bytes);
}

void FileContent::truncate(std::uint64_t size) {
  if (size == data_.size()) return;
  record(Kind::truncate, size, 0, data_.size());
  apply_truncate(size);
}

void FileContent::punch(std::uint64_t offset, std::uint64_t length) {
  if (length == 0 || offset >= size()) return;
  length = std::min(length, size() - offset);
  record(Kind::punch, offset, length, offset + length);
  apply_punch(offset, length);
}

void FileContent::sync() {
  if (std::ranges::none_of(changes_, &Change::given_up)) {
    changes_.clear();
    return;
  }
  for (Change& change : changes_) change.durable = !change.given_up;
}

void FileContent::fail_sync() {
  for (Change& change : changes_) change.given_up = !change.durable;
}

void FileContent::meet_fate(UnsyncedFate fate, Random& random) {
  std::vector<Change> changes = std::move(changes_);
  changes_.clear();
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) undo(*change);
  const std::uint64_t certain = size();
  for (Change& change : changes) {
    if (change.durable || fate == UnsyncedFate::kept) {
      redo(change);
    } else if (fate == UnsyncedFate::garbage) {
      if (change.kind == Kind::write) change.new_bytes = garbage(change.length, random);
      redo(change);
    } else if (fate == UnsyncedFate::mixed) {
      redo_mixed(change, random);
    }
  }
  // The length is written apart from the data, and may be an old one.
  const bool all_unsure = std::ranges::none_of(changes, &Change::durable);
  if (fate == UnsyncedFate::mixed && all_unsure && size() > certain && random() % 4 == 0) {
    apply_truncate(certain + random() % (size() - certain));
  }
}

void FileContent::undo(Change& change) {
  const auto offset = static_cast<std::ptrdiff_t>(change.offset);
  if (change.kind == Kind::write) {
    change.new_bytes.assign(data_.begin() + offset,
                            data_.begin() + offset + static_cast<std::ptrdiff_t>(change.length));
  }
  data_.resize(change.old_size);
  std::ranges::copy(change.old_bytes, data_.begin() + offset);
  holes_ = change.old_holes;
}

void FileContent::redo(const Change& change) {
  if (change.kind == Kind::write) apply_write(change.offset, change.new_bytes);
  if (change.kind == Kind::truncate) apply_truncate(change.offset);
  if (change.kind == Kind::punch) apply_punch(change.offset, change.length);
}

// Pages reach the disk one by one and in any order: half of the writes have one fate, in the
// others each page has its own.
void FileContent::redo_mixed(const Change& change, Random& random) {
  if (change.kind != Kind::write) {
    if (coin(random)) redo(change);
    return;
  }
  const bool by_page = coin(random);
  std::uint64_t done = 0;
  while (done < change.length) {
    const std::uint64_t at = change.offset + done;
    const std::uint64_t piece =
        by_page ? std::min(change.length - done, kBlockBytes - at % kBlockBytes) : change.length;
    switch (random() % 4) {
      case 0:
        apply_write(at, garbage(piece, random));
        break;
      case 1:
        break;
      case 2:
        extend(at + piece);
        break;
      default:
        apply_write(at, Bytes(change.new_bytes).subspan(done, piece));
    }
    done += piece;
  }
}

void FileContent::apply_write(std::uint64_t offset, Bytes bytes) {
  if (bytes.empty()) return;
  extend(offset);
  const std::uint64_t end = offset + bytes.size();
  const std::uint64_t overlap = std::min(end, size()) - offset;
  std::ranges::copy(bytes.first(overlap), data_.begin() + static_cast<std::ptrdiff_t>(offset));
  const Bytes rest = bytes.subspan(overlap);
  data_.insert(data_.end(), rest.begin(), rest.end());
  holes_.erase(holes_.lower_bound(offset / kBlockBytes), holes_.lower_bound(blocks(end)));
}

void FileContent::apply_truncate(std::uint64_t size) {
  extend(size);
  data_.resize(size);
  holes_.erase(holes_.lower_bound(blocks(size)), holes_.end());
}

void FileContent::apply_punch(std::uint64_t offset, std::uint64_t length) {
  if (offset >= size()) return;
  const std::uint64_t end = std::min(offset + length, size());
  std::fill(data_.begin() + static_cast<std::ptrdiff_t>(offset),
            data_.begin() + static_cast<std::ptrdiff_t>(end), std::byte{0});
  // Only whole blocks go, and the last one where nothing of the file is left in it.
  const std::uint64_t behind = end == size() ? blocks(end) : end / kBlockBytes;
  for (std::uint64_t block = blocks(offset); block < behind; ++block) holes_.insert(block);
}

void FileContent::extend(std::uint64_t size) {
  if (size <= data_.size()) return;
  for (std::uint64_t block = blocks(data_.size()); block < blocks(size); ++block) {
    holes_.insert(block);
  }
  data_.resize(size);
}

void FileContent::flip_bit(std::uint64_t bit) {
  data_.at(bit / 8) ^= std::byte(1U << (bit % 8));
}

void FileContent::damage_truncate(std::uint64_t size) {
  changes_.clear();
  apply_truncate(size);
}

}  // namespace weir::storage::fault
