#include "processors/text/route_text.h"

#include "processors/support/declare.h"
#include "processors/text/line_router.h"
#include "processors/text/pattern_cache.h"
#include "processors/text/text_blocks.h"
#include "processors/text/text_support.h"

namespace weir::processors {
namespace {

const Relationship original{.name = "original",
                            .description = "The FlowFile whose lines were routed."};
const Relationship unmatched{
    .name = "unmatched",
    .description =
        "Lines that meet no condition, or not all where all are asked for. Also a "
        "FlowFile whose lines could not be checked, as a whole, with routeText.error."};
const Relationship matched{.name = "matched", .description = "Lines that meet the conditions."};

constexpr std::string_view by_name = "Route to each matching Property Name";
constexpr std::string_view all_conditions = "Route to 'matched' if line matches all conditions";
constexpr std::string_view any_condition = "Route to 'matched' if lines matches any condition";

const PropertyDescriptor routing_strategy{
    .name = "Routing Strategy",
    .description = "Where a line goes that meets conditions.",
    .default_value = std::string(by_name),
    .required = true,
    .allowable_values = {
        {std::string(by_name), "", "To the relationship of each condition that it meets."},
        {std::string(all_conditions), "", "To 'matched' where it meets all conditions."},
        {std::string(any_condition), "", "To 'matched' where it meets at least one."}}};
const PropertyDescriptor matching_strategy{
    .name = "Matching Strategy",
    .description = "How a line is compared with the value of each condition.",
    .required = true,
    .allowable_values = {{"Satisfies Expression", "",
                          "The value is an expression that gives true; it sees ${line} and "
                          "${lineNo} beside the FlowFile's attributes."},
                         {"Starts With"},
                         {"Ends With"},
                         {"Contains"},
                         {"Equals"},
                         {"Matches Regular Expression", "", "The whole line."},
                         {"Contains Regular Expression", "", "Any part of the line."}}};
const PropertyDescriptor character_set = character_set_property("The character set of the text.");
const PropertyDescriptor trim_whitespace{
    .name = "Ignore Leading/Trailing Whitespace",
    .description =
        "Whether lines are compared without white space at both ends. They are written "
        "as they came. Has no effect on Satisfies Expression.",
    .default_value = "true",
    .required = true,
    .validator = validators::boolean()};
const PropertyDescriptor ignore_case{
    .name = "Ignore Case",
    .description =
        "Whether upper and lower case are the same. Has no effect on Satisfies "
        "Expression.",
    .default_value = "false",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor grouping_expression{
    .name = "Grouping Regular Expression",
    .description =
        "Matched against each line as it is compared. Only lines whose capturing "
        "groups are the same go into one FlowFile; those that do not match share one.",
    .validator = validators::regular_expression()};

constexpr std::string_view route_attribute = "RouteText.Route";
constexpr std::string_view error_attribute = "routeText.error";

LineTest line_test(const std::string& strategy) {
  static const std::map<std::string, LineTest> tests = {
      {"Satisfies Expression", LineTest::expression},
      {"Starts With", LineTest::starts_with},
      {"Ends With", LineTest::ends_with},
      {"Contains", LineTest::contains},
      {"Equals", LineTest::equals},
      {"Matches Regular Expression", LineTest::matches},
      {"Contains Regular Expression", LineTest::finds}};
  return tests.at(strategy);
}

bool is_regex(LineTest test) {
  return test == LineTest::matches || test == LineTest::finds;
}

std::vector<Relationship> relationships_of(const PropertyContext& context) {
  std::vector<Relationship> all = {original, unmatched};
  if (context.property(routing_strategy).text() != by_name) {
    all.push_back(matched);
    return all;
  }
  for (const std::string& name : context.dynamic_properties()) {
    all.push_back({.name = name, .description = "Lines that meet this condition."});
  }
  return all;
}

class RouteText : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::vector<LineCondition> conditions_for(const FlowFile& flow_file);

  RouteRules rules_;
  LineTest test_ = LineTest::contains;
  bool trim_ = true;
  bool ignore_case_ = false;
  std::vector<LineCondition> conditions_;
  std::unique_ptr<PatternCache> patterns_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("RouteText");
  definition.summary =
      "Routes each line of a text by conditions that are properties. A line ends with LF, CRLF or "
      "a lone CR and keeps its end. A line of more than 16,777,216 characters is not held: the "
      "FlowFile goes to unmatched as a whole.";
  definition.tags = {"attributes", "csv",    "Expression Language",
                     "filter",     "find",   "logs",
                     "expression", "regex",  "regexp",
                     "route",      "search", "text"};
  definition.properties = {routing_strategy, matching_strategy, character_set,
                           trim_whitespace,  ignore_case,       grouping_expression};
  definition.dynamic_properties = DynamicPropertyNote{
      .name = "the condition's name",
      .value = "what lines are compared with",
      .description = "One condition. With the first Routing Strategy its name is a relationship.",
      .expression_scope = ExpressionScope::flow_file_attributes};
  definition.dynamic_property_validator = validators::non_empty();
  definition.relationships = {original, unmatched};
  definition.dynamic_relationships = relationships_of;
  definition.writes_attributes = {
      {"RouteText.Route", "The relationship that the FlowFile was routed to."},
      {"RouteText.Group",
       "What the groups of Grouping Regular Expression captured, with ', ' "
       "between them; empty without such an expression."},
      {"routeText.error", "Why the lines of a FlowFile could not be checked."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note =
      "All FlowFiles made of one appear with one commit, or none. Lines of matched or unmatched "
      "that "
      "no connection takes are not written.";
  definition.example = R"({"type": "RouteText", "properties": {
  "Matching Strategy": "Contains", "errors": "ERROR", "warnings": "WARN"}})";
  definition.make = [] { return std::make_unique<RouteText>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> RouteText::custom_validate(const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  const LineTest test = line_test(context.property(matching_strategy).text());
  const std::vector<std::string> names = context.dynamic_properties();
  if (names.empty()) {
    problems.push_back({"Dynamic Properties", "there must be at least one condition"});
  }
  for (const std::string& name : names) {
    const PropertyValue value = context.property(name);
    if (is_regex(test)) {
      if (const auto problem = regex_problem(value)) problems.push_back({name, *problem});
    } else if (test == LineTest::expression &&
               value.expression_result() != ExpressionResult::boolean) {
      problems.push_back({name, "must be an expression that gives true or false"});
    }
  }
  const PropertyValue grouping = context.property(grouping_expression);
  if (grouping.is_set()) {
    if (const auto problem = regex_problem(grouping, 1)) {
      problems.push_back({grouping_expression.name, *problem});
    }
  }
  return problems;
}

void RouteText::on_scheduled(ProcessContext& context) {
  const std::string& strategy = context.property(routing_strategy).text();
  rules_ = {};
  rules_.strategy = strategy == by_name          ? RoutingStrategy::by_name
                    : strategy == all_conditions ? RoutingStrategy::all_conditions
                                                 : RoutingStrategy::any_condition;
  rules_.character_set = &find_character_set(context.property(character_set).text());
  const PropertyValue grouping = context.property(grouping_expression);
  if (grouping.is_set()) rules_.grouping = Pattern::compile(grouping.text()).value();
  rules_.drops_unmatched = !context.has_connection(unmatched.name);
  rules_.drops_matched = !context.has_connection(matched.name);
  test_ = line_test(context.property(matching_strategy).text());
  trim_ = context.property(trim_whitespace).boolean();
  ignore_case_ = context.property(ignore_case).boolean();
  patterns_ = std::make_unique<PatternCache>(PatternFlags{.case_insensitive = ignore_case_});
  conditions_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    LineCondition condition{.name = name, .value = context.property(name)};
    if (is_regex(test_) && !condition.value.has_expression()) {
      condition.pattern = patterns_->get(condition.value.text());
    }
    conditions_.push_back(std::move(condition));
  }
}

std::vector<LineCondition> RouteText::conditions_for(const FlowFile& flow_file) {
  std::vector<LineCondition> conditions = conditions_;
  if (test_ == LineTest::expression) return conditions;
  for (LineCondition& condition : conditions) {
    if (condition.pattern) continue;
    condition.text = condition.value.evaluate(flow_file);
    if (is_regex(test_)) condition.pattern = patterns_->get(condition.text);
  }
  return conditions;
}

void RouteText::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile source = session.get();
  if (!source) return;
  LineConditions conditions(test_, trim_, ignore_case_, conditions_for(source), source);
  LineRouter router(rules_, conditions, session, source);
  const auto give_up = [&](const ProcessException& error) {
    router.discard();
    note_failure(context, session, source, error_attribute, error.what());
    session.provenance().route(source, unmatched);
    session.put_attribute(source, route_attribute, unmatched.name);
    session.transfer(source, unmatched);
  };
  try {
    const std::unique_ptr<InputStream> in = session.read(source);
    router.route(*in);
  } catch (const LineTooLong& error) {
    return give_up(error);
  } catch (const PatternLimitExceeded& error) {
    return give_up(error);
  }
  router.transfer();
  session.provenance().route(source, original);
  session.put_attribute(source, route_attribute, original.name);
  session.transfer(source, original);
}

const ProcessorDefinition& route_text() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
