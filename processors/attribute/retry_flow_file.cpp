#include "processors/attribute/retry_flow_file.h"

#include "engine/api/units.h"
#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

const Relationship retry{.name = "retry",
                         .description =
                             "FlowFiles below the limit: lead it back to the processor to try "
                             "again."};
const Relationship retries_exceeded{
    .name = "retries_exceeded",
    .description = "FlowFiles that came by too often, without the counter's attributes."};
const Relationship failure{
    .name = "failure",
    .description =
        "FlowFiles whose counter is no number or another processor's, where that is not allowed, "
        "and those whose limit is no number.",
    .auto_terminated_by_default = true};

const PropertyDescriptor retry_attribute{
    .name = "retry-attribute",
    .display_name = "Retry Attribute",
    .description =
        "The attribute that counts. The attribute of this name with .uuid behind says which "
        "processor counted last.",
    .default_value = "flowfile.retries",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::environment,
    .old_names = {"Retry Attribute"}};
const PropertyDescriptor maximum_retries{.name = "maximum-retries",
                                         .display_name = "Maximum Retries",
                                         .description = "How often a FlowFile may be tried again.",
                                         .default_value = "3",
                                         .required = true,
                                         .validator = validators::integer(1, INT32_MAX),
                                         .expression_scope = ExpressionScope::flow_file_attributes,
                                         .old_names = {"Maximum Retries"}};
const PropertyDescriptor penalize_retries{
    .name = "penalize-retries",
    .display_name = "Penalize Retries",
    .description = "Whether FlowFiles sent to \"retry\" are penalized.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false(),
    .old_names = {"Penalize Retries"}};
const PropertyDescriptor fail_on_overwrite{
    .name = "Fail on Non-numerical Overwrite",
    .description =
        "Whether a FlowFile whose counter is no number fails. Otherwise it is counted from 1.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor reuse_mode{
    .name = "reuse-mode",
    .display_name = "Reuse Mode",
    .description = "What happens to a FlowFile that another processor has counted.",
    .default_value = "fail",
    .required = true,
    .allowable_values = {{"fail", "Fail on Reuse", "It fails, whatever its count is."},
                         {"warn", "Warn on Reuse", "It is counted from 1, with a warning."},
                         {"reset", "Reset Reuse", "It is counted from 1."}},
    .old_names = {"Reuse Mode"}};

class RetryFlowFile : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  // How often the FlowFile has come by, with this time; nullopt: it fails.
  std::optional<std::int64_t> count(ProcessContext& context, const FlowFile& flow_file) const;
  void give_up(ProcessSession& session, const FlowFile& flow_file) const;

  std::string counter_;
  std::string counted_by_;
  PropertyValue maximum_;
  bool penalizes_ = true;
  bool fails_on_overwrite_ = false;
  bool fails_on_reuse_ = true;
  LogLevel reuse_level_ = LogLevel::debug;
  std::vector<std::pair<std::string, PropertyValue>> exceeded_attributes_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("RetryFlowFile");
  definition.summary =
      "Counts in an attribute how often a FlowFile came by, sends it to \"retry\" until a limit "
      "and to \"retries_exceeded\" then.";
  definition.tags = {"Retry", "FlowFile"};
  definition.properties = {retry_attribute, maximum_retries, penalize_retries, fail_on_overwrite,
                           reuse_mode};
  definition.dynamic_properties = {
      .name = "name of an attribute",
      .value = "its value",
      .description = "Set on FlowFiles sent to \"retries_exceeded\", where it is not blank.",
      .expression_scope = ExpressionScope::flow_file_attributes};
  definition.dynamic_property_validator = validators::non_empty();
  definition.relationships = {failure, retries_exceeded, retry};
  definition.reads_attributes = {{"the Retry Attribute", "The count so far."}};
  definition.writes_attributes = {
      {"the Retry Attribute", "The count, on FlowFiles sent to \"retry\"."},
      {"the Retry Attribute with .uuid behind", "The identifier of this processor."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The count changes with the commit: no pass is counted twice.";
  definition.example = R"({"type": "RetryFlowFile", "properties": {"maximum-retries": "5"}})";
  definition.make = [] { return std::make_unique<RetryFlowFile>(); };
  return definition;
}

}  // namespace

void RetryFlowFile::on_scheduled(ProcessContext& context) {
  counter_ = context.property(retry_attribute).evaluate();
  if (counter_.empty()) throw ProcessException("Retry Attribute gives an empty name");
  counted_by_ = counter_ + ".uuid";
  maximum_ = context.property(maximum_retries);
  penalizes_ = context.property(penalize_retries).boolean();
  fails_on_overwrite_ = context.property(fail_on_overwrite).boolean();
  const std::string& mode = context.property(reuse_mode).text();
  fails_on_reuse_ = mode == "fail";
  reuse_level_ = mode == "warn" ? LogLevel::warn : LogLevel::debug;
  exceeded_attributes_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    exceeded_attributes_.emplace_back(name, context.property(std::string_view(name)));
  }
}

std::optional<std::int64_t> RetryFlowFile::count(ProcessContext& context,
                                                 const FlowFile& flow_file) const {
  std::int64_t count = 1;
  if (const std::string* text = flow_file.find_attribute(counter_)) {
    if (const auto before = parse_integer(trim(*text), INT32_MIN, INT32_MAX)) {
      count = *before + 1;
    } else if (fails_on_overwrite_) {
      context.log().error("{} has \"{}\" as {}, which is no number", flow_file.uuid(), *text,
                          counter_);
      return std::nullopt;
    }
  }
  const std::string* by = flow_file.find_attribute(counted_by_);
  if (by == nullptr || trim(*by).empty() || *by == context.component_id()) return count;
  if (fails_on_reuse_) {
    context.log().error("{} was counted in {} by another processor, {}", flow_file.uuid(), counter_,
                        *by);
    return std::nullopt;
  }
  context.log().log(reuse_level_,
                    "{} was counted in {} by another processor, {}: it is counted from 1 here",
                    flow_file.uuid(), counter_, *by);
  return 1;
}

void RetryFlowFile::give_up(ProcessSession& session, const FlowFile& flow_file) const {
  std::vector<flowfile::Attributes::Entry> set;
  for (const auto& [name, value] : exceeded_attributes_) {
    std::string text = value.evaluate(flow_file);
    if (!trim(text).empty()) set.emplace_back(name, std::move(text));
  }
  if (!set.empty()) session.put_attributes(flow_file, set);
  const std::string counters[] = {counter_, counted_by_};
  session.remove_attributes(flow_file, counters);
  session.transfer(flow_file, retries_exceeded);
}

void RetryFlowFile::on_trigger(ProcessContext& context, ProcessSession& session) {
  handle_queued(session, usual_batch, [&](const FlowFile& flow_file) {
    const std::optional<std::int64_t> counted = count(context, flow_file);
    if (!counted) return session.transfer(flow_file, failure);
    const std::string limit_text = maximum_.evaluate(flow_file);
    const auto limit = parse_integer(trim(limit_text), INT32_MIN, INT32_MAX);
    if (!limit) {
      context.log().warn("{}: Maximum Retries is \"{}\", which is no number", flow_file.uuid(),
                         limit_text);
      return session.transfer(flow_file, failure);
    }
    if (*counted > *limit) return give_up(session, flow_file);
    if (penalizes_) session.penalize(flow_file);
    const flowfile::Attributes::Entry counters[] = {{counter_, std::to_string(*counted)},
                                                    {counted_by_, context.component_id()}};
    session.put_attributes(flow_file, counters);
    session.transfer(flow_file, retry);
  });
}

const ProcessorDefinition& retry_flow_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
