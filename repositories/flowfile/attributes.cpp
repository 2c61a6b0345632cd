#include "repositories/flowfile/attributes.h"

#include <algorithm>
#include <array>

#include "repositories/flowfile/uuid.h"

namespace weir::flowfile {
namespace {

// Part of the format: entries are only ever added at the end, at most 64 in all.
constexpr std::array<std::string_view, 33> kKnownNames = {
    "path",
    "absolute.path",
    "filename",
    "priority",
    "mime.type",
    "discard.reason",
    "alternate.identifier",
    "entryDate",
    "lineageStartDate",
    "fileSize",
    "fragment.identifier",
    "fragment.index",
    "fragment.count",
    "segment.original.filename",
    "segment.identifier",
    "segment.index",
    "segment.count",
    "text.line.count",
    "fragment.size",
    "file.creationTime",
    "file.lastModifiedTime",
    "file.lastAccessTime",
    "file.owner",
    "file.group",
    "file.permissions",
    "file.size",
    "merge.count",
    "merge.bin.age",
    "merge.uuid",
    "merge.reason",
    "record.count",
    "copy.index",
    "original.flowfile.uuid",
};
constexpr std::uint64_t kFirstLength = 64;  // below: index of a known name

// A base of fewer attributes is as soon copied; an object of more changes is better flat.
constexpr std::size_t kLeastBase = 3;
constexpr std::size_t kMostChanges = 12;

struct KnownIndex {
  std::array<std::uint8_t, kKnownNames.size()> sorted{};
  constexpr KnownIndex() {
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<std::uint8_t>(i);
    std::sort(sorted.begin(), sorted.end(),
              [](auto a, auto b) { return kKnownNames[a] < kKnownNames[b]; });
  }
  int find(std::string_view name) const {
    const auto it =
        std::lower_bound(sorted.begin(), sorted.end(), name,
                         [](std::uint8_t i, std::string_view n) { return kKnownNames[i] < n; });
    return it != sorted.end() && kKnownNames[*it] == name ? *it : -1;
  }
};
constexpr KnownIndex kKnownIndex;

bool name_less(const Attributes::Entry& a, const Attributes::Entry& b) {
  return a.first < b.first;
}

}  // namespace

Attributes::Attributes(std::vector<Entry> entries) : entries_(std::move(entries)) {
  const bool sorted = std::adjacent_find(entries_.begin(), entries_.end(), [](auto& a, auto& b) {
                        return !(a.first < b.first);
                      }) == entries_.end();
  if (sorted) return;
  std::stable_sort(entries_.begin(), entries_.end(), name_less);
  // Of equal names the last stays: `unique` keeps the first of each run, so it runs backwards.
  const auto first_kept = std::unique(entries_.rbegin(), entries_.rend(), [](auto& a, auto& b) {
                            return a.first == b.first;
                          }).base();
  entries_.erase(entries_.begin(), first_kept);
}

AttributesPtr Attributes::empty() {
  static const AttributesPtr instance(new Attributes());
  return instance;
}

AttributesPtr Attributes::make(std::vector<Entry> entries) {
  if (entries.empty()) return empty();
  return AttributesPtr(new Attributes(std::move(entries)));
}

Attributes::Attributes(AttributesPtr base, std::vector<Entry> changes)
    : Attributes(std::move(changes)) {
  base_ = std::move(base);
}

Attributes::~Attributes() {
  delete flat_.load(std::memory_order_relaxed);
}

const std::string* Attributes::find_own(std::string_view name) const {
  const auto it =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const Entry& entry, std::string_view n) { return entry.first < n; });
  return it != entries_.end() && it->first == name ? &it->second : nullptr;
}

const std::string* Attributes::find(std::string_view name) const {
  const std::string* own = find_own(name);
  return own == nullptr && base_ ? base_->find_own(name) : own;
}

std::vector<Attributes::Entry> Attributes::merged() const {
  std::vector<Entry> all;
  all.reserve(base_->entries_.size() + entries_.size());
  // Of equal names `set_union` takes the first range's.
  std::set_union(entries_.begin(), entries_.end(), base_->entries_.begin(), base_->entries_.end(),
                 std::back_inserter(all), name_less);
  return all;
}

const std::vector<Attributes::Entry>& Attributes::flat() const {
  const std::vector<Entry>* known = flat_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<const std::vector<Entry>>(merged());
  if (flat_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;  // another thread was faster
}

AttributesPtr Attributes::flattened() const {
  if (!base_) return AttributesPtr(this);
  return make(merged());
}

AttributesPtr Attributes::with(std::span<const Entry> set,
                               std::span<const std::string> removed) const {
  if (removed.empty()) {
    const bool shared = references_.load(std::memory_order_relaxed) > 0;
    if (!base_ && shared && entries_.size() >= kLeastBase && set.size() <= kMostChanges) {
      return AttributesPtr(new Attributes(AttributesPtr(this), {set.begin(), set.end()}));
    }
    if (base_ && entries_.size() + set.size() <= kMostChanges) {
      std::vector<Entry> changes = entries_;
      changes.insert(changes.end(), set.begin(), set.end());
      return AttributesPtr(new Attributes(base_, std::move(changes)));
    }
  }
  std::vector<Entry> all;
  all.reserve(size() + set.size());
  for (const Entry& entry : entries()) {
    if (std::find(removed.begin(), removed.end(), entry.first) == removed.end()) {
      all.push_back(entry);
    }
  }
  all.insert(all.end(), set.begin(), set.end());
  return make(std::move(all));
}

bool Attributes::same_shape(const Attributes& other) const {
  return base_ && base_ == other.base_ &&
         std::ranges::equal(entries_, other.entries_,
                            [](const Entry& a, const Entry& b) { return a.first == b.first; });
}

namespace {

void encode_entry(const Attributes::Entry& entry, std::string_view uuid, storage::Encoder& out) {
  const auto& [name, value] = entry;
  if (const int known = kKnownIndex.find(name); known >= 0) {
    out.u8(static_cast<std::uint8_t>(known));
  } else {
    out.varint(kFirstLength + name.size());
    out.raw(std::as_bytes(std::span(name)));
  }
  if (value == uuid) {
    out.u8(0);
  } else {
    out.varint(value.size() + 1);
    out.raw(std::as_bytes(std::span(value)));
  }
}

}  // namespace

void Attributes::encode_changes(const Uuid& uuid, storage::Encoder& out) const {
  char uuid_text[36];
  uuid.write_to(uuid_text);
  for (const Entry& entry : entries_) encode_entry(entry, {uuid_text, sizeof uuid_text}, out);
}

std::size_t Attributes::encode(const Uuid& uuid, storage::Encoder& out) const {
  if (!base_) {
    out.varint(entries_.size());
    encode_changes(uuid, out);
    return 0;
  }
  const std::size_t start = out.size();
  std::size_t count = entries_.size();
  for (const Entry& entry : base_->entries_) count += find_own(entry.first) == nullptr;
  out.varint(count);
  for (const Entry& entry : base_->entries_) {
    // In full, also where it is the uuid: others share these bytes.
    if (find_own(entry.first) == nullptr) encode_entry(entry, {}, out);
  }
  const std::size_t base_bytes = out.size() - start;
  encode_changes(uuid, out);
  return base_bytes;
}

AttributesPtr Attributes::decode(const Uuid& uuid, storage::Decoder& in) {
  const std::size_t count = in.count(2);
  if (count == 0) return empty();
  std::vector<Entry> entries;
  entries.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t tag = in.varint();
    std::string_view name;
    if (tag < kFirstLength) {
      if (tag >= kKnownNames.size()) throw storage::DecodeError("an attribute name is unknown");
      name = kKnownNames[tag];
    } else {
      const auto raw = in.raw(tag - kFirstLength);
      name = {reinterpret_cast<const char*>(raw.data()), raw.size()};
    }
    const std::uint64_t size = in.varint();
    if (size == 0) {
      entries.emplace_back(name, uuid.to_string());
    } else {
      const auto raw = in.raw(size - 1);
      entries.emplace_back(name,
                           std::string_view(reinterpret_cast<const char*>(raw.data()), raw.size()));
    }
  }
  return make(std::move(entries));
}

}  // namespace weir::flowfile
