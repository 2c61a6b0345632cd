#include "processors/archive/unpack_content.h"

#include <array>

#include "processors/archive/unpacking.h"
#include "processors/support/declare.h"
#include "processors/support/expansion.h"
#include "processors/support/failure.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success",
                           .description =
                               "What was unpacked; also FlowFiles whose mime.type names no format "
                               "that can be unpacked, unchanged."};
const Relationship original{.name = "original", .description = "FlowFiles that were unpacked."};
const Relationship failure{.name = "failure",
                           .description =
                               "FlowFiles that cannot be unpacked, unchanged: damaged or cut off, "
                               "without any entry that matches, or grown past all measure."};

constexpr std::string_view by_mime_type = "use mime.type attribute";
constexpr std::string_view error_attribute = "unpackContent.error";

struct FormatName {
  std::string_view name;
  PackagingFormat format;
  std::string_view mime_type;
};

constexpr std::array<FormatName, 6> format_names = {{
    {"tar", PackagingFormat::tar, "application/tar"},
    {"tar", PackagingFormat::tar, "application/x-tar"},
    {"zip", PackagingFormat::zip, "application/zip"},
    {"flowfile-stream-v3", PackagingFormat::flow_file_v3, "application/flowfile-v3"},
    {"flowfile-stream-v2", PackagingFormat::flow_file_v2, "application/flowfile-v2"},
    {"flowfile-tar-v1", PackagingFormat::flow_file_v1, "application/flowfile-v1"},
}};

const PropertyDescriptor packaging_format{
    .name = "Packaging Format",
    .description = "What the content is. \"use mime.type attribute\" takes it from the FlowFile.",
    .default_value = std::string(by_mime_type),
    .required = true,
    .allowable_values = {{std::string(by_mime_type)},
                         {"tar"},
                         {"zip"},
                         {"flowfile-stream-v3"},
                         {"flowfile-stream-v2"},
                         {"flowfile-tar-v1"}}};
const PropertyDescriptor file_name_set{
    .name = "Filename Character Set",
    .description = "Of the names in a zip that does not say that they are UTF-8.",
    .default_value = "UTF-8",
    .required = true,
    .validator = validators::character_set(),
    .depends_on = {{"Packaging Format", {std::string(by_mime_type), "zip"}}}};
const PropertyDescriptor file_filter{
    .name = "File Filter",
    .description =
        "A regular expression. Only entries in whose name, path included, it is found "
        "somewhere are unpacked; of archives, not of packages.",
    .default_value = ".*",
    .required = true,
    .validator = validators::regular_expression()};
const PropertyDescriptor password{
    .name = "Password",
    .description =
        "Of zips encrypted with ZipCrypto or AES (WinZip). An archive that is not "
        "encrypted is read all the same.",
    .sensitive = true,
    .validator = validators::non_empty(),
    .depends_on = {{"Packaging Format", {std::string(by_mime_type), "zip"}}}};
const PropertyDescriptor allow_stored{
    .name = "allow-stored-entries-wdd",
    .display_name = "Allow Stored Entries With Data Descriptor",
    .description =
        "Whether a zip entry is read that is not compressed and has its size behind it. "
        "Where it ends is then a guess.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false(),
    .depends_on = {{"Packaging Format", {std::string(by_mime_type), "zip"}}}};

class UnpackContent : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::optional<PackagingFormat> format_of(const std::string& mime_type) const;
  void unpack(ProcessContext& context, ProcessSession& session, FlowFile flow_file,
              PackagingFormat format) const;

  std::optional<PackagingFormat> format_;  // not set: by mime.type
  UnpackSettings settings_;
};

std::vector<AttributeNote> written_attributes() {
  return {{"filename, path",
           "Of the entry. An entry \"../x\" has the path \"../\": what writes it to "
           "a disk must check it, as PutFile does."},
          {"mime.type", "application/octet-stream, unless a package says otherwise."},
          {"fragment.identifier", "Common to all entries of an archive, and to the original."},
          {"fragment.index", "1 to n; of archives."},
          {"fragment.count", "How many entries were unpacked; also on the original."},
          {"segment.original.filename", "The original's filename without .tar, .zip or .pkg."},
          {"file.lastModifiedTime", "Of the entry; of archives."},
          {"file.creationTime", "As file.lastModifiedTime, unless a tar knows better."},
          {"file.lastMetadataChange", "Where a tar has it."},
          {"file.lastAccessTime", "Where the archive has it."},
          {"file.owner, file.group", "Of tars."},
          {"file.size", "Of archives; -1 where a zip has it only behind the data."},
          {"file.permissions", "Such as rw-r--r--. A zip has them at its end, which is not read."},
          {"file.encryptionMethod", "Of zips: NONE, ZIP_STANDARD or AES."},
          {std::string(error_attribute),
           "On failure: what is damaged or missing, or which bound it is past."}};
}

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("UnpackContent");
  definition.summary =
      "Takes the files out of a tar or zip, or the FlowFiles out of a package, each as a FlowFile "
      "that inherits the attributes of the original. Directories are left out; links become empty "
      "files. The contents are never in memory as a whole.";
  definition.tags = {"unpack", "archive", "tar", "zip", "flowfile-stream", "flowfile-stream-v3"};
  definition.properties = {packaging_format, file_name_set, file_filter, password, allow_stored};
  definition.relationships = {failure, original, success};
  definition.reads_attributes = {
      {"mime.type", "The format, where Packaging Format is \"use mime.type attribute\"."}};
  definition.writes_attributes = written_attributes();
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "All entries and the original appear with one commit, or none. So that an archive made to "
      "grow without end cannot fill the disk, one goes to failure that has grown past 256 MiB and "
      "200 times what was read of it, or has more than 100,000 entries.";
  definition.example =
      R"({"type": "UnpackContent", "properties": {"Packaging Format": "zip",
  "File Filter": "\\.csv$"}})";
  definition.make = [] { return std::make_unique<UnpackContent>(); };
  return definition;
}

}  // namespace

void UnpackContent::on_scheduled(ProcessContext& context) {
  format_.reset();
  const std::string& name = context.property(packaging_format).text();
  for (const FormatName& known : format_names) {
    if (known.name == name) format_ = known.format;
  }
  settings_ = {};
  const std::string& filter = context.property(file_filter).text();
  if (filter != *file_filter.default_value) {
    auto compiled = Pattern::compile(filter);
    if (!compiled) throw ProcessException("File Filter: " + compiled.error());
    settings_.file_filter = std::move(*compiled);
  }
  if (const PropertyValue value = context.property(password); value.is_set()) {
    settings_.password = value.text();
  }
  settings_.file_name_set = context.property(file_name_set).text();
  settings_.allows_stored_with_descriptor = context.property(allow_stored).boolean();
}

std::optional<PackagingFormat> UnpackContent::format_of(const std::string& mime_type) const {
  std::string lower = mime_type;
  for (char& character : lower) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character + 32);
  }
  for (const FormatName& known : format_names) {
    if (known.mime_type == lower) return known.format;
  }
  return std::nullopt;
}

void UnpackContent::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  std::optional<PackagingFormat> format = format_;
  if (!format) {
    const std::string* mime_type = flow_file.find_attribute(attribute::mime_type);
    if (!mime_type) {
      return fail(context, session, flow_file, failure, error_attribute, "there is no mime.type");
    }
    format = format_of(*mime_type);
    if (!format) {
      context.log().info("{} is {}, which cannot be unpacked: passed on", flow_file.uuid(),
                         *mime_type);
      session.transfer(flow_file, success);
      return;
    }
  }
  unpack(context, session, flow_file, *format);
}

void UnpackContent::unpack(ProcessContext& context, ProcessSession& session, FlowFile flow_file,
                           PackagingFormat format) const {
  Unpacking unpacking(session, flow_file, settings_, random_uuid(context.random()));
  const auto give_up = [&](std::string_view reason) {
    for (const FlowFile& child : unpacking.children()) session.remove(child);
    fail(context, session, flow_file, failure, error_attribute, reason);
  };
  try {
    unpacking.run(format);
  } catch (const ArchiveError& error) {
    return give_up(error.what());
  } catch (const ExpansionLimitExceeded& error) {
    return give_up(error.what());
  } catch (const EntryLimitExceeded& error) {
    return give_up(error.what());
  } catch (const PatternLimitExceeded& error) {
    return give_up(error.what());
  }
  const std::vector<FlowFile>& children = unpacking.children();
  if (children.empty()) return give_up("there is no entry that matches");
  std::vector<flowfile::Attributes::Entry> of_original = {
      {std::string(attribute::fragment_count), std::to_string(children.size())}};
  if (const auto identifier = children.front().attribute(attribute::fragment_identifier)) {
    of_original.emplace_back(attribute::fragment_identifier, *identifier);
  }
  for (const FlowFile& child : children) session.transfer(child, success);
  session.put_attributes(flow_file, of_original);
  session.transfer(flow_file, original);
}

const ProcessorDefinition& unpack_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
