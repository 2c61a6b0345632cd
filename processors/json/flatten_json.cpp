#include "processors/json/flatten_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/json/write.h"
#include "engine/text/character_set.h"
#include "engine/text/utf16.h"
#include "processors/json/json_content.h"
#include "processors/json/json_flattener.h"
#include "processors/support/declare.h"
#include "processors/support/failure.h"

namespace weir::processors {
namespace {

const Relationship failure{.name = "failure",
                           .description = "The content cannot be flattened or unflattened."};
const Relationship success{.name = "success",
                           .description = "The content was flattened or unflattened."};

// The first character of a text: what the separator is.
std::string first_character(std::string_view text) {
  std::size_t end = 0;
  text::next_code_point(text, end);
  return std::string(text.substr(0, end));
}

std::optional<std::string> check_separator(std::string_view value) {
  if (value.empty() || first_character(value) != value) return "must be one character";
  if (value == "\"" || value == "\\" || static_cast<unsigned char>(value[0]) < 0x20) {
    return "must be a character that JSON takes in a name as it is";
  }
  return std::nullopt;
}

const PropertyDescriptor separator{
    .name = "flatten-json-separator",
    .display_name = "Separator",
    .description = "The character between the parts of a flattened name.",
    .default_value = ".",
    .validator = check_separator,
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor flatten_mode{
    .name = "flatten-mode",
    .display_name = "Flatten Mode",
    .description = "What becomes of arrays.",
    .default_value = "keep arrays",
    .required = true,
    .allowable_values = {{"normal", "normal", "Items become members: a[0]."},
                         {"keep arrays", "keep arrays",
                          "Arrays stay; objects within them are flattened on their own."},
                         {"dot notation", "dot notation",
                          "Items become members with the separator: a.0, as MongoDB writes it."},
                         {"keep primitive arrays", "keep primitive arrays",
                          "Arrays without objects and arrays in them stay."}}};
const PropertyDescriptor ignore_reserved_characters{
    .name = "ignore-reserved-characters",
    .display_name = "Ignore Reserved Characters",
    .description =
        "Whether names that contain the separator or a bracket stay as they are, rather than "
        "being put in brackets and quotes.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor return_type{.name = "flatten-json-return-type",
                                     .display_name = "Return Type",
                                     .description = "The direction.",
                                     .default_value = "flatten",
                                     .required = true,
                                     .allowable_values = {{"flatten"}, {"unflatten"}}};
const PropertyDescriptor character_set{.name = "flatten-json-character-set",
                                       .display_name = "Character Set",
                                       .description = "Of the content, before and after.",
                                       .default_value = "UTF-8",
                                       .required = true,
                                       .validator = validators::character_set()};
const PropertyDescriptor pretty_print{.name = "flatten-json-pretty-print-json",
                                      .display_name = "Pretty Print JSON",
                                      .description = "Whether the result has line breaks.",
                                      .default_value = "false",
                                      .required = true,
                                      .allowable_values = true_or_false()};

class FlattenJson : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::expected<void, std::string> transform(ProcessSession& session, const FlowFile& flow_file,
                                             const FlattenRules& rules, JsonScratch& scratch);

  PropertyValue separator_;
  FlattenRules rules_;  // without the separator
  bool to_flat_ = true;
  bool is_pretty_ = false;
  const text::CharacterSet* character_set_ = nullptr;
  JsonScratchPool scratches_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("FlattenJson");
  definition.summary =
      "Flattens nested JSON into one level of names and values, or turns such JSON back into "
      "nested one. An array at the top is flattened item by item where arrays are kept.";
  definition.tags = {"json", "flatten", "unflatten"};
  definition.properties = {separator,   flatten_mode,  ignore_reserved_characters,
                           return_type, character_set, pretty_print};
  definition.relationships = {failure, success};
  definition.writes_attributes = {{"flattenJson.error", "Why a FlowFile went to failure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The content changes and the FlowFile moves with one commit.";
  definition.example = R"({"type": "FlattenJson", "properties": {"flatten-json-separator": "_"}})";
  definition.make = [] { return std::make_unique<FlattenJson>(); };
  return definition;
}

}  // namespace

void FlattenJson::on_scheduled(ProcessContext& context) {
  separator_ = context.property(separator);
  const std::string& mode = context.property(flatten_mode).text();
  rules_.mode = mode == "normal"         ? FlattenMode::normal
                : mode == "dot notation" ? FlattenMode::dot_notation
                : mode == "keep arrays"  ? FlattenMode::keep_arrays
                                         : FlattenMode::keep_primitive_arrays;
  rules_.ignore_reserved_characters = context.property(ignore_reserved_characters).boolean();
  to_flat_ = context.property(return_type).text() == "flatten";
  is_pretty_ = context.property(pretty_print).boolean();
  const std::string& name = context.property(character_set).text();
  character_set_ = text::CharacterSet::find(name);
  if (!character_set_) throw ProcessException(fmt::format("no character set {}", name));
}

std::expected<void, std::string> FlattenJson::transform(ProcessSession& session,
                                                        const FlowFile& flow_file,
                                                        const FlattenRules& rules,
                                                        JsonScratch& scratch) {
  if (auto read = read_content(session, flow_file, scratch.content); !read) return read;
  const bool is_utf8 = character_set_->form() == text::CharacterSet::Form::utf8;
  if (!is_utf8) scratch.content = text::decode(scratch.content, *character_set_);
  const bool is_blank = scratch.content.find_first_not_of(" \t\r\n") == std::string::npos;
  scratch.text.clear();
  if (is_blank) {
    // No document: flattened it is null, unflattened still nothing.
    if (to_flat_) scratch.text = "null";
  } else {
    scratch.arena.clear();
    const auto root = json::parse(scratch.content, scratch.arena);
    if (!root) return std::unexpected(root.error().describe());
    const auto made =
        to_flat_ ? flatten(*root, rules, scratch.arena) : unflatten(*root, rules, scratch.arena);
    if (!made) return std::unexpected(made.error());
    if (to_flat_) {
      write_escaped(*made, scratch.text);
    } else {
      json::write(*made, scratch.text);
    }
    if (is_pretty_) scratch.text = pretty_printed(scratch.text);
  }
  if (!is_utf8) scratch.text = text::encode(scratch.text, *character_set_);
  session.write(flow_file, [&](OutputStream& out) { out.write(scratch.text); });
  return {};
}

void FlattenJson::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  FlattenRules rules = rules_;
  rules.separator = first_character(separator_.evaluate(flow_file));
  if (rules.separator.empty()) throw ProcessException("the separator is empty");
  const auto scratch = scratches_.take();
  std::expected<void, std::string> done;
  if (std::string_view("\" \t\r\n\f\v[]").contains(rules.separator)) {
    done = std::unexpected(fmt::format("the separator '{}' is not possible", rules.separator));
  } else {
    done = transform(session, flow_file, rules, *scratch);
  }
  if (!done) {
    return fail(context, session, flow_file, failure, "flattenJson.error", done.error());
  }
  session.transfer(flow_file, success);
}

const ProcessorDefinition& flatten_json() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
