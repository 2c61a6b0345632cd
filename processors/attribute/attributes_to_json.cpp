#include "processors/attribute/attributes_to_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/json/parse.h"
#include "engine/json/write.h"
#include "engine/text/character_set.h"
#include "processors/attribute/selected_attributes.h"
#include "processors/support/declare.h"
#include "processors/support/failure.h"
#include "processors/support/handle_queued.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "FlowFiles with their JSON."};
const Relationship failure{
    .name = "failure",
    .description =
        "With the strategy Nested: an attribute in braces or brackets is no JSON. The attribute "
        "attributesToJSON.error says which."};

const PropertyDescriptor attributes_list{
    .name = "Attributes List",
    .description =
        "Names with commas between. Without list and regular expression all attributes are "
        "written. A core attribute named here is always written.",
    .validator = validators::non_empty()};
const PropertyDescriptor attributes_expression{
    .name = "attributes-to-json-regex",
    .display_name = "Attributes Regular Expression",
    .description = "Attributes whose whole name matches are written beside those of the list.",
    .validator = validators::regular_expression(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"Attributes Regular Expression"}};
const PropertyDescriptor destination{
    .name = "Destination",
    .description = "Where the JSON goes: the attribute JSONAttributes, or the content.",
    .default_value = "flowfile-attribute",
    .required = true,
    .allowable_values = {{"flowfile-attribute"}, {"flowfile-content"}}};
const PropertyDescriptor include_core_attributes{
    .name = "Include Core Attributes",
    .description =
        "Where all attributes are written: whether path, absolute.path, filename, uuid, priority, "
        "mime.type, discard.reason and alternate.identifier are among them.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor null_value{
    .name = "Null Value",
    .description = "Whether a listed attribute that is missing is null; otherwise it is \"\".",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor handling_strategy{
    .name = "JSON Handling Strategy",
    .description = "How an attribute is written whose value is JSON itself.",
    .default_value = "ESCAPED",
    .required = true,
    .allowable_values = {
        {"ESCAPED", "Escaped", "As a text, like any other."},
        {"NESTED", "Nested", "A value in braces or brackets as an object or array."}}};
const PropertyDescriptor pretty_print{
    .name = "Pretty Print",
    .description = "Whether the JSON has line breaks and indentation.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false(),
    .depends_on = {{"Destination", {"flowfile-content"}}}};

class AttributesToJSON : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  SelectedAttributes select(const FlowFile& flow_file) const;
  std::expected<json::Value, std::string> value_of(const SelectedAttributes::Selected& attribute,
                                                   json::Arena& arena) const;
  // The whole object as text, or why there is none.
  std::expected<std::string, std::string> to_text(const FlowFile& flow_file,
                                                  json::Arena& arena) const;
  void convert(ProcessContext& context, ProcessSession& session, const FlowFile& flow_file,
               json::Arena& arena) const;

  std::vector<std::string> names_;
  std::optional<Pattern> pattern_;
  bool to_content_ = false;
  bool with_core_ = true;
  bool missing_is_null_ = false;
  bool nests_ = false;
  json::WriteOptions layout_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("AttributesToJSON");
  definition.summary = "Writes the attributes as a JSON object, to an attribute or as content.";
  definition.tags = {"json", "attributes", "flowfile"};
  definition.properties = {
      attributes_list, attributes_expression, destination, include_core_attributes,
      null_value,      handling_strategy,     pretty_print};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {"JSONAttributes", "The JSON, where Destination is the attribute."},
      {"mime.type", "application/json, where Destination is the content."},
      {"attributesToJSON.error", "Why the FlowFile went to \"failure\"."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The JSON appears with the commit; a crash before it leaves no trace.";
  definition.example =
      R"({"type": "AttributesToJSON", "properties": {"Destination": "flowfile-content"}})";
  definition.make = [] { return std::make_unique<AttributesToJSON>(); };
  return definition;
}

// What may be JSON that is worth to be nested.
bool looks_nested(std::string_view text) {
  return (text.starts_with('{') && text.ends_with('}')) ||
         (text.starts_with('[') && text.ends_with(']'));
}

}  // namespace

void AttributesToJSON::on_scheduled(ProcessContext& context) {
  names_ = split_list(context.property(attributes_list).text());
  pattern_.reset();
  if (const PropertyValue value = context.property(attributes_expression); value.is_set()) {
    const std::string expression = value.evaluate();
    auto compiled = Pattern::compile(expression);
    if (!compiled) {
      throw ProcessException(fmt::format("{} \"{}\": {}", attributes_expression.display_name,
                                         expression, compiled.error()));
    }
    pattern_ = *std::move(compiled);
  }
  to_content_ = context.property(destination).text() == "flowfile-content";
  with_core_ = context.property(include_core_attributes).boolean();
  missing_is_null_ = context.property(null_value).boolean();
  nests_ = context.property(handling_strategy).text() == "NESTED";
  const bool is_pretty = to_content_ && context.property(pretty_print).boolean();
  layout_.layout = is_pretty ? json::Layout::pretty : json::Layout::compact;
}

SelectedAttributes AttributesToJSON::select(const FlowFile& flow_file) const {
  SelectedAttributes selected;
  if (names_.empty() && !pattern_) {
    selected.put_all(flow_file, nullptr);
    if (!with_core_) selected.remove_if(is_core_attribute);
    return selected;
  }
  for (const std::string& name : names_) {
    const auto value = flow_file.attribute(name);
    selected.put(name, value.value_or(""), !value && missing_is_null_);
  }
  if (pattern_) selected.put_all(flow_file, &*pattern_);
  return selected;
}

std::expected<json::Value, std::string> AttributesToJSON::value_of(
    const SelectedAttributes::Selected& attribute, json::Arena& arena) const {
  if (attribute.is_null) return json::Value();
  const std::string_view trimmed = trim(attribute.value);
  if (!nests_ || !looks_nested(trimmed)) return json::Value::string(attribute.value);
  const auto parsed = json::parse(trimmed, arena);
  if (parsed) return *parsed;
  return std::unexpected(
      fmt::format("attribute {} is no JSON: {}", attribute.name, parsed.error().describe()));
}

std::expected<std::string, std::string> AttributesToJSON::to_text(const FlowFile& flow_file,
                                                                  json::Arena& arena) const {
  const SelectedAttributes selected = select(flow_file);
  arena.clear();
  json::Value object = json::Value::object(arena, selected.all().size());
  for (const SelectedAttributes::Selected& attribute : selected.all()) {
    const auto value = value_of(attribute, arena);
    if (!value) return std::unexpected(value.error());
    object.set(arena, attribute.name, *value);
  }
  std::string text;
  json::write(object, text, layout_);
  // Attributes may hold any bytes, JSON may not.
  return text::is_valid_utf8(text) ? text : text::repair_utf8(text);
}

void AttributesToJSON::convert(ProcessContext& context, ProcessSession& session,
                               const FlowFile& flow_file, json::Arena& arena) const {
  const auto text = to_text(flow_file, arena);
  if (!text) {
    return fail(context, session, flow_file, failure, "attributesToJSON.error", text.error());
  }
  if (to_content_) {
    session.write(flow_file, [&](OutputStream& out) { out.write(*text); });
    session.put_attribute(flow_file, attribute::mime_type, "application/json");
  } else {
    session.put_attribute(flow_file, "JSONAttributes", *text);
  }
  session.transfer(flow_file, success);
}

void AttributesToJSON::on_trigger(ProcessContext& context, ProcessSession& session) {
  json::Arena arena;
  handle_queued(session, usual_batch,
                [&](const FlowFile& flow_file) { convert(context, session, flow_file, arena); });
}

const ProcessorDefinition& attributes_to_json() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
