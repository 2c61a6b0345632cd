#include "processors/attribute/route_on_attribute.h"

#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"

namespace weir::processors {
namespace {

const Relationship unmatched{.name = "unmatched",
                             .description = "FlowFiles that no condition, or not all, fit."};
const Relationship matched{
    .name = "matched",
    .description = "FlowFiles that the conditions fit, where Routing Strategy joins them."};

// The values say 'match' where the relationship is called "matched": NiFi keeps them for old flows.
constexpr std::string_view by_name = "Route to Property name";
constexpr std::string_view if_all = "Route to 'match' if all match";
constexpr std::string_view if_any = "Route to 'match' if any matches";

const PropertyDescriptor routing_strategy{
    .name = "Routing Strategy",
    .description =
        "Whether each condition has a relationship of its own, or all together decide between "
        "\"matched\" and \"unmatched\".",
    .default_value = std::string(by_name),
    .required = true,
    .allowable_values = {
        {.value = std::string(by_name),
         .description = "A copy goes to the relationship of each condition that is true."},
        {.value = std::string(if_all),
         .display_name = "Route to 'matched' if all match",
         .description = "Every condition must be true."},
        {.value = std::string(if_any),
         .display_name = "Route to 'matched' if any matches",
         .description = "One condition that is true is enough."}}};

const std::optional<std::string> no_condition =
    "must be one expression that gives true or false, with nothing around it, as in "
    "${filename:endsWith('.csv')}";

const std::string route_attribute = "RouteOnAttribute.Route";

std::vector<Relationship> relationships_of(const PropertyContext& context) {
  if (context.property(routing_strategy).text() != by_name) return {matched, unmatched};
  std::vector<Relationship> relationships;
  for (const std::string& name : context.dynamic_properties()) {
    if (name == unmatched.name) continue;
    relationships.push_back({.name = name, .description = "The condition of this name is true."});
  }
  relationships.push_back(unmatched);
  return relationships;
}

class RouteOnAttribute : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  enum class Strategy { own_relationships, all, any };

  // A place to go to, with the attribute that says so ready to be set.
  struct Destination {
    Relationship relationship;
    flowfile::Attributes::Entry route;

    explicit Destination(const Relationship& to)
        : relationship(to), route(route_attribute, to.name) {}
  };
  struct Rule {
    PropertyValue condition;
    Destination destination;
  };

  void route(ProcessSession& session, const FlowFile& flow_file,
             std::span<const Rule* const> fitting) const;
  static void send(ProcessSession& session, const FlowFile& flow_file, const Destination& to);

  Strategy strategy_ = Strategy::own_relationships;
  std::vector<Rule> rules_;
  const Destination matched_{matched};
  const Destination unmatched_{unmatched};
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("RouteOnAttribute");
  definition.summary =
      "Routes FlowFiles by conditions over their attributes, written in the Expression Language.";
  definition.tags = {"attributes",
                     "routing",
                     "Attribute Expression Language",
                     "regexp",
                     "regex",
                     "Regular Expression",
                     "Expression Language",
                     "find",
                     "text",
                     "string",
                     "search",
                     "filter",
                     "detect"};
  definition.properties = {routing_strategy};
  definition.dynamic_properties = {
      .name = "name of a relationship, or of a condition",
      .value = "one expression that gives true or false",
      .description =
          "A condition. With the strategy \"Route to Property name\" it adds a relationship of its "
          "name; where several are true, each relationship gets a copy.",
      .expression_scope = ExpressionScope::flow_file_attributes};
  // Asked only for values without an expression.
  definition.dynamic_property_validator = [](std::string_view) { return no_condition; };
  definition.relationships = {unmatched};
  definition.dynamic_relationships = relationships_of;
  definition.writes_attributes = {{route_attribute, "The relationship the FlowFile went to."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.default_run_duration = std::chrono::milliseconds(25);
  definition.delivery_note = "All copies of a FlowFile appear with one commit, or none.";
  definition.example =
      R"({"type": "RouteOnAttribute", "properties": {"large": "${fileSize:gt(1048576)}"}})";
  definition.make = [] { return std::make_unique<RouteOnAttribute>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> RouteOnAttribute::custom_validate(
    const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  for (const std::string& name : context.dynamic_properties()) {
    const PropertyValue condition = context.property(std::string_view(name));
    if (condition.expression_result() == ExpressionResult::boolean) continue;
    problems.push_back({name, *no_condition});
  }
  return problems;
}

void RouteOnAttribute::on_scheduled(ProcessContext& context) {
  const std::string& strategy = context.property(routing_strategy).text();
  strategy_ = strategy == if_all   ? Strategy::all
              : strategy == if_any ? Strategy::any
                                   : Strategy::own_relationships;
  rules_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    rules_.push_back({context.property(std::string_view(name)), Destination({.name = name})});
  }
}

void RouteOnAttribute::send(ProcessSession& session, const FlowFile& flow_file,
                            const Destination& to) {
  session.put_attributes(flow_file, std::span(&to.route, 1));
  session.provenance().route(flow_file, to.relationship);
  session.transfer(flow_file, to.relationship);
}

void RouteOnAttribute::route(ProcessSession& session, const FlowFile& flow_file,
                             std::span<const Rule* const> fitting) const {
  if (strategy_ != Strategy::own_relationships) {
    const bool fits =
        strategy_ == Strategy::all ? fitting.size() == rules_.size() : !fitting.empty();
    send(session, flow_file, fits ? matched_ : unmatched_);
  } else if (fitting.empty()) {
    send(session, flow_file, unmatched_);
  } else {
    for (const Rule* rule : fitting.subspan(1)) {
      send(session, session.clone(flow_file), rule->destination);
    }
    send(session, flow_file, fitting.front()->destination);
  }
}

void RouteOnAttribute::on_trigger(ProcessContext&, ProcessSession& session) {
  std::string answer;
  std::vector<const Rule*> fitting;
  fitting.reserve(rules_.size());
  handle_queued(session, usual_batch, [&](const FlowFile& flow_file) {
    const ExpressionInputs inputs{.flow_file = &flow_file};
    fitting.clear();
    for (const Rule& rule : rules_) {
      rule.condition.evaluate(inputs, answer);
      if (answer == "true") fitting.push_back(&rule);
    }
    route(session, flow_file, fitting);
  });
}

const ProcessorDefinition& route_on_attribute() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
