#include "processors/flow/log_attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/api/pattern.h"
#include "processors/support/character_set.h"
#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "All FlowFiles, unchanged."};

const PropertyDescriptor log_level{
    .name = "Log Level",
    .description = "The level of the message.",
    .default_value = "info",
    .required = true,
    .allowable_values = {{"trace"}, {"debug"}, {"info"}, {"warn"}, {"error"}}};
const PropertyDescriptor log_payload{
    .name = "Log Payload",
    .description = "Whether the content is logged as well, where it is smaller than 1 MB.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor attributes_to_log{
    .name = "Attributes to Log",
    .description = "Names with commas between; without it all are logged.",
    .validator = validators::non_empty()};
const PropertyDescriptor log_expression{
    .name = "attributes-to-log-regex",
    .display_name = "Attributes to Log by Regular Expression",
    .description = "Only attributes whose whole name matches are logged.",
    .default_value = ".*",
    .validator = validators::regular_expression(),
    .old_names = {"Attributes to Log by Regular Expression",
                  "Attributes to Log Regular Expression"}};
const PropertyDescriptor attributes_to_ignore{
    .name = "Attributes to Ignore",
    .description = "Names with commas between that are not logged.",
    .validator = validators::non_empty()};
const PropertyDescriptor ignore_expression{
    .name = "attributes-to-ignore-regex",
    .display_name = "Attributes to Ignore by Regular Expression",
    .description = "Attributes whose whole name matches are not logged.",
    .validator = validators::regular_expression(),
    .old_names = {"Attributes to Ignore by Regular Expression",
                  "Attributes to Ignore Regular Expression"}};
const PropertyDescriptor log_properties{
    .name = "Log FlowFile Properties",
    .description = "Whether entry date, lineage start date and size are logged.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor output_format{
    .name = "Output Format",
    .description = "One line for each attribute, or all in one line.",
    .default_value = "Line per Attribute",
    .required = true,
    .allowable_values = {{"Line per Attribute"}, {"Single Line"}}};
const PropertyDescriptor log_prefix{
    .name = "Log prefix",
    .description = "Stands in the line above and below, so that messages can be told apart.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"Log Prefix"}};
const PropertyDescriptor character_set{
    .name = "character-set",
    .display_name = "Character Set",
    .description = "The encoding of the content, for Log Payload.",
    .default_value = "UTF-8",
    .required = true,
    .validator = validators::character_set(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"Character Set"}};

constexpr std::uint64_t largest_payload_bytes = 1024 * 1024;

class LogAttribute : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  bool is_logged(const std::string& name) const;
  std::map<std::string, std::string> chosen_attributes(const FlowFile& flow_file) const;
  std::string message(ProcessSession& session, const FlowFile& flow_file) const;

  LogLevel level_ = LogLevel::info;
  bool payload_ = false;
  bool properties_ = true;
  bool single_line_ = false;
  std::vector<std::string> only_;  // empty: all
  std::vector<std::string> ignore_;
  std::optional<Pattern> only_pattern_;
  std::optional<Pattern> ignore_pattern_;
  PropertyValue prefix_;
  PropertyValue character_set_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("LogAttribute");
  definition.summary =
      "Writes the attributes of each FlowFile to the log, and its content if asked.";
  definition.tags = {"attributes", "logging"};
  definition.properties = {
      log_level,         log_payload,    attributes_to_log, log_expression, attributes_to_ignore,
      ignore_expression, log_properties, output_format,     log_prefix,     character_set};
  definition.relationships = {success};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.default_run_duration = std::chrono::milliseconds(25);
  definition.delivery_note =
      "After a crash between message and commit, a FlowFile is logged a second time.";
  definition.example =
      R"({"type": "LogAttribute", "properties": {"Attributes to Log": "filename,path"}})";
  definition.make = [] { return std::make_unique<LogAttribute>(); };
  return definition;
}

LogLevel level_of(const std::string& name) {
  if (name == "trace") return LogLevel::trace;
  if (name == "debug") return LogLevel::debug;
  if (name == "warn") return LogLevel::warn;
  return name == "error" ? LogLevel::error : LogLevel::info;
}

std::optional<Pattern> pattern_of(const PropertyValue& value) {
  if (!value.is_set() || value.text().empty()) return std::nullopt;
  auto compiled = Pattern::compile(value.text());
  if (!compiled) throw ProcessException(compiled.error());
  return *compiled;
}

}  // namespace

void LogAttribute::on_scheduled(ProcessContext& context) {
  level_ = level_of(context.property(log_level).text());
  payload_ = context.property(log_payload).boolean();
  properties_ = context.property(log_properties).boolean();
  single_line_ = context.property(output_format).text() == "Single Line";
  only_ = split_list(context.property(attributes_to_log).text());
  ignore_ = split_list(context.property(attributes_to_ignore).text());
  only_pattern_ = pattern_of(context.property(log_expression));
  ignore_pattern_ = pattern_of(context.property(ignore_expression));
  prefix_ = context.property(log_prefix);
  character_set_ = context.property(character_set);
}

bool LogAttribute::is_logged(const std::string& name) const {
  if (!only_.empty() && std::ranges::find(only_, name) == only_.end()) return false;
  if (only_pattern_ && !only_pattern_->matches(name)) return false;
  if (std::ranges::find(ignore_, name) != ignore_.end()) return false;
  return !ignore_pattern_ || !ignore_pattern_->matches(name);
}

std::map<std::string, std::string> LogAttribute::chosen_attributes(
    const FlowFile& flow_file) const {
  std::map<std::string, std::string> chosen;
  const std::string uuid(attribute::uuid);
  if (is_logged(uuid)) chosen[uuid] = flow_file.uuid();
  for (const auto& [name, value] : flow_file.attributes()) {
    if (is_logged(name)) chosen[name] = value;
  }
  return chosen;
}

std::string LogAttribute::message(ProcessSession& session, const FlowFile& flow_file) const {
  const std::map<std::string, std::string> properties =
      properties_
          ? std::map<std::string, std::string>{{"entryDate", java_date(flow_file.entry_ms())},
                                               {"lineageStartDate",
                                                java_date(flow_file.lineage_start_ms())},
                                               {"fileSize", std::to_string(flow_file.size())}}
          : std::map<std::string, std::string>{};
  std::map<std::string, std::string> attributes = chosen_attributes(flow_file);
  std::string out =
      fmt::format("logging for flow file FlowFile[uuid={},filename={},size={}]\n", flow_file.uuid(),
                  flow_file.attribute("filename").value_or(""), flow_file.size());
  const auto line = [](const auto& pair) {
    return fmt::format("\nKey: '{}'\n\tValue: '{}'", pair.first, pair.second);
  };
  if (single_line_) {
    attributes.insert(properties.begin(), properties.end());
    out += "FlowFile Properties: {";
    for (const auto& [name, value] : attributes) {
      out += fmt::format("{}{}={}", name == attributes.begin()->first ? "" : ", ", name, value);
    }
    out += "}";
  } else {
    const std::string dashes = dashed_line(prefix_.evaluate(flow_file));
    out += dashes;
    if (properties_) {
      out += "\nFlowFile Properties";
      for (const auto* name : {"entryDate", "lineageStartDate", "fileSize"}) {
        out += line(*properties.find(name));
      }
    }
    out += "\nFlowFile Attribute Map Content";
    for (const auto& pair : attributes) out += line(pair);
    out += "\n" + dashes;
  }
  if (payload_) {
    out += flow_file.size() < largest_payload_bytes
               ? "\n" + decode_text(session.read(flow_file)->read_all(),
                                    character_set_.evaluate(flow_file))
               : "\n\n Not including payload since it is larger than one mb.";
  }
  return std::string(trim(out));
}

void LogAttribute::on_trigger(ProcessContext& context, ProcessSession& session) {
  ComponentLog& log = context.log();
  if (!log.enabled(level_)) {
    for (const FlowFile& flow_file : session.get(usual_batch)) session.transfer(flow_file, success);
    return;
  }
  // One a trigger: a message cannot be taken back where a later FlowFile fails.
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  log.write(level_, message(session, flow_file));
  session.transfer(flow_file, success);
}

const ProcessorDefinition& log_attribute() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
