#include "processors/flow/distribute_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>

#include "processors/support/declare.h"

namespace weir::processors {
namespace {

constexpr std::int64_t most_relationships = 10'000;

const PropertyDescriptor relationship_count{
    .name = "Number of Relationships",
    .description = "How many relationships there are, named 1, 2, and so on.",
    .default_value = "1",
    .required = true,
    .validator = validators::integer(1, most_relationships)};
const PropertyDescriptor strategy{
    .name = "Distribution Strategy",
    .description =
        "How the relationship of a FlowFile is chosen. Round robin waits until all "
        "have room; next available skips full ones; overflow takes the first with room.",
    .default_value = "round robin",
    .required = true,
    .allowable_values = {{"round robin"}, {"next available"}, {"overflow"}}};

constexpr std::string_view chosen_attribute = "distribute.load.relationship";

// The number that a weight's name stands for; 0 where it is none.
std::int64_t relationship_number(std::string_view name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : 0;
}

std::vector<Relationship> relationships_of(const PropertyContext& context) {
  std::vector<Relationship> relationships;
  const std::int64_t count = context.property(relationship_count).integer();
  for (std::int64_t i = 1; i <= count; ++i) {
    relationships.push_back({.name = std::to_string(i), .description = "A share of the load."});
  }
  return relationships;
}

class DistributeLoad : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  enum class Strategy { round_robin, next_available, overflow };
  const Relationship* choose(const std::set<std::string>& available);

  Strategy strategy_ = Strategy::round_robin;
  std::vector<Relationship> relationships_;
  std::vector<std::size_t> weighted_;  // indexes, each as often as its weight
  std::atomic<std::uint64_t> turn_{0};
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("DistributeLoad");
  definition.summary = "Spreads FlowFiles over numbered relationships, with weights.";
  definition.tags = {"distribute", "load balance", "route", "round robin", "weighted"};
  definition.properties = {relationship_count, strategy};
  definition.dynamic_properties = {
      .name = "number of a relationship",
      .value = "its weight, a positive whole number",
      .description = "A relationship of weight 3 gets three FlowFiles in a row."};
  definition.dynamic_property_validator = validators::integer(1, 100'000);
  definition.relationships = {{.name = "1", .description = "A share of the load."}};
  definition.dynamic_relationships = relationships_of;
  definition.writes_attributes = {{std::string(chosen_attribute), "The relationship chosen."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.trigger_when_any_destination_available = true;
  definition.default_run_duration = std::chrono::milliseconds(25);
  definition.delivery_note = "A FlowFile waits in the queue while no relationship can take it.";
  definition.example =
      R"({"type": "DistributeLoad", "properties": {"Number of Relationships": "3", "2": "5"}})";
  definition.make = [] { return std::make_unique<DistributeLoad>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> DistributeLoad::custom_validate(
    const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  const std::int64_t count = context.property(relationship_count).integer();
  for (const std::string& name : context.dynamic_properties()) {
    const std::int64_t number = relationship_number(name);
    if (number >= 1 && number <= count) continue;
    problems.push_back(
        {name,
         fmt::format("a weight's name must be the number of a relationship, 1 to {}", count)});
  }
  return problems;
}

void DistributeLoad::on_scheduled(ProcessContext& context) {
  const std::string& chosen = context.property(strategy).text();
  strategy_ = chosen == "overflow"         ? Strategy::overflow
              : chosen == "next available" ? Strategy::next_available
                                           : Strategy::round_robin;
  relationships_ = relationships_of(context);
  std::vector<std::int64_t> weights(relationships_.size(), 1);
  for (const std::string& name : context.dynamic_properties()) {
    const auto index = static_cast<std::size_t>(relationship_number(name) - 1);
    weights[index] = context.property(std::string_view(name)).integer();
  }
  weighted_.clear();
  for (std::size_t i = 0; i < relationships_.size(); ++i) {
    weighted_.insert(weighted_.end(), static_cast<std::size_t>(weights[i]), i);
  }
}

const Relationship* DistributeLoad::choose(const std::set<std::string>& available) {
  if (strategy_ == Strategy::round_robin) {
    if (available.size() < relationships_.size()) return nullptr;
    return &relationships_[weighted_[turn_.fetch_add(1) % weighted_.size()]];
  }
  for (std::size_t tried = 0; tried < weighted_.size(); ++tried) {
    const std::size_t at = strategy_ == Strategy::overflow
                               ? tried
                               : static_cast<std::size_t>(turn_.fetch_add(1) % weighted_.size());
    const Relationship& relationship = relationships_[weighted_[at]];
    if (available.contains(relationship.name)) return &relationship;
  }
  return nullptr;
}

void DistributeLoad::on_trigger(ProcessContext& context, ProcessSession& session) {
  if (session.queued() == 0) return;
  const std::set<std::string> available = context.available_relationships();
  const Relationship* chosen = choose(available);
  if (!chosen) {
    context.yield();
    return;
  }
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  session.put_attribute(flow_file, chosen_attribute, chosen->name);
  session.transfer(flow_file, *chosen);
  session.provenance().route(flow_file, *chosen);
}

const ProcessorDefinition& distribute_load() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
