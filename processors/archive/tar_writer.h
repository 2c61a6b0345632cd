#pragma once

#include <cstdint>
#include <string>

#include "processors/archive/byte_streams.h"

namespace weir::processors {

struct TarEntry {
  std::string name;  // UTF-8; slashes in front are left out
  std::uint64_t size = 0;
  std::uint32_t mode = 0100644;  // written as it stands, kind of file included, as NiFi does
  std::int64_t modified_s = 0;
};

// Writes a tar as NiFi does: ustar headers, a name of more than 100 bytes by GNU's long name
// entry, no owner, and no padding beyond the two empty blocks at the end. Sizes past 8 GiB and
// times that octal digits cannot hold are written as GNU's binary numbers.
//
// Not libarchive's writer: that one leaves the kind of file out of the mode, which NiFi writes.
class TarWriter {
 public:
  explicit TarWriter(BufferedOutput& out) : out_(out) {}

  // Throws ArchiveError where the content is not of the entry's size.
  void add(const TarEntry& entry, InputStream& content);
  void add(TarEntry entry, std::string_view content);  // with its size
  void finish();

 private:
  void write_header(const TarEntry& entry, char kind);
  void begin(const TarEntry& entry);
  void pad(std::uint64_t size);

  BufferedOutput& out_;
};

}  // namespace weir::processors
