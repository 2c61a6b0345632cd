#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/json/path_program.h"

namespace weir::json {

// What all evaluations of one call share: the budget, the first failure, what filters need of the
// whole document.
struct EvaluationState {
  enum class Failure {
    none,
    not_found,
    bad_filter,  // within a filter: the element does not match
    invalid,
    limit,
  };

  const Value& root;
  Arena& arena;
  std::uint64_t steps_left = JsonPath::most_steps;
  std::uint64_t results_left = JsonPath::most_results;

  Failure failure = Failure::none;
  std::string_view reason = {};  // of the failure, for people; a constant
  std::string detail = {};       // what it is about

  // Paths from the root within filters give the same for every element.
  std::unordered_map<const Program*, std::optional<Value>> root_paths = {};

  bool fail(Failure what, std::string_view why, std::string_view about = {}) {
    failure = what;
    reason = why;
    detail = about;
    return false;
  }
  // One more value looked at; false where there were too many.
  bool step() { return spend(1); }
  bool spend(std::uint64_t steps) {
    if (steps > steps_left) return fail(Failure::limit, "the path visits too many values");
    steps_left -= steps;
    return true;
  }
  // Whether the last failure was that nothing was found; then it is forgotten.
  bool was_not_found();
};

// A place that a change applies to.
struct PathRef {
  enum class Kind { none, root, item, member, members };

  Kind kind = Kind::none;
  Value parent = {};
  std::int64_t index = 0;                           // item: as the path has it, also negative
  std::string_view name = {};                       // member
  const std::vector<std::string>* names = nullptr;  // members
};

// Evaluates one path over one document. False means: the state has a failure.
class PathEvaluator {
 public:
  struct Mode {
    bool for_update = false;           // gather the places as well
    bool requires_properties = false;  // a name that is missing is a failure (existence checks)
  };

  PathEvaluator(const Program& program, EvaluationState& state, Mode mode)
      : program_(program), state_(state), mode_(mode) {}

  bool run(const Value& document);
  // What the run found: the element of a definite path, else all in an array.
  bool result(Value& value);
  bool has_results() const { return !results_.empty(); }
  const std::vector<PathRef>& refs() const { return refs_; }

  // The element that a simple path names; null where there is none.
  static const Value* find_simple(const Program& program, const Value& document);
  // Runs a path and gives its result.
  static bool evaluate(const Program& program, const Value& document, EvaluationState& state,
                       Value& value);

 private:
  bool evaluate(std::size_t at, const PathRef& ref, const Value& model);
  bool add_result(const PathRef& ref, const Value& value);
  bool evaluate_property(std::size_t at, const Value& model);
  bool follow_name(std::size_t at, const Value& model, const std::string& name);
  bool merge_names(std::size_t at, const Value& model);
  bool evaluate_wildcard(std::size_t at, const Value& model);
  bool evaluate_array(std::size_t at, const Value& model);
  bool evaluate_slice(std::size_t at, const Value& model);
  bool follow_index(std::size_t at, const Value& model, std::int64_t index);
  bool evaluate_filter(std::size_t at, const PathRef& ref, const Value& model);
  // `matches`: whether the filter takes the element.
  bool accept(const Token& token, const Value& element, bool& matches);
  bool evaluate_function(std::size_t at, const PathRef& ref, const Value& model);
  bool scan(std::size_t target, const PathRef& ref, const Value& model);
  bool scan_array(std::size_t target, const PathRef& ref, const Value& model);
  bool scan_object(std::size_t target, const PathRef& ref, const Value& model);
  bool scan_matches(std::size_t target, const Value& model, bool& matches);
  PathRef member_ref(const Value& parent, std::string_view name) const;
  PathRef item_ref(const Value& parent, std::int64_t index) const;

  const Program& program_;
  EvaluationState& state_;
  Mode mode_;
  std::vector<Value> results_;
  std::vector<PathRef> refs_;
};

// Whether `expression` holds for `element`. Failures are in the state.
bool evaluate_filter(const Expression& expression, const Value& element, EvaluationState& state,
                     bool& holds);

// What the function gives for `model`.
bool evaluate_function(const Token& token, const Value& model, EvaluationState& state,
                       Value& result);

}  // namespace weir::json
