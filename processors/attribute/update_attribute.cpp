#include "processors/attribute/update_attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "engine/api/annotation.h"
#include "engine/api/pattern.h"
#include "processors/attribute/update_rules.h"
#include "processors/support/declare.h"
#include "processors/support/handle_queued.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

using Entry = flowfile::Attributes::Entry;

const Relationship success{.name = "success", .description = "FlowFiles with their attributes."};
const Relationship set_state_fail{
    .name = "set state fail",
    .description = "FlowFiles with their attributes whose values could not be stored as state."};

constexpr std::string_view stateless = "Do not store state";
constexpr std::string_view stateful = "Store state locally";

// A literal expression is checked here; one that comes from attributes when it is used.
const PropertyDescriptor delete_expression{
    .name = "Delete Attributes Expression",
    .description =
        "A regular expression. Attributes that a FlowFile comes with and whose whole name it "
        "matches are removed, even where a property sets them.",
    .validator = validators::regular_expression(),
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor store_state{
    .name = "Store State",
    .description =
        "Whether the values set are remembered, so that the next FlowFile's can build on them "
        "with getStateValue.",
    .default_value = std::string(stateless),
    .required = true,
    .allowable_values = {{std::string(stateless)}, {std::string(stateful)}}};
const PropertyDescriptor initial_value{
    .name = "Stateful Variables Initial Value",
    .description =
        "What getStateValue gives for a property that nothing is remembered of. It must be set "
        "where state is stored, and may be empty."};
const PropertyDescriptor cache_size{
    .name = "canonical-value-lookup-cache-size",
    .display_name = "Cache Value Lookup Cache Size",
    .description =
        "Accepted for flows that set it; equal attributes are shared here without a cache.",
    .default_value = "100",
    .required = true,
    .validator = validators::integer(0, INT32_MAX),
    .old_names = {"Cache Value Lookup Cache Size"}};

class UpdateAttribute : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  using State = std::map<std::string, std::string>;

  // What one trigger works with; kept over its FlowFiles, so that strings need not grow anew.
  struct Work {
    std::vector<Entry> entries;  // names and values as `settings_`
    std::vector<Entry> kept;     // those of the entries whose attributes are not removed
    std::vector<std::string> removed;
    std::string expression;  // the last one, where it comes from attributes
    std::optional<Pattern> pattern;

    UpdateRules::Matches matches;
    UpdateRules::Update update;     // by rules
    std::vector<FlowFile> clones;   // of the FlowFile at hand
    std::vector<Entry> remembered;  // what the FlowFile at hand changes of the state
  };

  const Pattern* delete_pattern(const Removal& removal, const ExpressionInputs& inputs,
                                Work& work) const;
  void update(ProcessSession& session, const FlowFile& flow_file, const State* state,
              Work& work) const;
  void update_by_defaults(ProcessSession& session, const FlowFile& flow_file,
                          const ExpressionInputs& inputs, Work& work) const;
  void update_by_rules(ProcessSession& session, const FlowFile& flow_file,
                       std::span<const UpdateRules::Rule* const> rules, const State* state,
                       Work& work) const;
  void apply(ProcessSession& session, const FlowFile& flow_file, std::span<const Entry> set,
             const Pattern* pattern, bool has_events, Work& work) const;
  void trigger_stateful(ProcessContext& context, ProcessSession& session);

  std::vector<PropertyValue> settings_;
  std::vector<Entry> entries_;  // their names, with the values of those without expression
  Removal removal_;
  UpdateRules rules_;
  bool is_stateful_ = false;

  std::mutex state_mutex_;  // held over a whole trigger: each FlowFile builds on the one before
  State state_;             // as stored
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = "org.apache.nifi.processors.attributes.UpdateAttribute";
  definition.summary =
      "Sets attributes to values of the Expression Language, and removes attributes by a regular "
      "expression. All values are computed from the attributes that the FlowFile comes with. Rules "
      "of the Advanced dialog in NiFi's flows (their annotation data) apply as they do there: what "
      "a rule sets wins over the properties.";
  definition.tags = {"attributes", "modification", "update",
                     "delete",     "state",        "Attribute Expression Language"};
  definition.properties = {delete_expression, store_state, initial_value, cache_size};
  definition.dynamic_properties = {
      .name = "name of an attribute",
      .value = "its value",
      .description = "Sets the attribute. \"uuid\" cannot be set and is passed over.",
      .expression_scope = ExpressionScope::flow_file_attributes};
  definition.relationships = {success};
  definition.dynamic_relationships = [](const PropertyContext& context) {
    if (context.property(store_state).text() == stateless) return std::vector{success};
    return std::vector{success, set_state_fail};
  };
  definition.writes_attributes = {
      {"any", "Those that properties and rules name."},
      {std::string(matched_rule), "The last rule that matched, where there are rules."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.stateful = true;
  definition.default_run_duration = std::chrono::milliseconds(25);
  definition.delivery_note =
      "Attributes change with the commit. State is stored just before it: after a crash between "
      "the two, FlowFiles are updated a second time and count twice, but no value that was seen "
      "is given again.";
  definition.example =
      R"({"type": "UpdateAttribute", "properties": {"filename": "${filename:toLower()}.bak"}})";
  definition.make = [] { return std::make_unique<UpdateAttribute>(); };
  return definition;
}

bool starts_with_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto is_letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  return is_letter(uri[0]) && std::ranges::all_of(uri.substr(0, colon), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
         });
}

}  // namespace

std::vector<ValidationProblem> UpdateAttribute::custom_validate(
    const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  const bool stores = context.property(store_state).text() != stateless;
  if (stores && !context.property(initial_value).is_set()) {
    problems.push_back({initial_value.name, "must be set (it may be empty) where state is stored"});
  }
  if (context.property(delete_expression).expression_result() != ExpressionResult::string) {
    problems.push_back({delete_expression.name, "must give a text: a regular expression"});
  }
  for (const std::string& name : context.dynamic_properties()) {
    if (trim(name).empty()) problems.push_back({name, "an attribute's name must not be blank"});
  }
  std::ranges::move(UpdateRules::validate(context, delete_expression.name),
                    std::back_inserter(problems));
  return problems;
}

void UpdateAttribute::on_scheduled(ProcessContext& context) {
  settings_.clear();
  entries_.clear();
  for (const std::string& name : context.dynamic_properties()) {
    if (name == attribute::uuid || is_annotation(name)) continue;
    const PropertyValue value = context.property(std::string_view(name));
    settings_.push_back(value);
    entries_.emplace_back(name, value.has_expression() ? std::string() : value.text());
  }

  removal_ = prepare_removal(context.property(delete_expression));
  rules_ = UpdateRules(context, delete_expression.name, entries_, settings_);

  is_stateful_ = context.property(store_state).text() != stateless;
  if (!is_stateful_) return;
  const std::lock_guard lock(state_mutex_);
  const State stored = context.state().get().values;
  state_ = stored;
  const std::string& initial = context.property(initial_value).text();
  for (const Entry& entry : entries_) state_.try_emplace(entry.first, initial);
  if (!rules_.empty()) {
    for (const std::string& name : rules_.attributes()) {
      if (name != matched_rule) state_.try_emplace(name, initial);
    }
  }
  if (state_ != stored) context.state().set(state_);
}

const Pattern* UpdateAttribute::delete_pattern(const Removal& removal,
                                               const ExpressionInputs& inputs, Work& work) const {
  if (removal.pattern) return &*removal.pattern;
  if (!removal.expression.is_set()) return nullptr;
  const std::string expression = removal.expression.evaluate(inputs);
  if (!work.pattern || expression != work.expression) {
    auto compiled = Pattern::compile(expression);
    if (!compiled) {
      throw ProcessException(
          fmt::format("{} \"{}\": {}", delete_expression.name, expression, compiled.error()));
    }
    work.pattern = *std::move(compiled);
    work.expression = expression;
  }
  return &*work.pattern;
}

// One FlowFile that came in. Each further rule that matches has a clone of it as it came, where
// they do not all change the one.
void UpdateAttribute::update(ProcessSession& session, const FlowFile& flow_file, const State* state,
                             Work& work) const {
  const ExpressionInputs inputs{.flow_file = &flow_file, .state = state};
  if (rules_.empty()) return update_by_defaults(session, flow_file, inputs, work);
  work.clones.clear();
  work.remembered.clear();
  rules_.match(inputs, work.matches);
  if (work.matches.empty()) return update_by_defaults(session, flow_file, inputs, work);
  const std::span<const UpdateRules::Rule* const> matches = work.matches;
  if (rules_.use_original()) return update_by_rules(session, flow_file, matches, state, work);
  for (std::size_t i = 1; i < matches.size(); ++i) work.clones.push_back(session.clone(flow_file));
  update_by_rules(session, flow_file, matches.first(1), state, work);
  for (std::size_t i = 1; i < matches.size(); ++i) {
    update_by_rules(session, work.clones[i - 1], matches.subspan(i, 1), state, work);
  }
}

void UpdateAttribute::update_by_defaults(ProcessSession& session, const FlowFile& flow_file,
                                         const ExpressionInputs& inputs, Work& work) const {
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    if (settings_[i].has_expression()) settings_[i].evaluate(inputs, work.entries[i].second);
  }
  apply(session, flow_file, work.entries, delete_pattern(removal_, inputs, work), false, work);
  if (is_stateful_) work.remembered = work.entries;
}

void UpdateAttribute::update_by_rules(ProcessSession& session, const FlowFile& flow_file,
                                      std::span<const UpdateRules::Rule* const> rules,
                                      const State* state, Work& work) const {
  const ExpressionInputs inputs{.flow_file = &flow_file, .state = state};
  rules_.evaluate(rules, inputs, work.update);
  const Removal& removal = work.update.removal ? *work.update.removal : removal_;
  apply(session, flow_file, work.update.set, delete_pattern(removal, inputs, work), true, work);
  if (!is_stateful_) return;
  for (const Entry& entry : work.update.set) {
    if (entry.first != matched_rule) work.remembered.push_back(entry);
  }
}

// `has_events`: the FlowFile may have been cloned, and be a clone.
void UpdateAttribute::apply(ProcessSession& session, const FlowFile& flow_file,
                            std::span<const Entry> set, const Pattern* pattern, bool has_events,
                            Work& work) const {
  work.removed.clear();
  if (pattern) {
    for (const auto& [name, value] : flow_file.attributes()) {
      if (pattern->matches(name)) work.removed.push_back(name);
    }
  }
  if (!work.removed.empty() && !set.empty()) {
    work.kept.clear();
    for (const Entry& entry : set) {
      if (!std::ranges::binary_search(work.removed, entry.first)) work.kept.push_back(entry);
    }
    set = work.kept;
  }
  if (!set.empty()) session.put_attributes(flow_file, set);
  if (!work.removed.empty()) session.remove_attributes(flow_file, work.removed);

  const auto identifier = std::ranges::find(set, attribute::alternate_identifier, &Entry::first);
  if (identifier != set.end() && starts_with_scheme(identifier->second)) {
    session.provenance().add_info(flow_file, identifier->second);
    has_events = true;
  }
  // Each FlowFile is reported, whether there was something to change or not. The session does it
  // by itself for one that was changed and has no other event.
  if (has_events || (set.empty() && work.removed.empty())) {
    session.provenance().modify_attributes(flow_file);
  }
}

void UpdateAttribute::trigger_stateful(ProcessContext& context, ProcessSession& session) {
  const std::lock_guard lock(state_mutex_);
  Work work;
  work.entries = entries_;
  State state;
  std::vector<FlowFile> updated;
  std::vector<FlowFile> clones;
  handle_queued(
      session, usual_batch,
      [&] {
        state = state_;
        updated.clear();
        clones.clear();
      },
      [&](const FlowFile& flow_file) {
        update(session, flow_file, &state, work);
        for (const auto& [name, value] : work.remembered) state[name] = value;
        updated.push_back(flow_file);
        clones.insert(clones.end(), work.clones.begin(), work.clones.end());
      });
  if (updated.empty()) return;

  const Relationship* destination = &success;
  if (state != state_) {
    try {
      context.state().set(state);
      state_ = std::move(state);
    } catch (const storage::StorageError& error) {
      context.log().error("The state of {} FlowFiles could not be stored: {}", updated.size(),
                          error.what());
      destination = &set_state_fail;
      context.yield();
    }
  }
  for (const FlowFile& flow_file : updated) session.transfer(flow_file, *destination);
  for (const FlowFile& clone : clones) {
    if (destination == &success) {
      session.transfer(clone, success);
    } else {
      session.remove(clone);
    }
  }
}

void UpdateAttribute::on_trigger(ProcessContext& context, ProcessSession& session) {
  if (is_stateful_) return trigger_stateful(context, session);
  Work work;
  work.entries = entries_;
  handle_queued(session, usual_batch, [&](const FlowFile& flow_file) {
    update(session, flow_file, nullptr, work);
    session.transfer(flow_file, success);
    for (const FlowFile& clone : work.clones) session.transfer(clone, success);
  });
}

const ProcessorDefinition& update_attribute() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
