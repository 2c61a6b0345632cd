#include "processors/attribute/log_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "All FlowFiles, unchanged."};

const PropertyDescriptor log_level{.name = "log-level",
                                   .display_name = "Log Level",
                                   .description = "trace, debug, info, warn or error.",
                                   .default_value = "info",
                                   .required = true,
                                   .validator = validators::non_empty(),
                                   .expression_scope = ExpressionScope::flow_file_attributes,
                                   .old_names = {"Log Level"}};
const PropertyDescriptor log_prefix{
    .name = "log-prefix",
    .display_name = "Log prefix",
    .description = "Stands directly before the message, so that messages can be told apart.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"Log prefix", "Log Prefix"}};
const PropertyDescriptor log_message_text{.name = "log-message",
                                          .display_name = "Log message",
                                          .description = "The message.",
                                          .validator = validators::non_empty(),
                                          .expression_scope = ExpressionScope::flow_file_attributes,
                                          .old_names = {"Log message", "Log Message"}};

class LogMessage : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::string message(const FlowFile& flow_file) const;

  PropertyValue level_;
  PropertyValue prefix_;
  PropertyValue message_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("LogMessage");
  definition.summary = "Writes a message to the log for each FlowFile.";
  definition.tags = {"attributes", "logging"};
  definition.properties = {log_level, log_prefix, log_message_text};
  definition.relationships = {success};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.default_run_duration = std::chrono::milliseconds(25);
  definition.delivery_note =
      "After a crash between message and commit, a FlowFile is logged a second time.";
  definition.example =
      R"({"type": "LogMessage", "properties": {"log-message": "${filename} came"}})";
  definition.make = [] { return std::make_unique<LogMessage>(); };
  return definition;
}

LogLevel level_of(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (name == "trace") return LogLevel::trace;
  if (name == "debug") return LogLevel::debug;
  if (name == "info") return LogLevel::info;
  if (name == "warn") return LogLevel::warn;
  if (name == "error") return LogLevel::error;
  throw ProcessException(fmt::format("{} is \"{}\" instead of trace, debug, info, warn or error",
                                     log_level.name, name));
}

}  // namespace

void LogMessage::on_scheduled(ProcessContext& context) {
  level_ = context.property(log_level);
  prefix_ = context.property(log_prefix);
  message_ = context.property(log_message_text);
}

std::string LogMessage::message(const FlowFile& flow_file) const {
  // Without a message NiFi's log shows Java's "null".
  std::string text = message_.is_set() ? message_.evaluate(flow_file) : "null";
  if (const std::string prefix = prefix_.evaluate(flow_file); !trim(prefix).empty()) {
    text.insert(0, prefix);
  }
  return text;
}

void LogMessage::on_trigger(ProcessContext& context, ProcessSession& session) {
  ComponentLog& log = context.log();
  if (!level_.has_expression() && !log.enabled(level_of(level_.text()))) {
    for (const FlowFile& flow_file : session.get(usual_batch)) session.transfer(flow_file, success);
    return;
  }
  // One a trigger: a message cannot be taken back where a later FlowFile fails.
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const LogLevel level = level_of(level_.evaluate(flow_file));
  if (log.enabled(level)) log.write(level, message(flow_file));
  session.transfer(flow_file, success);
}

const ProcessorDefinition& log_message() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
