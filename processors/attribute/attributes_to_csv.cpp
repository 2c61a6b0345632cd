#include "processors/attribute/attributes_to_csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/character_set.h"
#include "engine/text/escape.h"
#include "processors/attribute/selected_attributes.h"
#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

using Entry = flowfile::Attributes::Entry;

const Relationship success{.name = "success", .description = "FlowFiles with their CSV."};
const Relationship failure{.name = "failure",
                           .description = "Nothing: every choice of attributes can be written."};

const PropertyDescriptor attribute_list{
    .name = "attribute-list",
    .display_name = "Attribute List",
    .description =
        "Names with commas between, in the order of the columns; a name with a comma stands in "
        "double quotes. Without list and regular expression all attributes are written. A core "
        "attribute named here is always written.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"Attribute List"}};
const PropertyDescriptor attributes_expression{
    .name = "attributes-regex",
    .display_name = "Attributes Regular Expression",
    .description = "Attributes whose whole name matches are written behind those of the list.",
    .validator = validators::regular_expression(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"Attributes Regular Expression"}};
const PropertyDescriptor destination{
    .name = "destination",
    .display_name = "Destination",
    .description = "Where the CSV goes: the attribute CSVData, or the content.",
    .default_value = "flowfile-attribute",
    .required = true,
    .allowable_values = {{"flowfile-attribute"}, {"flowfile-content"}},
    .old_names = {"Destination"}};
const PropertyDescriptor include_core_attributes{
    .name = "include-core-attributes",
    .display_name = "Include Core Attributes",
    .description =
        "Whether path, absolute.path, filename, uuid, priority, mime.type, discard.reason and "
        "alternate.identifier are written, behind the others.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false(),
    .old_names = {"Include Core Attributes"}};
const PropertyDescriptor null_value{
    .name = "null-value",
    .display_name = "Null Value",
    .description = "Whether a listed attribute that is missing or empty is written as null.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false(),
    .old_names = {"Null Value"}};
const PropertyDescriptor include_schema{
    .name = "include-schema",
    .display_name = "Include Schema",
    .description =
        "Whether the names are written too: as the attribute CSVSchema, or as the first line.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false(),
    .old_names = {"Include Schema"}};

const std::string data_attribute = "CSVData";
const std::string schema_attribute = "CSVSchema";

class AttributesToCSV : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  SelectedAttributes select(const FlowFile& flow_file) const;
  void add_core_attributes(const FlowFile& flow_file, SelectedAttributes& selected) const;
  void write(ProcessSession& session, const FlowFile& flow_file) const;

  PropertyValue list_;
  PropertyValue expression_;
  std::optional<Pattern> pattern_;  // where it has no expression
  bool to_content_ = false;
  bool with_core_ = true;
  bool with_schema_ = false;
  std::string_view missing_;  // what is written for an attribute without value
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("AttributesToCSV");
  definition.summary = "Writes the attributes as one line of CSV, to an attribute or as content.";
  definition.tags = {"csv", "attributes", "flowfile"};
  definition.properties = {attribute_list, attributes_expression,
                           destination,    include_core_attributes,
                           null_value,     include_schema};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {data_attribute, "The values, where Destination is the attribute."},
      {schema_attribute, "The names, where Include Schema is true as well."},
      {"mime.type", "text/csv, where Destination is the content."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The CSV appears with the commit; a crash before it leaves no trace.";
  definition.example =
      R"({"type": "AttributesToCSV", "properties": {"attribute-list": "filename,fileSize"}})";
  definition.make = [] { return std::make_unique<AttributesToCSV>(); };
  return definition;
}

// Splits at commas outside of double quotes: those with an even number of quotes behind them.
std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> names;
  if (trim(list).empty()) return names;
  std::vector<std::size_t> commas;
  std::size_t quotes = 0;
  for (std::size_t at = list.size(); at-- > 0;) {
    if (list[at] == '"') ++quotes;
    if (list[at] == ',' && quotes % 2 == 0) commas.push_back(at);
  }
  std::ranges::reverse(commas);
  commas.push_back(list.size());
  std::size_t begin = 0, last_text = 0;
  for (const std::size_t end : commas) {
    const std::string_view part = list.substr(begin, end - begin);
    text::unescape_csv(trim(part), names.emplace_back());
    if (!part.empty()) last_text = names.size();
    begin = end + 1;
  }
  names.resize(last_text);  // Java's split leaves empty parts at the end away
  return names;
}

Pattern compile(const std::string& expression) {
  auto compiled = Pattern::compile(expression);
  if (!compiled) {
    throw ProcessException(
        fmt::format("{} \"{}\": {}", attributes_expression.name, expression, compiled.error()));
  }
  return *std::move(compiled);
}

}  // namespace

void AttributesToCSV::on_scheduled(ProcessContext& context) {
  list_ = context.property(attribute_list);
  expression_ = context.property(attributes_expression);
  pattern_.reset();
  if (expression_.is_set() && !expression_.has_expression()) pattern_ = compile(expression_.text());
  to_content_ = context.property(destination).text() == "flowfile-content";
  with_core_ = context.property(include_core_attributes).boolean();
  with_schema_ = context.property(include_schema).boolean();
  missing_ = context.property(null_value).boolean() ? "null" : "";
}

void AttributesToCSV::add_core_attributes(const FlowFile& flow_file,
                                          SelectedAttributes& selected) const {
  for (const std::string_view name : core_attributes) {
    const auto value = flow_file.attribute(name);
    if (value) selected.put(name, value->empty() ? missing_ : std::string_view(*value));
  }
}

SelectedAttributes AttributesToCSV::select(const FlowFile& flow_file) const {
  SelectedAttributes selected;
  const std::vector<std::string> names = names_of(list_.evaluate(flow_file));
  for (const std::string& name : names) {
    const auto value = flow_file.attribute(name);
    selected.put(name, value && !value->empty() ? std::string_view(*value) : missing_);
  }
  std::optional<Pattern> own;
  if (expression_.has_expression()) own = compile(expression_.evaluate(flow_file));
  const Pattern* pattern = own ? &*own : pattern_ ? &*pattern_ : nullptr;
  if (pattern || names.empty()) selected.put_all(flow_file, pattern);
  if (with_core_) {
    add_core_attributes(flow_file, selected);
  } else {
    selected.remove_if([&](const std::string& name) {
      return is_core_attribute(name) && std::ranges::find(names, name) == names.end();
    });
  }
  return selected;
}

void AttributesToCSV::write(ProcessSession& session, const FlowFile& flow_file) const {
  const SelectedAttributes selected = select(flow_file);
  std::string data, schema;
  for (const auto& one : selected.all()) {
    const bool is_first = &one == &selected.all().front();
    if (!is_first) data += ',';
    text::escape_csv(one.value, data);
    if (!with_schema_) continue;
    if (!is_first) schema += ',';
    text::escape_csv(one.name, schema);
  }
  if (to_content_) {
    if (with_schema_) schema += '\n';
    const std::string content = text::repair_utf8(schema + data);
    session.write(flow_file, [&](OutputStream& out) { out.write(content); });
    session.put_attribute(flow_file, attribute::mime_type, "text/csv");
  } else {
    std::vector<Entry> entries = {{data_attribute, std::move(data)}};
    if (with_schema_) entries.emplace_back(schema_attribute, std::move(schema));
    session.put_attributes(flow_file, entries);
  }
  session.transfer(flow_file, success);
}

void AttributesToCSV::on_trigger(ProcessContext&, ProcessSession& session) {
  handle_queued(session, usual_batch,
                [&](const FlowFile& flow_file) { write(session, flow_file); });
}

const ProcessorDefinition& attributes_to_csv() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
