#include "processors/content/identify_mime_type.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/text/java_case.h"
#include "processors/content/mime_config.h"
#include "processors/content/mime_fallback.h"
#include "processors/content/mime_text.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success",
                           .description = "All FlowFiles, with what was found as attributes."};

const PropertyDescriptor use_filename{
    .name = "use-filename-in-detection",
    .display_name = "Use Filename In Detection",
    .description = "Whether the ending of filename counts where it says more than the bytes do.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor config_strategy{
    .name = "config-strategy",
    .display_name = "Config Strategy",
    .description = "Which rules are used.",
    .default_value = "Preset",
    .required = true,
    .allowable_values = {
        {.value = "Preset", .description = "The built-in ones."},
        {.value = "Replace", .description = "Those of the configuration alone."},
        {.value = "Merge", .description = "Those of the configuration and the built-in ones."}}};
const PropertyDescriptor custom_configuration{
    .name = "Custom MIME Configuration",
    .description =
        "Rules as XML, or the path of a file that holds them: mime-type elements with "
        "glob, magic, root-XML and sub-class-of in them.",
    .required = true,
    .validator = validators::non_empty(),
    .old_names = {"config-body", "config-file"},
    .depends_on = {{"config-strategy", {"Merge", "Replace"}}}};

constexpr std::string_view octet_stream = "application/octet-stream";

class IdentifyMimeType : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  struct Answer {
    std::string type;
    std::string extension;
    std::optional<std::string> character_set;
  };
  Answer identify(std::string_view prefix, const std::string* file_name) const;

  const MimeTypes* types_ = nullptr;
  std::unique_ptr<const MimeTypes> configured_;
  bool uses_file_name_ = true;
  bool asks_database_ = true;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("IdentifyMimeType");
  definition.summary =
      "Finds out which MIME type a content has, by its first 64 KB and the ending of its filename; "
      "of texts also the character set.";
  definition.tags = {"compression", "gzip", "bzip2",     "zip",
                     "MIME",        "file", "mime.type", "identify"};
  definition.properties = {use_filename, config_strategy, custom_configuration};
  definition.relationships = {success};
  definition.reads_attributes = {{"filename", "Its ending, if Use Filename In Detection is true."}};
  definition.writes_attributes = {
      {"mime.type", "The type; application/octet-stream where it is not known."},
      {"mime.extension", "How names of such files usually end; empty where there is no such."},
      {"mime.charset", "The character set of a text, where it can be told."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "Content is read, not changed.";
  definition.example = R"({"type": "IdentifyMimeType"})";
  definition.make = [] { return std::make_unique<IdentifyMimeType>(); };
  return definition;
}

const MimeTypes& builtin_types() {
  static const MimeTypes types = [] {
    MimeTypes made;
    made.add_builtin();
    made.finish();
    return made;
  }();
  return types;
}

// The configuration itself, or what the file it names holds.
std::expected<std::string, std::string> configuration_text(const std::string& value) {
  const std::string_view trimmed = text::trim(value);
  if (trimmed.starts_with('<')) return std::string(trimmed);
  if (trimmed.contains("://")) {
    return std::unexpected("a URL cannot be read here; name a file, or give the XML itself");
  }
  std::ifstream file(std::filesystem::path(trimmed), std::ios::binary);
  if (!file.is_open()) return std::unexpected(fmt::format("{} cannot be read", trimmed));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::expected<std::unique_ptr<const MimeTypes>, std::string> load(const std::string& value,
                                                                  bool with_builtin) {
  const auto xml = configuration_text(value);
  if (!xml) return std::unexpected(xml.error());
  auto types = std::make_unique<MimeTypes>();
  if (const auto added = add_mime_configuration(*xml, *types); !added) {
    return std::unexpected(added.error());
  }
  if (with_builtin) types->add_builtin();
  types->finish();
  return types;
}

}  // namespace

std::vector<ValidationProblem> IdentifyMimeType::custom_validate(
    const PropertyContext& context) const {
  const std::string& strategy = context.property(config_strategy).text();
  const PropertyValue configuration = context.property(custom_configuration);
  if (strategy == "Preset" || !configuration.is_set()) return {};
  const auto types = load(configuration.text(), strategy == "Merge");
  if (types) return {};
  return {{custom_configuration.name, types.error()}};
}

void IdentifyMimeType::on_scheduled(ProcessContext& context) {
  uses_file_name_ = context.property(use_filename).boolean();
  const std::string& strategy = context.property(config_strategy).text();
  asks_database_ = strategy != "Replace";
  if (strategy == "Preset") {
    types_ = &builtin_types();
  } else {
    auto types = load(context.property(custom_configuration).text(), strategy == "Merge");
    if (!types) throw ProcessException(types.error());
    configured_ = std::move(*types);
    types_ = configured_.get();
  }
  // A missing database shows when the processor starts, not with the first strange content.
  if (asks_database_) ask_magic_database("\x7F");
}

IdentifyMimeType::Answer IdentifyMimeType::identify(std::string_view prefix,
                                                    const std::string* file_name) const {
  Answer answer;
  answer.type = types_->detect(prefix, file_name);
  answer.extension = types_->extension(answer.type);
  if (answer.type == octet_stream && asks_database_ && !prefix.empty()) {
    const FallbackType fallback = ask_magic_database(prefix);
    if (!fallback.name.empty()) {
      answer.type = fallback.name;
      answer.extension = fallback.extension;
    }
  }
  // What gzip makes of one file is more usual than an archive in it.
  if (answer.type == "application/gzip" && answer.extension == ".tgz") answer.extension = ".gz";
  if (answer.type.starts_with("text/")) answer.character_set = detect_character_set(prefix);
  return answer;
}

void IdentifyMimeType::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  std::vector<std::byte> buffer(std::min<std::uint64_t>(flow_file.size(), MimeTypes::prefix_bytes));
  const std::size_t count = session.read(flow_file)->read_fully(buffer);
  const std::string_view prefix(reinterpret_cast<const char*>(buffer.data()), count);
  const std::string* const name =
      uses_file_name_ ? flow_file.find_attribute(attribute::filename) : nullptr;
  const Answer answer = identify(prefix, name);

  std::vector<flowfile::Attributes::Entry> attributes = {
      {std::string(attribute::mime_type), answer.type}, {"mime.extension", answer.extension}};
  if (answer.character_set) attributes.emplace_back("mime.charset", *answer.character_set);
  session.put_attributes(flow_file, attributes);
  session.provenance().modify_attributes(flow_file);
  session.transfer(flow_file, success);
  context.log().info("{} has MIME type {}", flow_file.uuid(), answer.type);
}

const ProcessorDefinition& identify_mime_type() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
