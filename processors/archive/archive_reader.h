#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "processors/archive/byte_streams.h"

struct archive;
struct archive_entry;

namespace weir::processors {

struct ArchiveEntry {
  std::string name;  // as it stands in the archive, whatever it points at
  bool is_directory = false;
  std::uint32_t mode = 0;
  std::string owner;
  std::string group;
  std::uint64_t size = 0;
  std::int64_t modified_ms = 0;
  std::optional<std::int64_t> created_ms;
  std::optional<std::int64_t> changed_ms;  // of its metadata
  std::optional<std::int64_t> accessed_ms;
};

// Reads an archive from front to back with libarchive: tar (ustar, GNU, pax), or zip by its local
// headers (the directory at the end is not looked at, as in NiFi). Nothing is ever written to a
// disk by name. Throws ArchiveError where the archive is damaged; what reading `in` throws goes
// through.
class ArchiveReader {
 public:
  enum class Format { tar, concatenated_tars, zip };

  ArchiveReader(Format format, InputStream& in, const std::string* password = nullptr);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  bool next();  // false at the end
  const ArchiveEntry& entry() const { return entry_; }
  // The entry's content, piece by piece; 0 at its end.
  std::size_t read(std::span<std::byte> out);
  // Where the header of the entry begins, or something that is skipped before it; after a `next`
  // that threw, where it looked for one.
  std::uint64_t header_position() const { return header_position_; }

 private:
  [[noreturn]] void fail();
  void set_entry(archive_entry* entry);

  static ssize_t read_callback(archive*, void* self, const void** data);
  static std::int64_t skip_callback(archive*, void* self, std::int64_t bytes);

  InputStream& in_;
  std::vector<std::byte> buffer_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  std::exception_ptr thrown_;  // by `in_`, kept until libarchive has returned
  ArchiveEntry entry_;
  bool is_in_entry_ = false;
  std::uint64_t header_position_ = 0;
};

}  // namespace weir::processors
