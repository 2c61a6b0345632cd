#include "processors/archive/flow_file_package.h"

#include <fmt/format.h>

#include <algorithm>

#include "processors/archive/archive_reader.h"
#include "processors/archive/properties_xml.h"
#include "processors/archive/tar_writer.h"

namespace weir::processors {
namespace {

constexpr std::string_view magic = "NiFiFF3";
constexpr std::string_view attributes_entry = "flowfile.attributes";
constexpr std::string_view content_entry = "flowfile.content";
constexpr std::uint64_t long_length = 0xffff;

class StreamReader : public PackageReader {
 public:
  StreamReader(bool has_magic, InputStream& in, const PackageLimits& limits)
      : has_magic_(has_magic), in_(in), limits_(limits) {}

  std::optional<PackageAttributes> next() override {
    // An empty stream is no package; after the first FlowFile an end is the end.
    if (in_.at_end() && has_read_) return std::nullopt;
    has_read_ = true;
    if (has_magic_ && in_.text(magic.size()) != magic) {
      throw ArchiveError("this is no FlowFile package of version 3");
    }
    PackageAttributes attributes = read_attributes();
    left_ = in_.big_endian(8);
    if (left_ > INT64_MAX) throw ArchiveError("a FlowFile has an impossible size");
    return attributes;
  }

  std::size_t read(std::span<std::byte> out) override {
    if (left_ == 0) return 0;
    const std::size_t count = in_.read_some(out.first(std::min<std::uint64_t>(out.size(), left_)));
    if (count == 0) throw ArchiveError("the package ends within a content");
    left_ -= count;
    return count;
  }

 private:
  std::uint64_t read_length() {
    const std::uint64_t length = in_.big_endian(2);
    return length == long_length ? in_.big_endian(4) : length;
  }

  std::string read_text(std::uint64_t& bytes_left) {
    const std::uint64_t length = read_length();
    if (length > bytes_left) {
      throw ArchiveError(fmt::format("the attributes of a FlowFile take more than {} bytes",
                                     limits_.most_attribute_bytes));
    }
    bytes_left -= length;
    return in_.text(length);
  }

  PackageAttributes read_attributes() {
    const std::uint64_t count = read_length();
    if (count == 0) throw ArchiveError("a FlowFile has no attributes");
    if (count > limits_.most_attributes) {
      throw ArchiveError(fmt::format("a FlowFile has {} attributes, more than {}", count,
                                     limits_.most_attributes));
    }
    PackageAttributes attributes;
    std::uint64_t bytes_left = limits_.most_attribute_bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string name = read_text(bytes_left);
      attributes.emplace_back(std::move(name), read_text(bytes_left));
    }
    return attributes;
  }

  const bool has_magic_;
  BufferedInput in_;
  const PackageLimits limits_;
  bool has_read_ = false;
  std::uint64_t left_ = 0;
};

// Version 1: tars one after another, each with the two entries of one FlowFile.
class TarReader : public PackageReader {
 public:
  TarReader(InputStream& in, const PackageLimits& limits)
      : archive_(ArchiveReader::Format::concatenated_tars, in), limits_(limits) {}

  std::optional<PackageAttributes> next() override {
    if (!archive_.next()) {
      if (has_read_) return std::nullopt;
      throw ArchiveError("there is no FlowFile in it");
    }
    has_read_ = true;
    expect(attributes_entry);
    PackageAttributes attributes = parse_properties_xml(read_attributes());
    if (attributes.size() > limits_.most_attributes) {
      throw ArchiveError(fmt::format("a FlowFile has {} attributes, more than {}",
                                     attributes.size(), limits_.most_attributes));
    }
    if (!archive_.next()) throw ArchiveError("the content of a FlowFile is missing");
    expect(content_entry);
    return attributes;
  }

  std::size_t read(std::span<std::byte> out) override { return archive_.read(out); }

 private:
  void expect(std::string_view name) const {
    if (archive_.entry().name == name) return;
    throw ArchiveError(
        fmt::format("the entry {} stands where {} must be", archive_.entry().name, name));
  }

  std::string read_attributes() {
    std::string text;
    std::vector<std::byte> buffer(16 * 1024);
    while (const std::size_t count = archive_.read(buffer)) {
      text.append(reinterpret_cast<const char*>(buffer.data()), count);
      if (text.size() > limits_.most_attribute_bytes) {
        throw ArchiveError(fmt::format("the attributes of a FlowFile take more than {} bytes",
                                       limits_.most_attribute_bytes));
      }
    }
    return text;
  }

  ArchiveReader archive_;
  const PackageLimits limits_;
  bool has_read_ = false;
};

}  // namespace

std::string_view media_type(PackageVersion version) {
  switch (version) {
    case PackageVersion::v1:
      return "application/flowfile-v1";
    case PackageVersion::v2:
      return "application/flowfile-v2";
    case PackageVersion::v3:
      break;
  }
  return "application/flowfile-v3";
}

void PackageWriter::put_length(std::uint64_t length) {
  char bytes[6] = {'\xff', '\xff'};
  std::size_t size = 6;
  if (length < long_length) {
    bytes[0] = static_cast<char>(length >> 8);
    bytes[1] = static_cast<char>(length);
    size = 2;
  } else {
    for (std::size_t i = 2; i < 6; ++i) bytes[i] = static_cast<char>(length >> (8 * (5 - i)));
  }
  out_.write(std::string_view(bytes, size));
}

void PackageWriter::put_text(std::string_view text) {
  put_length(text.size());
  out_.write(text);
}

void PackageWriter::add(std::string_view uuid,
                        std::span<const flowfile::Attributes::Entry> attributes,
                        InputStream& content) {
  if (version_ == PackageVersion::v1) {
    add_tar(uuid, attributes, content);
    return;
  }
  if (version_ == PackageVersion::v3) out_.write(magic);
  put_length(attributes.size() + 1);
  for (const auto& [name, value] : attributes) {
    put_text(name);
    put_text(value);
  }
  put_text(attribute::uuid);
  put_text(uuid);
  const std::uint64_t size = content.size();
  char bytes[8];
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(size >> (8 * (7 - i)));
  out_.write(std::string_view(bytes, sizeof(bytes)));
  if (out_.copy(content) != size) throw ArchiveError("the content changed while it was read");
}

void PackageWriter::add_tar(std::string_view uuid,
                            std::span<const flowfile::Attributes::Entry> attributes,
                            InputStream& content) {
  constexpr std::uint32_t mode = 0644;
  TarWriter tar(out_);
  tar.add({.name = std::string(attributes_entry), .mode = mode, .modified_s = now_s_},
          properties_xml(uuid, attributes));
  tar.add({.name = std::string(content_entry),
           .size = content.size(),
           .mode = mode,
           .modified_s = now_s_},
          content);
  tar.finish();
}

std::unique_ptr<PackageReader> PackageReader::make(PackageVersion version, InputStream& in,
                                                   const PackageLimits& limits) {
  if (version == PackageVersion::v1) return std::make_unique<TarReader>(in, limits);
  return std::make_unique<StreamReader>(version == PackageVersion::v3, in, limits);
}

}  // namespace weir::processors
