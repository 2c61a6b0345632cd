#include "processors/json/split_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "processors/json/json_content.h"
#include "processors/support/declare.h"
#include "processors/support/failure.h"

namespace weir::processors {
namespace {

const Relationship failure{.name = "failure",
                           .description = "The content is no JSON, or the path finds no array."};
const Relationship original{.name = "original", .description = "The FlowFile that was split."};
const Relationship split{.name = "split", .description = "The elements, in order."};

const PropertyDescriptor json_path_expression{
    .name = "JsonPath Expression",
    .description = "Finds the array whose elements become FlowFiles, or the elements themselves.",
    .required = true,
    .validator = json_path_validator()};

// More splits than this are not committed at once: the original goes back to its queue with these
// attributes, and the next trigger reads it again and goes on from there. Memory stays bounded, and
// each commit takes the original forward together with its splits, so that none doubles or is lost.
constexpr std::size_t splits_a_commit = 100'000;
const std::string resume_index = "weir.split.index";
const std::string resume_identifier = "weir.split.identifier";

class SplitJson : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override {
    path_ = compile_path(context.property(json_path_expression).text());
    null_text_ = null_text(context);
    options_ = parse_options(context);
    random_ = &context.random();
  }
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  // The array to split. The error says why there is none.
  std::expected<json::Value, std::string> find_array(ProcessSession& session,
                                                     const FlowFile& source, JsonScratch& scratch);
  // False where the original has to come back for the rest.
  bool make_splits(ProcessSession& session, const FlowFile& source, const json::Value& array,
                   JsonScratch& scratch);

  std::optional<json::JsonPath> path_;
  std::string null_text_;
  json::ParseOptions options_;
  Random* random_ = nullptr;
  JsonScratchPool scratches_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("SplitJson");
  definition.summary =
      "Splits a JSON array into FlowFiles, one for each element. Strings are written without "
      "quotes, arrays and objects as compact JSON.";
  definition.tags = {"json", "split", "jsonpath"};
  definition.properties = {json_path_expression, null_value_representation(), max_string_length()};
  definition.relationships = {failure, original, split};
  definition.writes_attributes = {
      {"fragment.identifier", "Common to all splits of one FlowFile, and to the original."},
      {"fragment.index", "0 to n - 1."},
      {"fragment.count", "How many splits there are; on the original as well."},
      {"segment.original.filename", "The filename of the original."},
      {"splitJson.error", "Why a FlowFile went to failure."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "Up to 100,000 splits appear with the original in one commit, or none. A FlowFile of more is "
      "split in several commits; meanwhile it waits in its queue and carries its progress "
      "(weir.split.*), so that a crash neither repeats nor loses a split.";
  definition.example = R"({"type": "SplitJson", "properties": {"JsonPath Expression": "$.items"}})";
  definition.make = [] { return std::make_unique<SplitJson>(); };
  return definition;
}

}  // namespace

std::expected<json::Value, std::string> SplitJson::find_array(ProcessSession& session,
                                                              const FlowFile& source,
                                                              JsonScratch& scratch) {
  const auto root = read_json(session, source, scratch, options_);
  if (!root) return std::unexpected(root.error());
  // As in NiFi, where null is no document that a path could be asked of.
  if (root->is_null()) throw ProcessException("the content is the JSON value null");
  const auto found = path_->read(*root, scratch.arena);
  if (!found) {
    const std::string message = fmt::format("{}: {}", path_->text(), found.error().message);
    if (found.error().reason == json::EvaluationError::Reason::invalid) {
      throw ProcessException(message);
    }
    return std::unexpected(message);
  }
  if (!found->is_array()) {
    return std::unexpected(fmt::format("{} finds no array", path_->text()));
  }
  return *found;
}

bool SplitJson::make_splits(ProcessSession& session, const FlowFile& source,
                            const json::Value& array, JsonScratch& scratch) {
  std::size_t index = 0;
  std::string identifier;
  if (const std::string* known = source.find_attribute(resume_identifier)) {
    identifier = *known;
    index = std::strtoull(source.attribute(resume_index).value_or("0").c_str(), nullptr, 10);
    const std::string names[] = {resume_index, resume_identifier};
    session.remove_attributes(source, names);  // splits must not inherit them
  } else {
    identifier = random_uuid(*random_);
  }
  // The original carries these two already: its splits inherit them, and share them in memory.
  const flowfile::Attributes::Entry of_original[] = {
      {std::string(attribute::fragment_identifier), identifier},
      {std::string(attribute::fragment_count), std::to_string(array.size())}};
  session.put_attributes(source, of_original);
  scratch.attributes = {{std::string(attribute::segment_original_filename),
                         source.attribute(attribute::filename).value_or("")},
                        {std::string(attribute::fragment_index), ""}};
  std::string& index_text = scratch.attributes.back().second;
  const std::size_t end = std::min(array.size(), index + splits_a_commit);
  for (; index < end; ++index) {
    scratch.text.clear();
    append_result(array.items()[index], null_text_, scratch.text);
    const FlowFile made = session.create(source);
    const std::unique_ptr<OutputStream> out = session.write(made);
    out->write(scratch.text);
    out->close();
    index_text = std::to_string(index);
    session.put_attributes(made, scratch.attributes);
    session.transfer(made, split);
  }
  if (index >= array.size()) return true;
  const flowfile::Attributes::Entry progress[] = {{resume_index, std::to_string(index)},
                                                  {resume_identifier, identifier}};
  session.put_attributes(source, progress);
  return false;
}

void SplitJson::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile source = session.get();
  if (!source) return;
  const auto scratch = scratches_.take();
  const auto array = find_array(session, source, *scratch);
  if (!array) {
    return fail(context, session, source, failure, "splitJson.error", array.error());
  }
  if (make_splits(session, source, *array, *scratch)) {
    session.transfer(source, original);
  } else {
    session.transfer_to_source(source);
  }
}

const ProcessorDefinition& split_json() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
