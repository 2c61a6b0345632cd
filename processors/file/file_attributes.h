#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "repositories/flowfile/attributes.h"

namespace weir::processors {

// What the file system tells of a file. Times are milliseconds since the epoch.
struct FileFacts {
  bool is_regular = false;
  bool is_directory = false;
  std::uint64_t size_bytes = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ms = 0;  // status or name: also when a file with old times is moved in
  std::int64_t accessed_ms = 0;
  std::int64_t created_ms = 0;  // the time of modification where the file system has none
  std::uint32_t mode = 0;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;

  std::int64_t modified_ms() const { return modified_ns / 1'000'000; }
  // Same file, with the same content as far as size and time tell.
  bool same_content(const FileFacts& other) const {
    return device == other.device && inode == other.inode && size_bytes == other.size_bytes &&
           modified_ns == other.modified_ns;
  }
};

// Follows symlinks. nullopt where there is nothing; `error_number` tells why.
std::optional<FileFacts> file_facts(const std::filesystem::path& path, int* error_number = nullptr);

// file.owner, file.group, file.permissions and the times, as NiFi spells them.
void append_file_attributes(const FileFacts& facts,
                            std::vector<flowfile::Attributes::Entry>& attributes);

std::string permission_text(std::uint32_t mode);  // "rw-r--r--"
// From "rw-r--r--" or octal digits; nullopt where it is neither.
std::optional<std::uint32_t> parse_permissions(std::string_view text);

// "file:/a/b%20c", as provenance names files.
std::string file_uri(const std::filesystem::path& path);

}  // namespace weir::processors
