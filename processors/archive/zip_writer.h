#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "processors/archive/byte_streams.h"

namespace weir::processors {

// Writes a zip as NiFi does: every entry deflated, its sizes and checksum behind it. Keeps only
// the directory in memory (46 bytes and the name for each entry).
//
// Not libarchive's writer: at level 0 that one stores entries with their sizes behind them, which
// UnpackContent and other readers of streams refuse.
class ZipWriter {
 public:
  // `modified_ms`: of all entries, written in the local zone, as zip wants it.
  ZipWriter(BufferedOutput& out, int level, std::int64_t modified_ms);
  ~ZipWriter();

  // False where there is an entry of the name, or the name is longer than a zip can hold.
  bool add(const std::string& name, std::uint64_t size, InputStream& content);
  void finish();

 private:
  struct Deflater;
  struct Entry {
    std::uint64_t offset = 0;
    std::uint64_t compressed = 0;
    std::uint64_t size = 0;
    std::uint32_t checksum = 0;
    bool is_large = false;  // its sizes are written with 8 bytes
  };

  void write_local_header(const std::string& name, const Entry& entry);
  void write_descriptor(const Entry& entry);
  void append_to_directory(const std::string& name, const Entry& entry);

  BufferedOutput& out_;
  std::unique_ptr<Deflater> deflater_;
  std::uint32_t dos_time_;
  std::unordered_set<std::string> names_;
  std::string directory_;
  std::uint64_t entries_ = 0;
};

}  // namespace weir::processors
