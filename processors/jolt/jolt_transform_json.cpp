#include "processors/jolt/jolt_transform_json.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/api/pattern.h"
#include "engine/json/parse.h"
#include "engine/json/write.h"
#include "engine/text/java_case.h"
#include "processors/jolt/program_cache.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "The transformed document."};
const Relationship failure{
    .name = "failure",
    .description = "FlowFiles without a JSON document, or one that cannot be transformed."};

struct Choice {
  std::string_view value;
  std::string_view display_name;
  jolt::Operation operation;
};

constexpr std::string_view custom = "jolt-transform-custom";
constexpr std::array choices = {
    Choice{"jolt-transform-shift", "Shift", jolt::Operation::shift},
    Choice{"jolt-transform-chain", "Chain", jolt::Operation::chain},
    Choice{"jolt-transform-default", "Default", jolt::Operation::default_values},
    Choice{"jolt-transform-remove", "Remove", jolt::Operation::remove},
    Choice{"jolt-transform-card", "Cardinality", jolt::Operation::cardinality},
    Choice{"jolt-transform-sort", "Sort", jolt::Operation::sort},
    Choice{custom, "Custom", jolt::Operation::chain},
    Choice{"jolt-transform-modify-default", "Modify - Default", jolt::Operation::modify_default},
    Choice{"jolt-transform-modify-overwrite", "Modify - Overwrite",
           jolt::Operation::modify_overwrite},
    Choice{"jolt-transform-modify-define", "Modify - Define", jolt::Operation::modify_define},
};

std::vector<AllowableValue> transform_values() {
  std::vector<AllowableValue> values;
  for (const Choice& choice : choices) {
    values.push_back({std::string(choice.value), std::string(choice.display_name)});
  }
  return values;
}

jolt::Operation operation_of(std::string_view value) {
  for (const Choice& choice : choices) {
    if (choice.value == value) return choice.operation;
  }
  return jolt::Operation::chain;
}

const PropertyDescriptor jolt_transform{.name = "Jolt Transform",
                                        .description = "Which operation the specification is for.",
                                        .default_value = "jolt-transform-chain",
                                        .required = true,
                                        .allowable_values = transform_values(),
                                        .old_names = {"jolt-transform"}};
const PropertyDescriptor jolt_specification{
    .name = "Jolt Specification",
    .description =
        "The specification as JSON, or the path of a file that holds it. Sort needs "
        "none; all others do.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"jolt-spec"}};
const PropertyDescriptor custom_class{
    .name = "Custom Transformation Class Name",
    .description = "A Java class. There are none here: it is kept for flows that have it.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .old_names = {"jolt-custom-class"},
    .depends_on = {{"Jolt Transform", {std::string(custom)}}}};
const PropertyDescriptor custom_modules{
    .name = "Custom Module Directory",
    .description = "Where Java classes are. Kept for flows that have it.",
    .expression_scope = ExpressionScope::environment,
    .old_names = {"jolt-custom-modules"},
    .depends_on = {{"Jolt Transform", {std::string(custom)}}}};
const PropertyDescriptor cache_size{
    .name = "Transform Cache Size",
    .description =
        "How many compiled specifications are kept where the specification has an "
        "expression.",
    .default_value = "1",
    .required = true,
    .validator = validators::integer(1, INT32_MAX)};
const PropertyDescriptor json_source{
    .name = "JSON Source",
    .description = "Whether the document is the content or an attribute.",
    .default_value = "FLOW_FILE",
    .required = true,
    .allowable_values = {{"FLOW_FILE"}, {"ATTRIBUTE"}}};
const PropertyDescriptor source_attribute{
    .name = "JSON Source Attribute",
    .description = "The attribute that holds the document and takes the result.",
    .required = true,
    .validator = validators::non_empty(),
    .depends_on = {{"JSON Source", {"ATTRIBUTE"}}}};
const PropertyDescriptor pretty_print{.name = "Pretty Print",
                                      .description = "Whether the result is laid out on lines.",
                                      .default_value = "false",
                                      .required = true,
                                      .allowable_values = true_or_false(),
                                      .old_names = {"pretty_print"}};
const PropertyDescriptor max_string_length{
    .name = "Max String Length",
    .description = "A document with a longer string goes to failure.",
    .default_value = "20 MB",
    .required = true,
    .validator = validators::data_size()};

// A larger content is not read: it would be held in memory several times over.
constexpr std::uint64_t most_content_bytes = 512 * 1024 * 1024;

const std::string error_attribute = "joltTransformJson.error";

class JoltTransformJson : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::shared_ptr<const jolt::Program> program_for(const FlowFile& flow_file) const;
  // The document of the FlowFile, transformed. Throws TransformError.
  std::string transformed(std::string_view text, const jolt::Program& program) const;
  void run(ProcessSession& session, const FlowFile& flow_file) const;

  jolt::Operation operation_ = jolt::Operation::chain;
  std::string transform_name_;
  PropertyValue specification_;
  std::shared_ptr<const jolt::Program> program_;  // null: the specification has an expression
  std::unique_ptr<jolt::ProgramCache> cache_;
  std::string attribute_;  // empty: the content
  json::ParseOptions parse_options_;
  json::WriteOptions write_options_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = "org.apache.nifi.processors.jolt.JoltTransformJSON";
  definition.old_types = {standard_type("JoltTransformJSON")};
  definition.summary =
      "Transforms a JSON document by a Jolt specification: shift, default, remove, cardinality, "
      "sort, modify, or a chain of them.";
  definition.tags = {"json",     "jolt",   "transform",   "shiftr", "chainr",
                     "defaultr", "removr", "cardinality", "sort"};
  definition.properties = {jolt_transform,   jolt_specification, custom_class,
                           custom_modules,   cache_size,         json_source,
                           source_attribute, pretty_print,       max_string_length};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {"mime.type", "application/json, where the content was transformed."},
      {error_attribute, "Why a FlowFile went to failure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "The document changes with the commit; a crash before it leaves it as it was.";
  definition.example = R"({"type": "JoltTransformJSON", "properties": {
  "Jolt Transform": "jolt-transform-shift",
  "Jolt Specification": "{\"user\": {\"name\": \"customer.fullName\"}}"}})";
  definition.make = [] { return std::make_unique<JoltTransformJson>(); };
  return definition;
}

// The text of a specification: of the file where the value is the path of one.
std::string specification_text(const std::string& value) {
  const std::string_view trimmed = text::trim(value);
  constexpr std::size_t longest_path = 4096;
  if (trimmed.empty() || trimmed[0] == '{' || trimmed[0] == '[' || trimmed.size() > longest_path) {
    return value;
  }
  const std::filesystem::path path(trimmed);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return value;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad() || !file.is_open()) {
    throw ProcessException(fmt::format("{} cannot be read", path.native()));
  }
  return text;
}

std::string describe(const jolt::SpecProblem& problem) {
  if (problem.place.empty()) return problem.message;
  return fmt::format("{}: {}", problem.place, problem.message);
}

}  // namespace

std::vector<ValidationProblem> JoltTransformJson::custom_validate(
    const PropertyContext& context) const {
  const std::string& transform = context.property(jolt_transform).text();
  if (transform == custom) {
    return {{jolt_transform.name,
             "a custom transform is a Java class, which cannot run here; use a chain"}};
  }
  const jolt::Operation operation = operation_of(transform);
  if (operation == jolt::Operation::sort) return {};
  const PropertyValue specification = context.property(jolt_specification);
  if (specification.text().empty()) {
    return {{jolt_specification.name, "a specification is needed; only Sort goes without"}};
  }
  if (specification.has_expression()) return {};
  const auto program = jolt::Program::compile(operation, specification_text(specification.text()));
  if (program) return {};
  return {{jolt_specification.name,
           fmt::format("no specification of {}: {}", transform, describe(program.error()))}};
}

void JoltTransformJson::on_scheduled(ProcessContext& context) {
  transform_name_ = context.property(jolt_transform).text();
  operation_ = operation_of(transform_name_);
  specification_ = context.property(jolt_specification);
  program_ = nullptr;
  if (!specification_.has_expression() || operation_ == jolt::Operation::sort) {
    auto program = jolt::Program::compile(operation_, specification_text(specification_.text()));
    if (!program) throw ProcessException(describe(program.error()));
    program_ = std::move(*program);
  }
  cache_ = std::make_unique<jolt::ProgramCache>(
      static_cast<std::size_t>(context.property(cache_size).integer()));
  const bool of_attribute = context.property(json_source).text() == "ATTRIBUTE";
  attribute_ = of_attribute ? context.property(source_attribute).text() : "";
  parse_options_.longest_string_bytes = context.property(max_string_length).data_size();
  write_options_.layout =
      context.property(pretty_print).boolean() ? json::Layout::pretty : json::Layout::compact;
}

std::shared_ptr<const jolt::Program> JoltTransformJson::program_for(
    const FlowFile& flow_file) const {
  if (program_) return program_;
  const std::string value = specification_.evaluate(flow_file);
  if (auto cached = cache_->find(value)) return cached;
  auto program = jolt::Program::compile(operation_, specification_text(value));
  if (!program) {
    throw jolt::TransformError(
        fmt::format("the specification is wrong: {}", describe(program.error())));
  }
  cache_->put(value, *program);
  return std::move(*program);
}

std::string JoltTransformJson::transformed(std::string_view text,
                                           const jolt::Program& program) const {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  json::Arena arena;
  std::string without_comments;
  auto document = json::parse(text, arena, parse_options_);
  // Jolt's reader takes comments. They are rare, so that nothing is done for them before.
  if (!document && text.contains('/')) {
    without_comments = jolt::without_comments(text);
    document = json::parse(without_comments, arena, parse_options_);
  }
  if (!document) {
    throw jolt::TransformError(fmt::format("no JSON document: {}", document.error().describe()));
  }
  program.apply(*document, arena);
  return json::to_json(*document, write_options_);
}

void JoltTransformJson::run(ProcessSession& session, const FlowFile& flow_file) const {
  const std::shared_ptr<const jolt::Program> program = program_for(flow_file);
  if (attribute_.empty()) {
    if (flow_file.size() > most_content_bytes) {
      throw jolt::TransformError(fmt::format("the content has {} bytes, more than {}",
                                             flow_file.size(), most_content_bytes));
    }
    const std::string result = transformed(session.read(flow_file)->read_all(), *program);
    session.write(flow_file, [&](OutputStream& out) { out.write(std::string_view(result)); });
    session.put_attribute(flow_file, attribute::mime_type, "application/json");
    session.provenance().modify_content(flow_file, "Modified With " + transform_name_);
    return;
  }
  const std::string* const text = flow_file.find_attribute(attribute_);
  if (!text || text::is_blank(*text)) {
    throw jolt::TransformError(fmt::format("attribute {} is blank", attribute_));
  }
  session.put_attribute(flow_file, attribute_, transformed(*text, *program));
}

void JoltTransformJson::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const auto fail = [&](const ProcessException& error) {
    context.log().error("{} cannot be transformed: {}", flow_file.uuid(), error.what());
    session.put_attribute(flow_file, error_attribute, error.what());
    session.transfer(flow_file, failure);
  };
  try {
    run(session, flow_file);
  } catch (const jolt::TransformError& error) {
    return fail(error);
  } catch (const PatternLimitExceeded& error) {
    return fail(error);
  }
  session.transfer(flow_file, success);
}

const ProcessorDefinition& jolt_transform_json() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
