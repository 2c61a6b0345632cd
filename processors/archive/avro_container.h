#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "processors/archive/byte_streams.h"

namespace weir::processors {

// Avro's object container files (Avro 1.11, "Object Container Files"): "Obj" and 1, a map of
// metadata with schema and codec, a marker of 16 bytes; then blocks, each a count of records, a
// length, the bytes as the codec left them, and the marker again. Numbers are zigzag varints.
// Blocks are copied as they stand: nothing here knows records or codecs.
struct AvroHeader {
  std::map<std::string, std::string> metadata;  // without avro.schema and avro.codec
  std::string schema;
  std::string codec = "null";
};

using AvroMarker = std::array<std::byte, 16>;

// Reads one file from front to back. Throws ArchiveError where it is damaged or cut off.
class AvroReader {
 public:
  explicit AvroReader(InputStream& in);  // reads the header

  const AvroHeader& header() const { return header_; }
  // Copies the next block, with `marker` behind it; false at the end.
  bool copy_block(BufferedOutput& out, const AvroMarker& marker);

 private:
  std::int64_t read_long();
  std::string read_bytes();
  void read_metadata();

  BufferedInput in_;
  AvroHeader header_;
  std::string marker_;
};

void write_avro_header(const AvroHeader& header, const AvroMarker& marker, BufferedOutput& out);

}  // namespace weir::processors
