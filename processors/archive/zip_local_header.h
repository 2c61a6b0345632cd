#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "processors/archive/byte_streams.h"

namespace weir::processors {

// What the header before an entry of a zip says that libarchive does not tell.
struct ZipLocalHeader {
  std::uint16_t version_needed = 0;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t size = 0;  // uncompressed
  std::string name;        // bytes of an unknown character set, unless flags say UTF-8
  std::string extra;

  bool is_encrypted() const { return flags & 0x0001; }
  bool has_strong_encryption() const { return flags & 0x0040; }
  bool has_descriptor() const { return flags & 0x0008; }  // the sizes stand behind the data
  bool has_utf8_name() const { return flags & 0x0800; }
  bool is_stored() const { return method == 0; }
  bool is_aes() const { return method == 99; }

  // From Info-ZIP's field of times, where it has this one.
  std::optional<std::int64_t> accessed_s() const;
  // The name in UTF-8: by the flag, by Info-ZIP's Unicode field, else in `character_set`.
  std::string decoded_name(const std::string& character_set) const;
};

// The first local header at or behind `position`. Leaves `in` where it was. Throws ArchiveError
// where there is none.
ZipLocalHeader read_zip_local_header(InputStream& in, std::uint64_t position);

// Whether the content ends at `position`, or within a header that begins there. Leaves `in` where
// it was.
bool ends_within_zip_header(InputStream& in, std::uint64_t position);

}  // namespace weir::processors
