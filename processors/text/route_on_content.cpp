#include "processors/text/route_on_content.h"

#include "engine/api/pattern.h"
#include "processors/support/declare.h"
#include "processors/text/pattern_cache.h"
#include "processors/text/text_support.h"

namespace weir::processors {
namespace {

const Relationship unmatched{
    .name = "unmatched",
    .description =
        "FlowFiles that no expression matches, and those whose search would have taken "
        "too long, with routeOnContent.error."};

constexpr std::string_view match_all = "content must match exactly";
constexpr std::string_view match_part = "content must contain match";

const PropertyDescriptor match_requirement{
    .name = "Match Requirement",
    .description =
        "Whether an expression must match all of the content that is looked at, or "
        "some part of it.",
    .default_value = std::string(match_all),
    .required = true,
    .allowable_values = {{std::string(match_all)}, {std::string(match_part)}}};
const PropertyDescriptor character_set =
    character_set_property("The character set of the content.");
const PropertyDescriptor buffer_size{
    .name = "Content Buffer Size",
    .description =
        "How much of the content is looked at, from its start. What is beyond is as if "
        "it were not there.",
    .default_value = "1 MB",
    .required = true,
    .validator = validators::data_size()};

constexpr std::string_view route_attribute = "RouteOnContent.Route";
constexpr std::string_view error_attribute = "routeOnContent.error";

class RouteOnContent : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  struct Route {
    std::string name;
    PropertyValue value;
    std::optional<Pattern> pattern;  // where it does not depend on the FlowFile
  };

  bool matches(const Route& route, const FlowFile& flow_file, std::string_view text);
  void send(ProcessSession& session, const FlowFile& flow_file, const std::string& route) const;

  std::vector<Route> routes_;
  bool matches_all_ = true;
  const text::CharacterSet* character_set_ = nullptr;
  std::uint64_t buffer_bytes_ = 0;
  PatternCache patterns_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("RouteOnContent");
  definition.summary =
      "Routes FlowFiles by regular expressions that their content matches. One that several "
      "match is cloned.";
  definition.tags = {"content", "expression", "find",   "regex", "regexp", "regular", "route",
                     "router",  "search",     "string", "text",  "detect", "filter"};
  definition.properties = {match_requirement, character_set, buffer_size};
  definition.dynamic_properties = DynamicPropertyNote{
      .name = "the relationship's name",
      .value = "a regular expression",
      .description =
          "Where FlowFiles go whose content matches. Values of expressions in it are "
          "quoted: they stand for themselves.",
      .expression_scope = ExpressionScope::flow_file_attributes};
  definition.relationships = {unmatched};
  definition.dynamic_relationships = [](const PropertyContext& context) {
    std::vector<Relationship> all = {unmatched};
    for (const std::string& name : context.dynamic_properties()) {
      all.push_back({.name = name, .description = "FlowFiles whose content matches."});
    }
    return all;
  };
  definition.writes_attributes = {
      {"RouteOnContent.Route", "The relationship that the FlowFile was routed to."},
      {"routeOnContent.error", "Why a search was given up."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "A FlowFile and its clones appear with one commit, or none.";
  definition.example = R"({"type": "RouteOnContent", "properties": {
  "Match Requirement": "content must contain match", "orders": "<order\\b"}})";
  definition.make = [] { return std::make_unique<RouteOnContent>(); };
  return definition;
}

}  // namespace

std::vector<ValidationProblem> RouteOnContent::custom_validate(
    const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  for (const std::string& name : context.dynamic_properties()) {
    if (name == unmatched.name) {
      problems.push_back({name, "is the name of the relationship for what does not match"});
    } else if (const auto problem = regex_problem(context.property(name))) {
      problems.push_back({name, *problem});
    }
  }
  return problems;
}

void RouteOnContent::on_scheduled(ProcessContext& context) {
  matches_all_ = context.property(match_requirement).text() == match_all;
  character_set_ = &find_character_set(context.property(character_set).text());
  buffer_bytes_ = context.property(buffer_size).data_size();
  routes_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    Route route{.name = name, .value = context.property(name), .pattern = {}};
    if (!route.value.has_expression()) route.pattern = patterns_.get(route.value.text());
    routes_.push_back(std::move(route));
  }
}

bool RouteOnContent::matches(const Route& route, const FlowFile& flow_file, std::string_view text) {
  const Pattern pattern =
      route.pattern ? *route.pattern : patterns_.get(evaluate_quoted(route.value, flow_file));
  return matches_all_ ? pattern.matches(text) : pattern.contains(text);
}

void RouteOnContent::send(ProcessSession& session, const FlowFile& flow_file,
                          const std::string& route) const {
  session.put_attribute(flow_file, route_attribute, route);
  session.provenance().route(flow_file, Relationship{.name = route});
  session.transfer(flow_file, route);
}

void RouteOnContent::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const std::string text = read_text(session, flow_file, *character_set_, buffer_bytes_);
  std::vector<const std::string*> found;
  try {
    for (const Route& route : routes_) {
      if (matches(route, flow_file, text)) found.push_back(&route.name);
    }
  } catch (const PatternLimitExceeded& error) {
    note_failure(context, session, flow_file, error_attribute, error.what());
    found.clear();
  }
  if (found.empty()) return send(session, flow_file, unmatched.name);
  for (std::size_t i = 1; i < found.size(); ++i) send(session, session.clone(flow_file), *found[i]);
  send(session, flow_file, *found[0]);
}

const ProcessorDefinition& route_on_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
