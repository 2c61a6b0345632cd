#include "processors/content/modify_compression.h"

#include "processors/content/recode.h"
#include "processors/support/declare.h"
#include "processors/support/expansion.h"
#include "processors/support/failure.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "FlowFiles with their new content."};
const Relationship failure{.name = "failure",
                           .description =
                               "FlowFiles that cannot be decompressed, unchanged; also those "
                               "whose mime.type names no format, where that is asked for."};

constexpr std::string_view no_compression = "no compression";
constexpr std::string_view by_mime_type = "use mime.type attribute";
constexpr std::string_view error_attribute = "modifyCompression.error";

// This processor spells one format otherwise than CompressContent does.
constexpr std::string_view framed_here = "snappy-framed";
constexpr std::string_view framed_there = "snappy framed";

const CompressionFormat* find_format(std::string_view name) {
  return find_compression_format(name == framed_here ? framed_there : name);
}

std::vector<AllowableValue> format_values(bool is_input) {
  std::vector<AllowableValue> values = {{std::string(no_compression)}};
  if (is_input) values.push_back({std::string(by_mime_type)});
  for (const CompressionFormat& format : compression_formats()) {
    if (is_input && !format.decompressor) continue;
    values.push_back({format.name == framed_there ? std::string(framed_here) : format.name});
  }
  return values;
}

std::vector<AllowableValue> level_values() {
  std::vector<AllowableValue> values;
  for (char level = '0'; level <= '9'; ++level) values.push_back({std::string(1, level)});
  return values;
}

const PropertyDescriptor input_strategy{
    .name = "Input Compression Strategy",
    .description =
        "What the content is compressed with. \"use mime.type attribute\" takes it from "
        "the FlowFile.",
    .default_value = std::string(no_compression),
    .required = true,
    .allowable_values = format_values(true)};
const PropertyDescriptor output_strategy{.name = "Output Compression Strategy",
                                         .description = "What to compress the content with.",
                                         .default_value = std::string(no_compression),
                                         .required = true,
                                         .allowable_values = format_values(false)};
const PropertyDescriptor output_level{
    .name = "Output Compression Level",
    .description = "0 is fastest, 9 smallest. bzip2, lzma, snappy and lz4 have no levels here.",
    .default_value = "1",
    .required = true,
    .allowable_values = level_values(),
    .depends_on = {{"Output Compression Strategy",
                    {"brotli", "deflate", "gzip", std::string(by_mime_type), "xz-lzma2", "zstd"}}}};
const PropertyDescriptor filename_strategy{
    .name = "Output Filename Strategy",
    .description =
        "Whether filename loses the extension of the old format and gets that of the "
        "new one.",
    .default_value = "UPDATED",
    .required = true,
    .allowable_values = {{"ORIGINAL", "Original"}, {"UPDATED", "Updated"}}};

class ModifyCompression : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  void modify(ProcessSession& session, FlowFile flow_file, const CompressionFormat* input) const;
  void update_attributes(ProcessSession& session, FlowFile flow_file,
                         const CompressionFormat* input) const;

  bool asks_mime_type_ = false;
  const CompressionFormat* input_ = nullptr;   // null: not compressed, or by mime.type
  const CompressionFormat* output_ = nullptr;  // null: not compressed
  int level_ = 1;
  bool updates_filename_ = true;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = "org.apache.nifi.processors.compress.ModifyCompression";
  definition.summary =
      "Changes the compression of the content: decompresses it, compresses it, or both in one go.";
  definition.tags = {"content",  "compress", "recompress", "gzip",       "bzip2", "lzma",
                     "xz-lzma2", "snappy",   "deflate",    "lz4-framed", "zstd",  "brotli"};
  definition.properties = {input_strategy, output_strategy, output_level, filename_strategy};
  definition.relationships = {failure, success};
  definition.reads_attributes = {
      {"mime.type",
       "The format, where Input Compression Strategy is \"use mime.type attribute\"."}};
  definition.writes_attributes = {
      {"mime.type", "The new format; removed where the content is not compressed any more."},
      {"filename", "With the extension of the new format, where that is asked for."},
      {std::string(error_attribute),
       "On failure: what is damaged or missing, or that it grew past all measure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "The content changes with the commit; a crash before it leaves it. A content that has grown "
      "past 256 MiB and 200 times what was read of it goes to failure, so that one made to grow "
      "without end cannot fill the disk.";
  definition.example = R"({"type": "ModifyCompression", "properties": {
  "Input Compression Strategy": "gzip", "Output Compression Strategy": "zstd"}})";
  definition.make = [] { return std::make_unique<ModifyCompression>(); };
  return definition;
}

}  // namespace

void ModifyCompression::on_scheduled(ProcessContext& context) {
  const std::string& input = context.property(input_strategy).text();
  asks_mime_type_ = input == by_mime_type;
  input_ = find_format(input);
  output_ = find_format(context.property(output_strategy).text());
  level_ = static_cast<int>(context.property(output_level).integer());
  updates_filename_ = context.property(filename_strategy).text() == "UPDATED";
}

void ModifyCompression::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const CompressionFormat* input = input_;
  if (asks_mime_type_) {
    const std::string* mime_type = flow_file.find_attribute(attribute::mime_type);
    // Here also the type that compression itself writes is known: that of xz.
    if (mime_type) {
      input = find_format_of_mime_type(*mime_type);
      if (!input) input = find_format_written_as(*mime_type);
    }
    if (!input || !input->decompressor) {
      return fail(context, session, flow_file, failure, error_attribute,
                  "there is no mime.type that names a format this processor can decompress");
    }
  }
  try {
    modify(session, flow_file, input);
  } catch (const CodecError& error) {
    return fail(context, session, flow_file, failure, error_attribute, error.what());
  } catch (const ExpansionLimitExceeded& error) {
    return fail(context, session, flow_file, failure, error_attribute, error.what());
  }
  session.transfer(flow_file, success);
}

void ModifyCompression::modify(ProcessSession& session, FlowFile flow_file,
                               const CompressionFormat* input) const {
  const std::unique_ptr<Codec> decompressor = input ? input->decompressor() : nullptr;
  const std::unique_ptr<Codec> compressor = output_ ? output_->compressor(level_) : nullptr;
  if (decompressor || compressor) {
    recode(session, flow_file, decompressor.get(), compressor.get());
  } else {
    // The content stays what it is; that it went through here is told all the same, as in NiFi.
    session.provenance().modify_content(flow_file);
  }
  update_attributes(session, flow_file, input);
}

void ModifyCompression::update_attributes(ProcessSession& session, FlowFile flow_file,
                                          const CompressionFormat* input) const {
  if (output_) {
    session.put_attribute(flow_file, attribute::mime_type, output_->mime_type);
  } else if (flow_file.find_attribute(attribute::mime_type)) {
    const std::string names[] = {std::string(attribute::mime_type)};
    session.remove_attributes(flow_file, names);
  }
  if (!updates_filename_) return;
  std::string name = flow_file.attribute(attribute::filename).value_or("");
  if (input && has_extension(name, input->extension)) {
    name.erase(name.size() - input->extension.size());
  }
  if (output_) name += output_->extension;
  session.put_attribute(flow_file, attribute::filename, name);
}

const ProcessorDefinition& modify_compression() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
