#include "processors/flow/generate_flow_file.h"

#include <array>
#include <cstring>

#include "processors/support/character_set.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "The FlowFiles made."};

const PropertyDescriptor file_size{
    .name = "File Size",
    .description = "The size of each content. Ignored where Custom Text is set.",
    .default_value = "0B",
    .required = true,
    .validator = validators::data_size(),
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor batch_size{.name = "Batch Size",
                                    .description = "How many FlowFiles one trigger makes.",
                                    .default_value = "1",
                                    .required = true,
                                    .validator = validators::integer(1)};
const PropertyDescriptor data_format{
    .name = "Data Format",
    .description = "Whether the content is text (printable ASCII) or any bytes.",
    .default_value = "Text",
    .required = true,
    .allowable_values = {{"Binary"}, {"Text"}}};
const PropertyDescriptor unique{
    .name = "Unique FlowFiles",
    .description =
        "Whether each FlowFile gets a content of its own. Otherwise the FlowFiles of "
        "one trigger share the same bytes, which is much faster.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor custom_text{
    .name = "generate-ff-custom-text",
    .display_name = "Custom Text",
    .description = "The content, where Data Format is Text and Unique FlowFiles is false.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"Custom Text"}};
const PropertyDescriptor character_set{.name = "character-set",
                                       .display_name = "Character Set",
                                       .description = "The encoding of Custom Text.",
                                       .default_value = "UTF-8",
                                       .required = true,
                                       .validator = validators::character_set(),
                                       .old_names = {"Character Set"}};
const PropertyDescriptor mime_type{.name = "mime-type",
                                   .display_name = "Mime Type",
                                   .description = "Value of the attribute mime.type.",
                                   .validator = validators::non_empty(),
                                   .old_names = {"Mime Type"}};

class GenerateFlowFile : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    if (context.property(custom_text).is_set() &&
        (context.property(unique).boolean() || context.property(data_format).text() == "Binary")) {
      return {{custom_text.name,
               "can only be set where Unique FlowFiles is false and Data Format is Text"}};
    }
    return {};
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::string make_content(ProcessContext& context) const;
  void write_content(ProcessContext& context, ProcessSession& session, FlowFile flow_file) const;

  std::uint64_t size_bytes_ = 0;
  std::uint64_t batch_size_ = 1;
  bool is_text_ = true;
  bool is_unique_ = false;
  bool has_custom_text_ = false;
  bool content_is_fixed_ = false;  // no expression in it: made once
  std::string fixed_content_;
  std::string character_set_;
  std::vector<std::pair<std::string, PropertyValue>> attribute_values_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("GenerateFlowFile");
  definition.summary =
      "Makes FlowFiles with random or given content: for tests, for load, and to start a flow by "
      "a schedule.";
  definition.tags = {"test", "random", "generate", "load"};
  definition.properties = {file_size,   batch_size,    data_format, unique,
                           custom_text, character_set, mime_type};
  definition.dynamic_properties = {.name = "name of an attribute",
                                   .value = "value of the attribute",
                                   .description = "Set on every FlowFile made.",
                                   .expression_scope = ExpressionScope::environment};
  definition.relationships = {success};
  definition.writes_attributes = {
      {"mime.type", "As the property Mime Type says, where it is set."}};
  definition.input = InputRequirement::forbidden;
  definition.supports_batching = true;
  definition.default_scheduling_period = "1 min";
  definition.delivery_note = "A FlowFile exists once its session is committed, then for good.";
  definition.example =
      R"({"type": "GenerateFlowFile", "properties": {"File Size": "1 KB", "Batch Size": "10"}})";
  definition.make = [] { return std::make_unique<GenerateFlowFile>(); };
  return definition;
}

// Letters, digits and some signs, six bits of randomness each.
void fill_text(std::string& content, Random& random) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!?";
  static_assert(letters.size() == 64);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (i % 10 == 0) bits = random.next();
    content[i] = letters[bits & 63];
    bits >>= 6;
  }
}

void fill_binary(std::string& content, Random& random) {
  for (std::size_t i = 0; i < content.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t bits = random.next();
    std::memcpy(content.data() + i, &bits, std::min(sizeof(bits), content.size() - i));
  }
}

// Large contents are made in pieces, so that memory does not depend on their size.
constexpr std::uint64_t piece_bytes = 256 * 1024;

}  // namespace

void GenerateFlowFile::on_scheduled(ProcessContext& context) {
  size_bytes_ = context.property(file_size).data_size();
  batch_size_ = static_cast<std::uint64_t>(context.property(batch_size).integer());
  is_text_ = context.property(data_format).text() == "Text";
  is_unique_ = context.property(unique).boolean();
  const PropertyValue text = context.property(custom_text);
  has_custom_text_ = text.is_set();
  character_set_ = context.property(character_set).text();
  content_is_fixed_ = has_custom_text_ && !text.has_expression();
  if (content_is_fixed_) fixed_content_ = encode_text(text.text(), character_set_);

  attribute_values_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    attribute_values_.emplace_back(name, context.property(std::string_view(name)));
  }
  // Last: it wins over a property that is named mime.type.
  if (const PropertyValue type = context.property(mime_type); type.is_set()) {
    attribute_values_.emplace_back(attribute::mime_type, type);
  }
}

std::string GenerateFlowFile::make_content(ProcessContext& context) const {
  if (content_is_fixed_) return fixed_content_;
  return encode_text(context.property(custom_text).evaluate(), character_set_);
}

void GenerateFlowFile::write_content(ProcessContext& context, ProcessSession& session,
                                     FlowFile flow_file) const {
  if (has_custom_text_) {
    const std::string content = make_content(context);
    if (!content.empty()) session.write(flow_file, [&](OutputStream& out) { out.write(content); });
    return;
  }
  if (size_bytes_ == 0) return;
  session.write(flow_file, [&](OutputStream& out) {
    std::string piece;
    for (std::uint64_t left = size_bytes_; left > 0; left -= piece.size()) {
      piece.resize(std::min(left, piece_bytes));
      if (is_text_) {
        fill_text(piece, context.random());
      } else {
        fill_binary(piece, context.random());
      }
      out.write(piece);
    }
  });
}

void GenerateFlowFile::on_trigger(ProcessContext& context, ProcessSession& session) {
  // Evaluated once: the FlowFiles of one trigger have the same attributes.
  std::vector<flowfile::Attributes::Entry> attributes;
  attributes.reserve(attribute_values_.size());
  for (const auto& [name, value] : attribute_values_)
    attributes.emplace_back(name, value.evaluate());

  std::vector<FlowFile> made;
  made.reserve(batch_size_);
  for (std::uint64_t i = 0; i < batch_size_; ++i) {
    const FlowFile flow_file = session.create();
    if (made.empty() || is_unique_) {
      write_content(context, session, flow_file);
    } else if (made.front().size() > 0) {
      session.share_content(flow_file, made.front(), 0, made.front().size());
    }
    if (!attributes.empty()) session.put_attributes(flow_file, attributes);
    made.push_back(flow_file);
  }
  for (const FlowFile& flow_file : made) session.transfer(flow_file, success);
}

const ProcessorDefinition& generate_flow_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
