#pragma once

#include <memory>
#include <vector>

#include "processors/jolt/modify_functions.h"
#include "processors/jolt/path.h"

namespace weir::jolt {

// The right side of a key of `modify`: a value, "@(1,a)", "=size", "=join(',',@(1,list))", or
// several of them in an array, of which the first that gives something counts. Thread safe.
class Expression {
 public:
  // What it makes for its own use lives in `arena`; other values stay those of the spec. Throws
  // SpecError.
  Expression(const Place& place, const Value& value, Arena& arena);
  // `current`: the value under the key.
  Result evaluate(Input current, const Walk& walk) const;

 private:
  struct Argument {
    enum class Source { literal, document, context };
    Source source = Source::literal;
    Value literal = {};
    ElementPtr reference = {};  // of `document`
  };
  struct Choice {
    bool is_call = false;
    Function function = nullptr;  // null in a call: no function of that name
    std::vector<Argument> arguments;
    std::optional<Pattern> separator;
  };

  static Choice parse_choice(const Place& place, const Value& value, Arena& arena);
  static Choice parse_call(const Place& place, std::string_view text, Arena& arena);
  static Argument parse_argument(const Place& place, std::string_view text, bool of_call,
                                 Arena& arena);
  static Value parse_literal(const Place& place, std::string_view text, Arena& arena);
  static Input value_of(const Argument& argument, const Walk& walk);
  static Result evaluate_choice(const Choice& choice, Input current, const Walk& walk);

  std::vector<Choice> choices_;
};

}  // namespace weir::jolt
