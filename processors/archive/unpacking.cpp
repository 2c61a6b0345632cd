#include "processors/archive/unpacking.h"

#include <fmt/format.h>

#include <array>

#include "processors/support/character_set.h"
#include "processors/support/expansion.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

constexpr std::size_t buffer_bytes = 128 * 1024;

// A path as java.io.File takes it apart: no doubled slashes, none at the end.
struct EntryPath {
  std::string parent;  // "" where there is none, "/" at the root
  std::string name;
};

EntryPath split_path(const std::string& path) {
  std::string clean;
  for (const char character : path) {
    if (character != '/' || !clean.ends_with('/')) clean += character;
  }
  if (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  const std::size_t slash = clean.rfind('/');
  if (slash == std::string::npos) return {"", clean};
  return {slash == 0 ? "/" : clean.substr(0, slash), clean.substr(slash + 1)};
}

std::string permissions(std::uint32_t mode) {
  std::string text = "rwxrwxrwx";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!(mode >> (text.size() - 1 - i) & 1)) text[i] = '-';
  }
  return text;
}

std::string encryption(const ZipLocalHeader& header) {
  if (!header.is_encrypted()) return "NONE";
  if (header.is_aes()) return "AES";
  return header.has_strong_encryption() ? "ZIP_STANDARD_VARIANT_STRONG" : "ZIP_STANDARD";
}

std::string cleaned_text(std::string text) {
  const bool is_ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return is_ascii ? std::move(text) : decode_text(text, "UTF-8");
}

}  // namespace

Unpacking::Unpacking(ProcessSession& session, const FlowFile& source,
                     const UnpackSettings& settings, std::string fragment_identifier)
    : session_(session),
      source_(source),
      settings_(settings),
      fragment_identifier_(std::move(fragment_identifier)),
      buffer_(buffer_bytes) {}

void Unpacking::run(PackagingFormat format) {
  const std::unique_ptr<InputStream> in = session_.read(source_);
  switch (format) {
    case PackagingFormat::tar:
      run_tar(*in);
      add_fragment_attributes();
      return;
    case PackagingFormat::zip:
      run_zip(*in);
      add_fragment_attributes();
      return;
    case PackagingFormat::flow_file_v3:
      return run_package(*in, PackageVersion::v3);
    case PackagingFormat::flow_file_v2:
      return run_package(*in, PackageVersion::v2);
    case PackagingFormat::flow_file_v1:
      return run_package(*in, PackageVersion::v1);
  }
}

bool Unpacking::matches(const std::string& name) const {
  return !settings_.file_filter || settings_.file_filter->contains(name);
}

FlowFile Unpacking::add_child(Attributes attributes) {
  if (children_.size() >= settings_.limits.most_children) {
    throw EntryLimitExceeded(
        fmt::format("there are more than {} entries", settings_.limits.most_children));
  }
  for (const auto& [name, value] : attributes) attribute_bytes_ += name.size() + value.size();
  if (attribute_bytes_ > settings_.limits.most_attribute_bytes) {
    throw EntryLimitExceeded(fmt::format("the attributes of the entries take more than {} bytes",
                                         settings_.limits.most_attribute_bytes));
  }
  const FlowFile child = session_.create(source_);
  children_.push_back(child);
  session_.put_attributes(child, attributes);
  return child;
}

void Unpacking::skip_content(ArchiveReader& archive, const InputStream& in) {
  while (const std::size_t count = archive.read(buffer_)) {
    out_bytes_ += count;
    check_expansion(in.position(), out_bytes_);
  }
}

template <typename Reader>
void Unpacking::write_content(FlowFile child, Reader& reader, const InputStream& in) {
  std::size_t count = reader.read(buffer_);
  if (count == 0) return;  // a new FlowFile is empty
  const std::unique_ptr<OutputStream> out = session_.write(child);
  for (; count > 0; count = reader.read(buffer_)) {
    out_bytes_ += count;
    check_expansion(in.position(), out_bytes_);
    out->write(std::span<const std::byte>(buffer_).first(count));
  }
  out->close();
}

void Unpacking::append_fragment(Attributes& attributes) const {
  attributes.emplace_back(attribute::mime_type, "application/octet-stream");
  attributes.emplace_back(attribute::fragment_identifier, fragment_identifier_);
  attributes.emplace_back(attribute::fragment_index, std::to_string(children_.size() + 1));
}

Unpacking::Attributes Unpacking::tar_attributes(const ArchiveEntry& entry) const {
  const EntryPath path = split_path(entry.name);
  const std::string modified = file_time(entry.modified_ms);
  Attributes attributes = {
      {std::string(attribute::filename), path.name},
      {std::string(attribute::path), path.parent + "/"},
      {"file.permissions", permissions(entry.mode)},
      {"file.owner", entry.owner},
      {"file.group", entry.group},
      {"file.size", std::to_string(entry.size)},
      {"file.lastModifiedTime", modified},
      {"file.creationTime", entry.created_ms ? file_time(*entry.created_ms) : modified}};
  if (entry.changed_ms) {
    attributes.emplace_back("file.lastMetadataChange", file_time(*entry.changed_ms));
  }
  if (entry.accessed_ms) {
    attributes.emplace_back("file.lastAccessTime", file_time(*entry.accessed_ms));
  }
  append_fragment(attributes);
  return attributes;
}

void Unpacking::run_tar(InputStream& in) {
  ArchiveReader archive(ArchiveReader::Format::tar, in);
  const auto next = [&] {
    try {
      return archive.next();
    } catch (const ArchiveError&) {
      // Cut off within a header is the end, as in NiFi; not where that leaves nothing.
      constexpr std::uint64_t header_bytes = 512;
      const bool is_short = in.size() - archive.header_position() < header_bytes;
      if (children_.empty() || !is_short) throw;
      return false;
    }
  };
  while (next()) {
    const ArchiveEntry& entry = archive.entry();
    if (entry.is_directory || !matches(entry.name)) continue;
    const FlowFile child = add_child(tar_attributes(entry));
    write_content(child, archive, in);
  }
}

Unpacking::Attributes Unpacking::zip_attributes(const ArchiveEntry& entry,
                                                const ZipLocalHeader& header,
                                                const std::string& name) const {
  const EntryPath path = split_path(name);
  const std::string modified = file_time(entry.modified_ms);
  const bool is_large = header.size == 0xffffffff;
  // What stands behind the data is not known when the attributes are written: -1, as in NiFi.
  std::string size = header.has_descriptor() ? "-1"
                     : is_large              ? std::to_string(entry.size)
                                             : std::to_string(header.size);
  Attributes attributes = {{std::string(attribute::filename), path.name},
                           {std::string(attribute::path), path.parent.empty() ? "/" : path.parent},
                           {"file.encryptionMethod", encryption(header)},
                           {"file.size", std::move(size)},
                           {"file.lastModifiedTime", modified},
                           {"file.creationTime", modified}};
  if (!settings_.password) {
    // The permissions stand in the directory at the end, which nobody has read.
    attributes.emplace_back("file.permissions", permissions(0));
    if (const auto accessed_s = header.accessed_s()) {
      attributes.emplace_back("file.lastAccessTime", file_time(*accessed_s * 1000));
    }
  }
  append_fragment(attributes);
  return attributes;
}

void Unpacking::run_zip(InputStream& in) {
  ArchiveReader archive(ArchiveReader::Format::zip, in,
                        settings_.password ? &*settings_.password : nullptr);
  const auto next = [&] {
    try {
      return archive.next();
    } catch (const ArchiveError&) {
      // Cut off within a header is the end, as in NiFi; not where that leaves nothing.
      if (children_.empty() || !ends_within_zip_header(in, archive.header_position())) throw;
      return false;
    }
  };
  while (next()) {
    const ZipLocalHeader header = read_zip_local_header(in, archive.header_position());
    if (header.is_stored() && header.has_descriptor() && !settings_.allows_stored_with_descriptor) {
      throw ArchiveError("an entry is stored with its size behind it, which is not allowed");
    }
    const std::string name = header.decoded_name(settings_.file_name_set);
    if (name.ends_with('/') || !matches(name)) {
      if (header.has_descriptor()) skip_content(archive, in);
      continue;
    }
    const FlowFile child = add_child(zip_attributes(archive.entry(), header, name));
    write_content(child, archive, in);
  }
}

void Unpacking::run_package(InputStream& in, PackageVersion version) {
  const std::unique_ptr<PackageReader> package = PackageReader::make(version, in);
  while (std::optional<PackageAttributes> attributes = package->next()) {
    bool has_mime_type = false;
    Attributes own;
    for (auto& [name, value] : *attributes) {
      std::string clean = cleaned_text(std::move(name));
      // Two FlowFiles must not have one uuid.
      if (clean == attribute::uuid) continue;
      has_mime_type = has_mime_type || clean == attribute::mime_type;
      own.emplace_back(std::move(clean), cleaned_text(std::move(value)));
    }
    if (!has_mime_type) own.emplace_back(attribute::mime_type, "application/octet-stream");
    const FlowFile child = add_child(std::move(own));
    write_content(child, *package, in);
  }
}

void Unpacking::add_fragment_attributes() {
  std::string original = source_.attribute(attribute::filename).value_or("");
  for (const std::string_view extension : {".tar", ".zip", ".pkg"}) {
    if (!original.ends_with(extension)) continue;
    original.erase(original.size() - extension.size());
    break;
  }
  const std::array<flowfile::Attributes::Entry, 2> attributes = {
      {{std::string(attribute::fragment_count), std::to_string(children_.size())},
       {std::string(attribute::segment_original_filename), original}}};
  for (const FlowFile& child : children_) session_.put_attributes(child, attributes);
}

}  // namespace weir::processors
