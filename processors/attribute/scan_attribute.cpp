#include "processors/attribute/scan_attribute.h"

#include <filesystem>

#include "processors/attribute/dictionary.h"
#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"

namespace weir::processors {
namespace {

const Relationship matched{.name = "matched",
                           .description = "FlowFiles whose attributes are in the dictionary."};
const Relationship unmatched{.name = "unmatched", .description = "All others."};

constexpr std::string_view at_least_one = "At Least 1 Must Match";
constexpr std::string_view all = "All Must Match";

const PropertyDescriptor dictionary_file{
    .name = "Dictionary File",
    .description =
        "A text file with one term a line; blank lines are passed over. It is read when the "
        "processor starts, and again when it was changed.",
    .required = true,
    .validator = [](std::string_view value) -> std::optional<std::string> {
      std::error_code error;
      if (std::filesystem::is_regular_file(value, error)) return std::nullopt;
      return "must be a file that exists";
    },
    .expression_scope = ExpressionScope::environment};
const PropertyDescriptor attribute_pattern{
    .name = "Attribute Pattern",
    .description = "A regular expression of the names of the attributes that are looked up.",
    .default_value = ".*",
    .required = true,
    .validator = validators::regular_expression()};
const PropertyDescriptor match_criteria{
    .name = "Match Criteria",
    .description = "Whether one of these attributes in the dictionary is enough.",
    .default_value = std::string(at_least_one),
    .required = true,
    .allowable_values = {{std::string(at_least_one)}, {std::string(all)}}};
const PropertyDescriptor dictionary_filter{
    .name = "Dictionary Filter Pattern",
    .description =
        "A regular expression: only lines that it matches as a whole are terms. Where it has a "
        "group, the term is what the group matches.",
    .validator = [](std::string_view value) -> std::optional<std::string> {
      const auto compiled = Pattern::compile(value);
      if (!compiled) return compiled.error();
      if (compiled->group_count() > 1) return "must not have more than one group";
      return std::nullopt;
    }};

class ScanAttribute : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  bool fits(const FlowFile& flow_file, const Terms& terms) const;

  std::optional<Pattern> names_;  // unset: all
  bool needs_all_ = false;
  std::optional<Dictionary> dictionary_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("ScanAttribute");
  definition.summary = "Looks the values of attributes up in a list of terms and routes by it.";
  definition.tags = {"scan", "attributes", "search", "lookup", "find", "text"};
  definition.properties = {dictionary_file, attribute_pattern, match_criteria, dictionary_filter};
  definition.relationships = {matched, unmatched};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "FlowFiles are not changed; a crash before the commit routes again.";
  definition.example =
      R"({"type": "ScanAttribute", "properties": {"Dictionary File": "/etc/terms.txt"}})";
  definition.make = [] { return std::make_unique<ScanAttribute>(); };
  return definition;
}

std::optional<Pattern> pattern_of(const PropertyValue& value) {
  if (!value.is_set()) return std::nullopt;
  auto compiled = Pattern::compile(value.text());
  if (!compiled) throw ProcessException(compiled.error());
  return *std::move(compiled);
}

}  // namespace

void ScanAttribute::on_scheduled(ProcessContext& context) {
  names_ = context.property(attribute_pattern).text() == ".*"
               ? std::nullopt
               : pattern_of(context.property(attribute_pattern));
  needs_all_ = context.property(match_criteria).text() == all;
  dictionary_.emplace(context.property(dictionary_file).evaluate(),
                      pattern_of(context.property(dictionary_filter)), context.clock());
}

bool ScanAttribute::fits(const FlowFile& flow_file, const Terms& terms) const {
  // The uuid is an attribute like the others.
  static const std::string uuid(attribute::uuid);
  if (!names_ || names_->matches(uuid)) {
    if (terms.contains(flow_file.uuid()) != needs_all_) return !needs_all_;
  }
  for (const auto& [name, value] : flow_file.attributes()) {
    if (names_ && !names_->matches(name)) continue;
    if (terms.contains(value) != needs_all_) return !needs_all_;
  }
  return needs_all_;
}

void ScanAttribute::on_trigger(ProcessContext& context, ProcessSession& session) {
  std::shared_ptr<const Terms> terms;
  handle_queued(
      session, usual_batch, [&] { terms = dictionary_->terms(context.log()); },
      [&](const FlowFile& flow_file) {
        const Relationship& destination = fits(flow_file, *terms) ? matched : unmatched;
        session.provenance().route(flow_file, destination);
        session.transfer(flow_file, destination);
      });
}

const ProcessorDefinition& scan_attribute() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
