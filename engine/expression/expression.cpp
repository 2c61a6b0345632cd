#include "engine/expression/expression.h"

#include "engine/api/flow_file.h"

namespace weir::expression {
namespace {

// Replaces each ${name} by the attribute of that name.
class AttributeReference : public PreparedExpression {
 public:
  explicit AttributeReference(std::string text) : text_(std::move(text)) {}
  void evaluate(const ExpressionInputs& inputs, std::string& out) const override {
    std::size_t at = 0;
    while (true) {
      const std::size_t start = text_.find("${", at);
      const std::size_t end = start == std::string::npos ? start : text_.find('}', start);
      if (end == std::string::npos) {
        out += text_.substr(at);
        return;
      }
      out += text_.substr(at, start - at);
      const std::string name = text_.substr(start + 2, end - start - 2);
      if (inputs.flow_file) out += inputs.flow_file->attribute(name).value_or("");
      at = end + 1;
    }
  }
  ExpressionResult result() const override { return ExpressionResult::string; }

 private:
  std::string text_;
};

}  // namespace

std::expected<Prepared, Error> prepare(std::string_view text, ExpressionScope scope,
                                       const Environment&) {
  Prepared prepared{std::string(text)};
  if (scope != ExpressionScope::none && prepared.text.find("${") != std::string::npos) {
    prepared.expression = std::make_shared<AttributeReference>(prepared.text);
  }
  return prepared;
}

}  // namespace weir::expression
