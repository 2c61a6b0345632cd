#include "processors/archive/merge_formats.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>

#include "processors/archive/flow_file_package.h"
#include "processors/archive/instant.h"
#include "processors/archive/merge_properties.h"
#include "processors/archive/tar_writer.h"
#include "processors/archive/zip_writer.h"

namespace weir::processors::merge {
namespace {

class ConcatenationBundler : public Bundler {
 public:
  explicit ConcatenationBundler(const PropertyContext& context) {
    const std::string& strategy = context.property(delimiter_strategy).text();
    is_file_ = strategy == "Filename";
    if (!is_file_ && strategy != "Text") return;
    header_ = context.property(header);
    footer_ = context.property(footer);
    demarcator_ = context.property(demarcator);
  }

  void write(ProcessSession& session, std::span<const FlowFile> contents, BufferedOutput& out,
             std::vector<FlowFile>&) const override {
    const FlowFile& first = contents.front();
    const std::string between = delimiter(demarcator_, first);
    out.write(delimiter(header_, first));
    for (const FlowFile& flow_file : contents) {
      if (&flow_file != &first) out.write(between);
      if (flow_file.size() > 0) out.copy(*session.read(flow_file));
    }
    out.write(delimiter(footer_, first));
  }

  std::string mime_type(std::span<const FlowFile> contents) const override {
    const std::string* common = contents.front().find_attribute(attribute::mime_type);
    for (const FlowFile& flow_file : contents) {
      const std::string* other = flow_file.find_attribute(attribute::mime_type);
      if (!common || !other || *other != *common) return "application/octet-stream";
    }
    return *common;
  }
  std::optional<std::string> extension() const override { return ""; }

 private:
  std::string delimiter(const PropertyValue& value, const FlowFile& first) const {
    if (!value.is_set()) return {};
    std::string text = value.evaluate(first);
    if (!is_file_) return text;
    std::ifstream file(text, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad()) {
      throw ArchiveError(fmt::format("the delimiter's file {} cannot be read", text));
    }
    return bytes;
  }

  bool is_file_ = false;
  PropertyValue header_, footer_, demarcator_;
};

// The path of an entry as Java's Path makes it of the attribute: without doubled slashes and the
// "." in front, with a slash behind it.
std::string entry_path(const FlowFile& flow_file) {
  const std::string* attribute = flow_file.find_attribute(attribute::path);
  if (!attribute) return {};
  std::string path;
  for (const char character : *attribute) {
    if (character != '/' || !path.ends_with('/')) path += character;
  }
  if (path == "/" || path == "." || path == "./") return {};
  if (path.starts_with("./")) path.erase(0, 2);
  if (path.starts_with("/./")) path.erase(0, 3);
  if (!path.ends_with('/')) path += '/';
  return path;
}

std::string entry_name(const FlowFile& flow_file, bool keeps_path) {
  return (keeps_path ? entry_path(flow_file) : std::string()) +
         flow_file.attribute(attribute::filename).value_or("");
}

class TarBundler : public Bundler {
 public:
  explicit TarBundler(ProcessContext& context)
      : clock_(context.clock()),
        keeps_path_(context.property(keep_path).boolean()),
        modified_time_(context.property(tar_modified_time)) {}

  void write(ProcessSession& session, std::span<const FlowFile> contents, BufferedOutput& out,
             std::vector<FlowFile>&) const override {
    TarWriter tar(out);
    for (const FlowFile& flow_file : contents) {
      TarEntry entry{.name = entry_name(flow_file, keeps_path_),
                     .size = flow_file.size(),
                     .modified_s = modified_s(flow_file)};
      if (const auto mode = permissions(flow_file)) entry.mode = *mode;
      tar.add(entry, *session.read(flow_file));
    }
    tar.finish();
  }
  std::string mime_type(std::span<const FlowFile>) const override { return "application/tar"; }
  std::optional<std::string> extension() const override { return ".tar"; }

 private:
  // A decimal number, however much it looks like octal digits: so NiFi takes it.
  static std::optional<std::uint32_t> permissions(const FlowFile& flow_file) {
    constexpr std::uint32_t most = 07777777;  // what the header's field holds
    const std::string* text = flow_file.find_attribute("tar.permissions");
    if (!text) return std::nullopt;
    std::uint32_t mode = 0;
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, mode);
    if (error != std::errc() || stop != end || mode > most) return std::nullopt;
    return mode;
  }

  std::int64_t modified_s(const FlowFile& flow_file) const {
    if (modified_time_.is_set()) {
      if (const auto seconds = parse_instant_s(modified_time_.evaluate(flow_file))) return *seconds;
    }
    return clock_.now_ms() / 1000;
  }

  Clock& clock_;
  const bool keeps_path_;
  const PropertyValue modified_time_;
};

class ZipBundler : public Bundler {
 public:
  explicit ZipBundler(ProcessContext& context)
      : clock_(context.clock()),
        keeps_path_(context.property(keep_path).boolean()),
        level_(static_cast<int>(context.property(compression_level).integer())) {}

  void write(ProcessSession& session, std::span<const FlowFile> contents, BufferedOutput& out,
             std::vector<FlowFile>& left_out) const override {
    ZipWriter zip(out, level_, clock_.now_ms());
    for (const FlowFile& flow_file : contents) {
      const bool is_in =
          zip.add(entry_name(flow_file, keeps_path_), flow_file.size(), *session.read(flow_file));
      if (!is_in) left_out.push_back(flow_file);
    }
    zip.finish();
  }
  std::string left_out_reason() const override {
    return "another entry of the zip has this name, or it is too long";
  }
  std::string mime_type(std::span<const FlowFile>) const override { return "application/zip"; }
  std::optional<std::string> extension() const override { return ".zip"; }

 private:
  Clock& clock_;
  const bool keeps_path_;
  const int level_;
};

class PackageBundler : public Bundler {
 public:
  PackageBundler(ProcessContext& context, PackageVersion version)
      : clock_(context.clock()), version_(version) {}

  void write(ProcessSession& session, std::span<const FlowFile> contents, BufferedOutput& out,
             std::vector<FlowFile>&) const override {
    PackageWriter package(version_, out, clock_.now_ms() / 1000);
    for (const FlowFile& flow_file : contents) {
      package.add(flow_file.uuid(), flow_file.attributes(), *session.read(flow_file));
    }
  }
  std::string mime_type(std::span<const FlowFile>) const override {
    return std::string(media_type(version_));
  }
  std::optional<std::string> extension() const override { return ".pkg"; }

 private:
  Clock& clock_;
  const PackageVersion version_;
};

}  // namespace

std::unique_ptr<const Bundler> make_bundler(ProcessContext& context) {
  const std::string& format = context.property(merge_format).text();
  if (format == "TAR") return std::make_unique<TarBundler>(context);
  if (format == "ZIP") return std::make_unique<ZipBundler>(context);
  if (format == "Avro") return make_avro_bundler(context);
  const auto package = [&](PackageVersion version) {
    return std::make_unique<PackageBundler>(context, version);
  };
  if (format == "FlowFile Stream, v3") return package(PackageVersion::v3);
  if (format == "FlowFile Stream, v2") return package(PackageVersion::v2);
  if (format == "FlowFile Tar, v1") return package(PackageVersion::v1);
  return std::make_unique<ConcatenationBundler>(context);
}

}  // namespace weir::processors::merge
