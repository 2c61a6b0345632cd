#include "processors/json/evaluate_json_path.h"

#include <fmt/format.h>

#include "processors/json/json_content.h"
#include "processors/support/declare.h"
#include "processors/support/failure.h"
#include "processors/support/handle_queued.h"

namespace weir::processors {
namespace {

const Relationship failure{
    .name = "failure",
    .description = "The content is no JSON, or a result is no scalar where one is asked for."};
const Relationship matched{.name = "matched",
                           .description = "The paths were evaluated and their results written."};
const Relationship unmatched{
    .name = "unmatched",
    .description = "The path for the content finds nothing; the content stays as it is."};

constexpr std::string_view to_content = "flowfile-content";
constexpr std::string_view to_attributes = "flowfile-attribute";

const PropertyDescriptor destination{
    .name = "Destination",
    .description =
        "Where results go: into one attribute for each path, or, with exactly one path, into "
        "the content.",
    .default_value = std::string(to_content),
    .required = true,
    .allowable_values = {{std::string(to_content)}, {std::string(to_attributes)}}};
const PropertyDescriptor return_type{
    .name = "Return Type",
    .description =
        "Whether a result must be a scalar, or may be any JSON. auto-detect: scalars for "
        "attributes, anything for the content.",
    .default_value = "auto-detect",
    .required = true,
    .allowable_values = {{"auto-detect"}, {"json"}, {"scalar"}}};
const PropertyDescriptor path_not_found{
    .name = "Path Not Found Behavior",
    .description = "What happens to an attribute whose path finds nothing.",
    .default_value = "ignore",
    .required = true,
    .allowable_values = {{"warn", "warn", "Set it to an empty text and log a warning."},
                         {"ignore", "ignore", "Set it to an empty text."},
                         {"skip", "skip",
                          "Leave it as it is, so that a missing element, null and "
                          "an empty text can be told apart."}},
    .depends_on = {{"Destination", {std::string(to_attributes)}}}};

class EvaluateJsonPath : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  enum class NotFound { warn, ignore, skip };
  struct Path {
    std::string attribute;
    json::JsonPath path;
  };

  void handle(ProcessContext& context, ProcessSession& session, const FlowFile& flow_file,
              JsonScratch& scratch);
  // Appends the result of a path to `out`. False: nothing was found. The error says why the
  // FlowFile fails.
  std::expected<bool, std::string> evaluate(const Path& path, const json::Value& root,
                                            JsonScratch& scratch, std::string& out) const;
  std::expected<void, std::string> set_attributes(ProcessContext& context, ProcessSession& session,
                                                  const FlowFile& flow_file,
                                                  const json::Value& root, JsonScratch& scratch);

  std::vector<Path> paths_;
  bool is_to_content_ = true;
  bool scalars_only_ = false;
  NotFound not_found_ = NotFound::ignore;
  std::string null_text_;
  json::ParseOptions options_;
  JsonScratchPool scratches_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("EvaluateJsonPath");
  definition.summary =
      "Evaluates JSONPaths over a JSON content and writes what they find into attributes, or one "
      "of them into the content. Strings are written without quotes.";
  definition.tags = {"JSON", "evaluate", "JsonPath"};
  definition.properties = {destination, return_type, path_not_found, null_value_representation(),
                           max_string_length()};
  definition.dynamic_properties = {
      .name = "the attribute's name",
      .value = "a JSONPath",
      .description =
          "What the path finds becomes the attribute. With the content as destination "
          "the name does not matter."};
  definition.dynamic_property_validator = json_path_validator();
  definition.relationships = {failure, matched, unmatched};
  definition.writes_attributes = {{"evaluateJsonPath.error", "Why a FlowFile went to failure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "Attributes or content change and the FlowFile moves with one commit, or nothing happens.";
  definition.example =
      R"({"type": "EvaluateJsonPath", "properties": {"Destination": "flowfile-attribute", "city": "$.address.city"}})";
  definition.make = [] { return std::make_unique<EvaluateJsonPath>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> EvaluateJsonPath::custom_validate(
    const PropertyContext& context) const {
  if (context.property(destination).text() == to_content &&
      context.dynamic_properties().size() != 1) {
    return {{"JsonPaths", "exactly one path is needed where the destination is the content"}};
  }
  return {};
}

void EvaluateJsonPath::on_scheduled(ProcessContext& context) {
  paths_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    paths_.push_back({name, compile_path(context.property(name).text())});
  }
  is_to_content_ = context.property(destination).text() == to_content;
  const std::string& type = context.property(return_type).text();
  scalars_only_ = type == "scalar" || (type == "auto-detect" && !is_to_content_);
  const std::string& behavior = context.property(path_not_found).text();
  not_found_ = behavior == "warn"   ? NotFound::warn
               : behavior == "skip" ? NotFound::skip
                                    : NotFound::ignore;
  null_text_ = null_text(context);
  options_ = parse_options(context);
}

std::expected<bool, std::string> EvaluateJsonPath::evaluate(const Path& path,
                                                            const json::Value& root,
                                                            JsonScratch& scratch,
                                                            std::string& out) const {
  const auto result = path.path.read(root, scratch.arena);
  if (!result) {
    const json::EvaluationError& error = result.error();
    if (error.reason == json::EvaluationError::Reason::not_found) return false;
    const std::string message = fmt::format("{}: {}", path.path.text(), error.message);
    if (error.reason == json::EvaluationError::Reason::limit) return std::unexpected(message);
    throw ProcessException(message);
  }
  if (scalars_only_ && result->is_container()) {
    return std::unexpected(fmt::format("{} finds {}, no scalar", path.path.text(),
                                       result->is_array() ? "an array" : "an object"));
  }
  append_result(*result, null_text_, out);
  return true;
}

std::expected<void, std::string> EvaluateJsonPath::set_attributes(ProcessContext& context,
                                                                  ProcessSession& session,
                                                                  const FlowFile& flow_file,
                                                                  const json::Value& root,
                                                                  JsonScratch& scratch) {
  scratch.attributes.resize(paths_.size());
  std::size_t count = 0;
  for (const Path& path : paths_) {
    auto& [name, value] = scratch.attributes[count];
    value.clear();
    const auto is_found = evaluate(path, root, scratch, value);
    if (!is_found) return std::unexpected(is_found.error());
    if (!*is_found && not_found_ == NotFound::warn) {
      context.log().warn("{} finds nothing in {} for attribute {}", path.path.text(),
                         flow_file.uuid(), path.attribute);
    }
    if (!*is_found && not_found_ == NotFound::skip) continue;
    if (path.attribute == attribute::uuid) continue;  // no processor can change it
    name = path.attribute;
    ++count;
  }
  session.put_attributes(flow_file, std::span(scratch.attributes).first(count));
  return {};
}

void EvaluateJsonPath::handle(ProcessContext& context, ProcessSession& session,
                              const FlowFile& flow_file, JsonScratch& scratch) {
  const auto fails = [&](std::string_view reason) {
    fail(context, session, flow_file, failure, "evaluateJsonPath.error", reason);
  };
  const auto root = read_json(session, flow_file, scratch, options_);
  if (!root) return fails(root.error());
  // As in NiFi, where null is no document that a path could be asked of.
  if (root->is_null()) throw ProcessException("the content is the JSON value null");
  if (!is_to_content_) {
    const auto set = set_attributes(context, session, flow_file, *root, scratch);
    if (!set) return fails(set.error());
    session.transfer(flow_file, matched);
    return;
  }
  scratch.text.clear();
  const auto is_found = evaluate(paths_.front(), *root, scratch, scratch.text);
  if (!is_found) return fails(is_found.error());
  if (!*is_found) {
    session.transfer(flow_file, unmatched);
    return;
  }
  session.write(flow_file, [&](OutputStream& out) { out.write(scratch.text); });
  session.provenance().modify_content(flow_file,
                                      fmt::format("Replaced content with result of expression {}",
                                                  paths_.front().path.normalized()));
  session.transfer(flow_file, matched);
}

void EvaluateJsonPath::on_trigger(ProcessContext& context, ProcessSession& session) {
  const auto scratch = scratches_.take();
  handle_queued(session, usual_batch,
                [&](const FlowFile& flow_file) { handle(context, session, flow_file, *scratch); });
}

const ProcessorDefinition& evaluate_json_path() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
