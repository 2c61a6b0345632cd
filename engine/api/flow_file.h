#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "repositories/flowfile/flow_file_record.h"

namespace weir {

// What a session knows of a FlowFile. `current` changes as the session changes the FlowFile.
struct SessionEntry {
  flowfile::FlowFilePtr current;
};

// A FlowFile in a session: a handle, cheap to copy; all copies see every change made through the
// session. Good until the session ends (commit, rollback, remove).
class FlowFile {
 public:
  FlowFile() = default;
  explicit FlowFile(SessionEntry* entry) : entry_(entry) {}

  explicit operator bool() const { return entry_ != nullptr; }
  bool operator==(const FlowFile&) const = default;

  std::uint64_t id() const { return record().id; }
  std::string uuid() const { return record().uuid.to_string(); }
  std::uint64_t size() const { return record().size(); }
  std::int64_t entry_ms() const { return record().entry_ms; }
  std::int64_t lineage_start_ms() const { return record().lineage_start_ms; }
  bool is_penalized(std::int64_t now_ms) const { return record().penalty_until_ms > now_ms; }

  // Includes `uuid`.
  std::optional<std::string> attribute(std::string_view name) const;
  // Null where absent; not for `uuid`. Valid until the session changes this FlowFile.
  const std::string* find_attribute(std::string_view name) const {
    return record().attributes->find(name);
  }
  // All but `uuid`, sorted by name. Valid until the session changes this FlowFile.
  std::span<const flowfile::Attributes::Entry> attributes() const {
    return record().attributes->entries();
  }

  const flowfile::FlowFileRecord& record() const { return *entry_->current; }
  SessionEntry* entry() const { return entry_; }

 private:
  SessionEntry* entry_ = nullptr;
};

// The attribute names that NiFi defines for everyone.
namespace attribute {
inline constexpr std::string_view filename = "filename";
inline constexpr std::string_view path = "path";
inline constexpr std::string_view absolute_path = "absolute.path";
inline constexpr std::string_view uuid = "uuid";
inline constexpr std::string_view priority = "priority";
inline constexpr std::string_view mime_type = "mime.type";
inline constexpr std::string_view discard_reason = "discard.reason";
inline constexpr std::string_view alternate_identifier = "alternate.identifier";
inline constexpr std::string_view fragment_identifier = "fragment.identifier";
inline constexpr std::string_view fragment_index = "fragment.index";
inline constexpr std::string_view fragment_count = "fragment.count";
inline constexpr std::string_view fragment_size = "fragment.size";
inline constexpr std::string_view segment_original_filename = "segment.original.filename";
}  // namespace attribute

}  // namespace weir
