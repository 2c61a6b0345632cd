#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/expression/evaluation.h"
#include "engine/expression/expression.h"
#include "engine/expression/node.h"

namespace weir::expression {

// A text with expressions in it, ready to be evaluated. Immutable, thread safe.
class CompiledText final : public PreparedExpression {
 public:
  // Not null, but without an expression, where nothing in the text is one; `$$` that escapes is
  // resolved. Offsets of errors count from the text's first byte.
  static std::expected<std::shared_ptr<const CompiledText>, Error> compile(
      std::string_view text, const Environment& environment);

  bool has_expression() const { return has_expression_; }
  const std::vector<Error>& warnings() const { return warnings_; }
  // Of a text without an expression.
  std::string plain_text() const;

  void evaluate(const ExpressionInputs& inputs, std::string& out) const override;
  // For a text within an evaluation.
  void evaluate(const ExpressionInputs& inputs, int depth, std::string& out) const;
  ExpressionResult result() const override;

 private:
  struct Piece {
    std::string text;  // where there is no expression
    NodePtr expression = {};
  };

  explicit CompiledText(const Environment& environment) : environment_(environment) {}
  void add_plain(std::string text) { pieces_.push_back({std::move(text)}); }

  // A copy: what it points to lives longer, the struct itself need not.
  const Environment environment_;
  std::vector<Piece> pieces_;
  bool has_expression_ = false;
  std::vector<Error> warnings_;
};

}  // namespace weir::expression
