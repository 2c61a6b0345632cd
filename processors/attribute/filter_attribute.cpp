#include "processors/attribute/filter_attribute.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/api/pattern.h"
#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "FlowFiles with what was kept."};

constexpr std::string_view by_list = "Enumerate attributes";
constexpr std::string_view by_pattern = "Use regular expression";

const PropertyDescriptor filter_mode{
    .name = "Filter Mode",
    .description = "Whether the attributes named are all that stay, or those that go.",
    .default_value = "Retain",
    .required = true,
    .allowable_values = {{.value = "Retain", .description = "Only the attributes named stay."},
                         {.value = "Remove", .description = "The attributes named go."}}};
const PropertyDescriptor matching_strategy{
    .name = "Attribute Matching Strategy",
    .description = "How attributes are named.",
    .default_value = std::string(by_list),
    .required = true,
    .allowable_values = {
        {.value = std::string(by_list), .description = "By a list of names."},
        {.value = std::string(by_pattern), .description = "By a pattern of the whole name."}}};
const PropertyDescriptor filtered_attributes{
    .name = "Filtered Attributes",
    .description = "Names with commas between.",
    .required = true,
    .validator = [](std::string_view value) -> std::optional<std::string> {
      if (trim(value).empty()) return "must not be blank";
      return std::nullopt;
    },
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{"Attribute Matching Strategy", {std::string(by_list)}}}};
const PropertyDescriptor filtered_pattern{
    .name = "Filtered Attributes Pattern",
    .description = "A regular expression that matches the whole of each name meant.",
    .required = true,
    .validator = validators::regular_expression(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{"Attribute Matching Strategy", {std::string(by_pattern)}}}};

// Which names are meant.
class NameFilter {
 public:
  NameFilter(bool is_pattern, const std::string& text) {
    if (!is_pattern) {
      names_ = split_list(text);
      std::ranges::sort(names_);
      return;
    }
    auto compiled = Pattern::compile(text);
    if (!compiled) {
      throw ProcessException(
          fmt::format("{} \"{}\": {}", filtered_pattern.name, text, compiled.error()));
    }
    pattern_ = *std::move(compiled);
  }
  bool matches(const std::string& name) const {
    return pattern_ ? pattern_->matches(name) : std::ranges::binary_search(names_, name);
  }

 private:
  std::vector<std::string> names_;
  std::optional<Pattern> pattern_;
};

class FilterAttribute : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  bool retains_ = true;
  bool is_pattern_ = false;
  PropertyValue names_;
  std::optional<NameFilter> filter_;  // where `names_` has no expression
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("FilterAttribute");
  definition.summary =
      "Keeps only the attributes named, or removes them. The uuid always stays; filename and path "
      "go like any other.";
  definition.tags = {"attributes",
                     "modification",
                     "filter",
                     "retain",
                     "remove",
                     "delete",
                     "regex",
                     "regular expression",
                     "Attribute Expression Language"};
  definition.properties = {filter_mode, matching_strategy, filtered_attributes, filtered_pattern};
  definition.relationships = {success};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.default_run_duration = std::chrono::milliseconds(25);
  definition.delivery_note = "Attributes change with the commit; a crash before it leaves them.";
  definition.example =
      R"({"type": "FilterAttribute", "properties": {"Filtered Attributes": "filename,path"}})";
  definition.make = [] { return std::make_unique<FilterAttribute>(); };
  return definition;
}

}  // namespace

void FilterAttribute::on_scheduled(ProcessContext& context) {
  retains_ = context.property(filter_mode).text() == "Retain";
  is_pattern_ = context.property(matching_strategy).text() == by_pattern;
  names_ = context.property(is_pattern_ ? filtered_pattern : filtered_attributes);
  filter_.reset();
  if (!names_.has_expression()) filter_.emplace(is_pattern_, names_.text());
}

void FilterAttribute::on_trigger(ProcessContext&, ProcessSession& session) {
  std::vector<std::string> removed;
  handle_queued(session, usual_batch, [&](const FlowFile& flow_file) {
    std::optional<NameFilter> own;
    if (!filter_) own.emplace(is_pattern_, names_.evaluate(flow_file));
    const NameFilter& filter = filter_ ? *filter_ : *own;
    removed.clear();
    for (const auto& [name, value] : flow_file.attributes()) {
      if (filter.matches(name) != retains_) removed.push_back(name);
    }
    if (!removed.empty()) session.remove_attributes(flow_file, removed);
    session.transfer(flow_file, success);
  });
}

const ProcessorDefinition& filter_attribute() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
