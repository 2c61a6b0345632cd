#include "processors/content/compress_content.h"

#include <fmt/format.h>

#include "processors/content/codec.h"
#include "processors/content/recode.h"
#include "processors/support/declare.h"
#include "processors/support/expansion.h"
#include "processors/support/failure.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success",
                           .description =
                               "FlowFiles with their new content; also those whose "
                               "mime.type names no format, unchanged."};
const Relationship failure{.name = "failure",
                           .description =
                               "FlowFiles that cannot be decompressed, unchanged, and "
                               "those without the mime.type that is asked for."};

constexpr std::string_view by_mime_type = "use mime.type attribute";
constexpr std::string_view error_attribute = "compressContent.error";

std::vector<AllowableValue> format_values() {
  std::vector<AllowableValue> values = {{std::string(by_mime_type)}};
  for (const CompressionFormat& format : compression_formats()) values.push_back({format.name});
  return values;
}

std::vector<AllowableValue> level_values() {
  std::vector<AllowableValue> values;
  for (char level = '0'; level <= '9'; ++level) values.push_back({std::string(1, level)});
  return values;
}

const PropertyDescriptor mode{.name = "Mode",
                              .description = "Whether to compress or to decompress.",
                              .default_value = "compress",
                              .required = true,
                              .allowable_values = {{"compress"}, {"decompress"}}};
const PropertyDescriptor compression_format{
    .name = "Compression Format",
    .description = "The format. \"use mime.type attribute\" takes it from the FlowFile.",
    .default_value = std::string(by_mime_type),
    .required = true,
    .allowable_values = format_values()};
const PropertyDescriptor compression_level{
    .name = "Compression Level",
    .description = "0 is fastest, 9 smallest. bzip2, lzma, snappy and lz4 have no levels here.",
    .default_value = "1",
    .required = true,
    .allowable_values = level_values(),
    .depends_on = {{"Mode", {"compress"}},
                   {"Compression Format",
                    {"brotli", "deflate", "gzip", std::string(by_mime_type), "xz-lzma2", "zstd"}}}};
const PropertyDescriptor update_filename{
    .name = "Update Filename",
    .description = "Whether the format's extension is added to filename, or taken off it.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};

class CompressContent : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  // The format for this FlowFile. False as second: it goes to failure, else it passes.
  std::pair<const CompressionFormat*, bool> format_of(const FlowFile& flow_file) const;
  void update_attributes(ProcessSession& session, FlowFile flow_file,
                         const CompressionFormat& format) const;

  bool compresses_ = true;
  const CompressionFormat* format_ = nullptr;  // null: by mime.type
  int level_ = 1;
  bool updates_filename_ = false;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("CompressContent");
  definition.summary = "Compresses or decompresses the content.";
  definition.tags = {"content",  "compress", "decompress", "gzip", "bzip2",   "lzma",
                     "xz-lzma2", "snappy",   "lz4",        "zstd", "deflate", "brotli"};
  definition.properties = {mode, compression_format, compression_level, update_filename};
  definition.relationships = {failure, success};
  definition.reads_attributes = {
      {"mime.type", "The format, where Compression Format is \"use mime.type attribute\"."}};
  definition.writes_attributes = {
      {"mime.type", "The format after compression; removed by decompression."},
      {"filename", "With or without the format's extension, where Update Filename is true."},
      {std::string(error_attribute),
       "On failure: what is damaged or missing, or that it grew past all measure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "The content changes with the commit; a crash before it leaves it. Decompressing stops, and "
      "the FlowFile goes to failure, where it has grown past 256 MiB and 200 times what was read "
      "of it, so that a content made to grow without end cannot fill the disk.";
  definition.example =
      R"({"type": "CompressContent", "properties": {"Compression Format": "zstd"}})";
  definition.make = [] { return std::make_unique<CompressContent>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> CompressContent::custom_validate(
    const PropertyContext& context) const {
  const CompressionFormat* format =
      find_compression_format(context.property(compression_format).text());
  if (format && !format->decompressor && context.property(mode).text() == "decompress") {
    return {{compression_format.name, fmt::format("{} cannot be decompressed", format->name)}};
  }
  return {};
}

void CompressContent::on_scheduled(ProcessContext& context) {
  compresses_ = context.property(mode).text() == "compress";
  format_ = find_compression_format(context.property(compression_format).text());
  level_ = static_cast<int>(context.property(compression_level).integer());
  updates_filename_ = context.property(update_filename).boolean();
}

std::pair<const CompressionFormat*, bool> CompressContent::format_of(
    const FlowFile& flow_file) const {
  if (format_) return {format_, true};
  const std::string* mime_type = flow_file.find_attribute(attribute::mime_type);
  if (!mime_type) return {nullptr, false};
  const CompressionFormat* format = find_format_of_mime_type(*mime_type);
  if (format && !compresses_ && !format->decompressor) return {nullptr, false};
  return {format, true};
}

void CompressContent::update_attributes(ProcessSession& session, FlowFile flow_file,
                                        const CompressionFormat& format) const {
  if (compresses_) {
    session.put_attribute(flow_file, attribute::mime_type, format.mime_type);
  } else if (flow_file.find_attribute(attribute::mime_type)) {
    const std::string names[] = {std::string(attribute::mime_type)};
    session.remove_attributes(flow_file, names);
  }
  if (!updates_filename_) return;
  std::string name = flow_file.attribute(attribute::filename).value_or("");
  if (compresses_) {
    name += format.extension;
  } else if (has_extension(name, format.extension)) {
    name.erase(name.size() - format.extension.size());
  } else {
    return;
  }
  session.put_attribute(flow_file, attribute::filename, name);
}

void CompressContent::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const auto [format, known] = format_of(flow_file);
  if (!format) {
    if (!known) {
      return fail(context, session, flow_file, failure, error_attribute,
                  "there is no mime.type that names a format this processor can use");
    }
    session.transfer(flow_file, success);
    return;
  }
  try {
    const auto codec = compresses_ ? format->compressor(level_) : format->decompressor();
    recode(session, flow_file, compresses_ ? nullptr : codec.get(),
           compresses_ ? codec.get() : nullptr);
  } catch (const CodecError& error) {
    // The stream was not closed: the FlowFile still has its old content.
    return fail(context, session, flow_file, failure, error_attribute,
                fmt::format("this is no valid {}: {}", format->name, error.what()));
  } catch (const ExpansionLimitExceeded& error) {
    return fail(context, session, flow_file, failure, error_attribute, error.what());
  }
  update_attributes(session, flow_file, *format);
  session.transfer(flow_file, success);
}

const ProcessorDefinition& compress_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
