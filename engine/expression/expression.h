#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/environment.h"
#include "engine/api/property.h"

namespace weir::expression {

struct Parameter {
  std::string value;
  bool sensitive = false;
};

// Where #{name} comes from: the parameter context of a component's group, what it inherits
// included. Thread safe.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual const Parameter* find(std::string_view name) const = 0;
};

// What expressions need of the world. All must outlive the prepared expressions.
struct Environment {
  Clock& clock;
  Random& random;
  const Parameters* parameters = nullptr;  // null: no #{name} can be resolved
  // An unknown #{name} is null within ${...} and stays as it stands elsewhere, as NiFi's evaluator
  // has it. Else it is an error, as NiFi's check of a component has it.
  bool lenient_parameters = false;
};

struct Error {
  std::size_t offset = 0;  // bytes into the text as it stands in the flow
  std::string message;
};

// The value of a property made ready.
struct Prepared {
  std::string text;  // with #{name} outside of ${...} put in
  std::shared_ptr<const PreparedExpression> expression = {};  // null: the text is the value
  // What is well formed and yet looks like a slip, such as minutes in the pattern of a date.
  std::vector<Error> warnings = {};
};

// Puts parameters in, then compiles what is an expression: once, when a component is checked or
// scheduled. With `scope` none only parameters are looked for. The error: a parameter that is not
// there, a malformed expression (unknown function, wrong number or type of arguments, a literal
// argument that cannot be right).
std::expected<Prepared, Error> prepare(std::string_view text, ExpressionScope scope,
                                       const Environment& environment);

}  // namespace weir::expression
