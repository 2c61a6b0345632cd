#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "processors/archive/byte_streams.h"
#include "repositories/flowfile/attributes.h"

namespace weir::processors {

// NiFi's packages: FlowFiles with attributes and content, one after another in one stream.
//   v3  "NiFiFF3", attributes, size (8 bytes), content
//   v2  attributes, size (8 bytes), content
//   v1  a tar of two entries, flowfile.attributes (Java's properties as XML) and flowfile.content
// Attributes are a count, then name and value of each, as lengths and UTF-8. Counts and lengths
// take 2 bytes, or from 65535 on 0xffff and 4 bytes; all numbers are big-endian.
enum class PackageVersion { v1, v2, v3 };

using PackageAttributes = std::vector<flowfile::Attributes::Entry>;

// "application/flowfile-v3" and its like.
std::string_view media_type(PackageVersion version);

class PackageWriter {
 public:
  // `now_s`: the time of the entries of v1.
  PackageWriter(PackageVersion version, BufferedOutput& out, std::int64_t now_s)
      : version_(version), out_(out), now_s_(now_s) {}

  // `uuid` goes in as one attribute more.
  void add(std::string_view uuid, std::span<const flowfile::Attributes::Entry> attributes,
           InputStream& content);

 private:
  void put_length(std::uint64_t length);
  void put_text(std::string_view text);
  void add_tar(std::string_view uuid, std::span<const flowfile::Attributes::Entry> attributes,
               InputStream& content);

  const PackageVersion version_;
  BufferedOutput& out_;
  const std::int64_t now_s_;
};

// What a damaged or hostile package may make the reader hold.
struct PackageLimits {
  std::uint64_t most_attributes = 10'000;                 // of one FlowFile
  std::uint64_t most_attribute_bytes = 32 * 1024 * 1024;  // names and values of one FlowFile
};

// Reads a package from front to back. Throws ArchiveError where it is damaged, cut off, or past
// the limits.
class PackageReader {
 public:
  static std::unique_ptr<PackageReader> make(PackageVersion version, InputStream& in,
                                             const PackageLimits& limits = {});
  virtual ~PackageReader() = default;

  // The attributes of the next FlowFile (of equal names the last counts); nullopt at the end. The
  // content before must be read. A FlowFile without attributes is damage.
  virtual std::optional<PackageAttributes> next() = 0;
  // The content of the FlowFile, piece by piece; 0 at its end.
  virtual std::size_t read(std::span<std::byte> out) = 0;
};

}  // namespace weir::processors
