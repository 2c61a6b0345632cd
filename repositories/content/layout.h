#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "repositories/storage/file_system.h"

namespace weir::content {

// Where files lie below a container's directory, and its marker file. README.md of this room
// describes both.

inline constexpr std::uint32_t kSections = 1024;
inline constexpr std::uint32_t kMarkerVersion = 1;

inline std::uint32_t section_of(std::uint64_t identifier) {
  return static_cast<std::uint32_t>(identifier % kSections);
}

storage::Path section_path(const storage::Path& container, std::uint32_t section);
storage::Path live_path(const storage::Path& container, std::uint32_t section,
                        std::uint64_t identifier);
storage::Path archive_directory(const storage::Path& container, std::uint32_t section);
storage::Path archive_path(const storage::Path& container, std::uint32_t section,
                           std::uint64_t identifier);

// Exactly the spelling that the paths above have; anything else is not ours.
std::optional<std::uint64_t> parse_identifier(std::string_view name);
std::optional<std::uint32_t> parse_section(std::string_view name);

// The file `container`: makes a folder a container, and reserves identifiers.
struct Marker {
  std::uint32_t version = kMarkerVersion;
  std::uint64_t identifier_limit = 0;  // no identifier from here on was ever given
};
storage::Path marker_path(const storage::Path& container);
storage::Path lock_path(const storage::Path& container);
std::string encode_marker(const Marker& marker);
// nullopt: the bytes are no marker, or damaged.
std::optional<Marker> decode_marker(std::string_view bytes);
// Throws RefusedError: `directory` is of a version this program does not read.
void refuse_other_version(const storage::Path& directory, const Marker& marker);

}  // namespace weir::content
