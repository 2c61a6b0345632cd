#pragma once

#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/expression/expression.h"
#include "engine/expression/node.h"
#include "engine/expression/syntax.h"

namespace weir::expression {

// Compiles one expression, from its $ to its closing brace: names resolved, types checked,
// constant arguments prepared. Offsets of errors count from the expression's first byte.
class Compiler {
 public:
  explicit Compiler(const Environment& environment) : environment_(environment) {}

  // `nesting`: how many expressions are around it.
  std::expected<NodePtr, Error> compile(std::string_view expression, int nesting = 0);
  // Of all that has been compiled since the last call.
  std::vector<Error> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  using Built = std::expected<NodePtr, Error>;

  Built build(const Syntax& syntax);
  Built chain(const Syntax& expression);
  Built head(const Syntax& syntax);
  Built call(const Syntax& syntax, NodePtr subject);
  Built bind(const Function& function, const Syntax& syntax, NodePtr subject,
             std::vector<NodePtr> arguments);
  Built loop(NodePtr logic, std::size_t offset);
  Built loop_source(const Syntax& syntax);
  Built delineated(const Syntax& syntax);
  Built parameter(const Syntax& syntax);
  // A text in quotes or a name: with the expressions in it.
  Built text(std::string_view written, std::size_t offset);
  Built text_with_escapes(std::string_view written);
  std::expected<std::string, Error> loop_name(const Syntax& syntax);

  void warn(const Function& function, const Syntax& argument);

  const Environment& environment_;
  int nesting_ = 0;
  std::size_t base_ = 0;  // of the expression at hand, within that given to `compile`
  std::vector<Error> warnings_;
};

}  // namespace weir::expression
