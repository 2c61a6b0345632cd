#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/flow_file.h"
#include "engine/api/pattern.h"
#include "engine/api/processor.h"

namespace weir::processors {

// Names the last rule that matched. Not remembered where state is stored.
inline constexpr std::string_view matched_rule = "UpdateAttribute.matchedRule";

// Which attributes UpdateAttribute removes: those whose names an expression matches.
struct Removal {
  PropertyValue expression;
  std::optional<Pattern> pattern;  // where the expression does not come from attributes
};

// Throws ProcessException where the pattern is malformed.
Removal prepare_removal(PropertyValue expression);

// The rules of UpdateAttribute's Advanced dialog (engine/api/annotation.h). Immutable, thread safe;
// valid while the processor is scheduled.
class UpdateRules {
 public:
  using Entry = flowfile::Attributes::Entry;

  struct Action {
    std::size_t attribute;  // index of `attributes`
    PropertyValue value;
  };
  struct Rule {
    PropertyValue name;
    std::vector<PropertyValue> conditions;
    std::vector<Action> actions;
    std::optional<Removal> removal;  // in place of the property's
  };
  using Matches = std::vector<const Rule*>;

  // What to do with one FlowFile; kept over FlowFiles, so that strings need not grow anew.
  struct Update {
    std::span<const Entry> set;                // the attributes, sorted by name
    const Removal* removal = nullptr;          // the property's, where no rule has one
    std::vector<const PropertyValue*> values;  // one an attribute
    std::vector<Entry> entries;                // as many as ever were needed
  };

  UpdateRules() = default;
  // `removal_name`: the property that an action may set as if it were an attribute. `defaults`
  // are the values that `names` get where no rule says otherwise.
  UpdateRules(const PropertyContext& context, const std::string& removal_name,
              std::span<const Entry> names, std::span<const PropertyValue> defaults);

  static std::vector<ValidationProblem> validate(const PropertyContext& context,
                                                 const std::string& removal_name);

  bool empty() const { return rules_.empty(); }
  // Whether all rules that match change the one FlowFile; else each has a FlowFile of its own.
  bool use_original() const { return use_original_; }
  // Every attribute that a property or a rule sets, and `matched_rule`; sorted.
  const std::vector<std::string>& attributes() const { return attributes_; }

  // The rules that match, in their order: all their conditions hold.
  void match(const ExpressionInputs& inputs, Matches& matches) const;
  // What these rules (at least one) and the defaults set: a later rule wins over an earlier one and
  // that over a default.
  void evaluate(std::span<const Rule* const> rules, const ExpressionInputs& inputs,
                Update& update) const;

 private:
  void add_rules(const PropertyContext& context, std::span<const std::string> dynamic,
                 const std::string& removal_name);
  std::size_t index_of(std::string_view attribute) const;

  bool use_original_ = false;
  std::vector<Rule> rules_;
  std::vector<std::string> attributes_;
  std::vector<PropertyValue> defaults_;  // one an attribute; not set where no property sets it
  std::size_t matched_rule_ = 0;         // its index
};

}  // namespace weir::processors
