#include "processors/attribute/update_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "engine/api/annotation.h"
#include "engine/api/units.h"
#include "processors/support/java_text.h"

namespace weir::processors {

Removal prepare_removal(PropertyValue expression) {
  Removal made{std::move(expression), std::nullopt};
  if (!made.expression.is_set() || made.expression.has_expression()) return made;
  auto compiled = Pattern::compile(made.expression.text());
  if (!compiled) throw ProcessException(compiled.error());
  made.pattern = *std::move(compiled);
  return made;
}

UpdateRules::UpdateRules(const PropertyContext& context, const std::string& removal_name,
                         std::span<const Entry> names, std::span<const PropertyValue> defaults)
    : use_original_(context.property(policy_key()).text() == "USE_ORIGINAL") {
  const std::vector<std::string> dynamic = context.dynamic_properties();
  std::set<std::string, std::less<>> set{std::string(matched_rule)};
  for (const Entry& entry : names) set.insert(entry.first);
  for (const std::string& name : dynamic) {
    const auto key = RuleKey::parse(name);
    if (!key || key->part != RuleKey::Part::action) continue;
    if (key->attribute != removal_name && key->attribute != attribute::uuid) {
      set.emplace(key->attribute);
    }
  }
  attributes_.assign(set.begin(), set.end());
  defaults_.resize(attributes_.size());
  for (std::size_t i = 0; i < names.size(); ++i) defaults_[index_of(names[i].first)] = defaults[i];
  matched_rule_ = index_of(matched_rule);
  add_rules(context, dynamic, removal_name);
}

void UpdateRules::add_rules(const PropertyContext& context, std::span<const std::string> dynamic,
                            const std::string& removal_name) {
  std::optional<std::size_t> number;  // of the rule at hand, as the keys have it
  for (const std::string& name : dynamic) {
    const auto key = RuleKey::parse(name);
    if (!key) continue;
    if (number != key->rule) rules_.emplace_back();
    number = key->rule;
    Rule& rule = rules_.back();
    const PropertyValue value = context.property(std::string_view(name));
    if (key->part == RuleKey::Part::name) {
      rule.name = value;
    } else if (key->part == RuleKey::Part::condition) {
      rule.conditions.push_back(value);
    } else if (key->attribute == removal_name) {
      rule.removal = prepare_removal(value);
    } else if (key->attribute != attribute::uuid) {
      rule.actions.push_back({index_of(key->attribute), value});
    }
  }
}

std::size_t UpdateRules::index_of(std::string_view attribute) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(attributes_, attribute) -
                                  attributes_.begin());
}

std::vector<ValidationProblem> UpdateRules::validate(const PropertyContext& context,
                                                     const std::string& removal_name) {
  std::vector<ValidationProblem> problems;
  for (const std::string& name : context.dynamic_properties()) {
    const auto key = RuleKey::parse(name);
    if (!key) continue;
    const PropertyValue value = context.property(std::string_view(name));
    if (key->part == RuleKey::Part::condition &&
        value.expression_result() != ExpressionResult::boolean) {
      problems.push_back({name, "must be one expression that gives true or false"});
    }
    if (key->part != RuleKey::Part::action || key->attribute != removal_name) continue;
    if (value.has_expression()) continue;
    const auto compiled = Pattern::compile(value.text());
    if (!compiled) problems.push_back({name, compiled.error()});
  }
  return problems;
}

void UpdateRules::match(const ExpressionInputs& inputs, Matches& matches) const {
  matches.clear();
  std::string value;
  const auto holds = [&](const PropertyValue& condition) {
    condition.evaluate(inputs, value);
    return parse_boolean(trim(value)).value_or(false);
  };
  for (const Rule& rule : rules_) {
    if (std::ranges::all_of(rule.conditions, holds)) matches.push_back(&rule);
  }
}

void UpdateRules::evaluate(std::span<const Rule* const> rules, const ExpressionInputs& inputs,
                           Update& update) const {
  update.removal = nullptr;
  update.values.clear();
  for (const PropertyValue& value : defaults_) update.values.push_back(&value);
  for (const Rule* const rule : rules) {
    for (const Action& action : rule->actions) update.values[action.attribute] = &action.value;
    if (rule->removal) update.removal = &*rule->removal;
  }
  update.values[matched_rule_] = &rules.back()->name;

  std::size_t used = 0;
  if (update.entries.size() < attributes_.size()) update.entries.resize(attributes_.size());
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    if (!update.values[i]->is_set()) continue;
    Entry& entry = update.entries[used++];
    entry.first = attributes_[i];
    update.values[i]->evaluate(inputs, entry.second);
  }
  update.set = std::span(update.entries).first(used);
}

}  // namespace weir::processors
