#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

class FlowFile;

enum class ExpressionScope { none, environment, flow_file_attributes };

struct AllowableValue {
  std::string value;
  std::string display_name = {};  // empty: as `value`
  std::string description = {};
};

// nullopt: fine. Otherwise a sentence that says what is wrong, without the property's name.
using Validator = std::function<std::optional<std::string>(std::string_view value)>;

namespace validators {
Validator non_empty();
Validator boolean();
Validator integer(std::int64_t least, std::int64_t most = INT64_MAX);
Validator number();  // decimal
Validator data_size(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);
Validator duration(std::chrono::nanoseconds least = std::chrono::nanoseconds(0));
Validator regular_expression();
Validator character_set();
}  // namespace validators

// Declares one property of a component. A constant of the component's file.
struct PropertyDescriptor {
  std::string name;               // NiFi's key in the flow JSON
  std::string display_name = {};  // empty: as `name`
  std::string description = {};
  std::optional<std::string> default_value = {};
  bool required = false;
  bool sensitive = false;
  std::vector<AllowableValue> allowable_values = {};
  Validator validator = {};  // not asked for allowable values
  ExpressionScope expression_scope = ExpressionScope::none;
  std::string controller_service = {};      // interface name where the value names a service
  std::vector<std::string> old_names = {};  // accepted in flows as well
  struct Dependency {
    std::string property;
    std::vector<std::string> values = {};  // empty: whenever the property has a value
  };
  std::vector<Dependency> depends_on = {};  // all must hold, else the property has no effect

  const std::string& shown_name() const { return display_name.empty() ? name : display_name; }
};

// What an expression sees. All are borrowed for the call.
struct ExpressionInputs {
  const FlowFile* flow_file = nullptr;
  // Names that win over the FlowFile's attributes, such as ReplaceText's "$1".
  const std::map<std::string, std::string, std::less<>>* variables = nullptr;
  // What getStateValue reads; null: asking for it is an error.
  const std::map<std::string, std::string>* state = nullptr;
  // Applied to what each ${...} gives before it is joined with the text around it, for example to
  // quote it within a regular expression.
  const std::function<std::string(std::string)>* decorate = nullptr;
};

// The type of what an expression gives, known without evaluating it. A text with anything beside
// one expression is a string.
enum class ExpressionResult { string, boolean, whole_number, decimal, number, date, instant };

// How the engine evaluates a value that holds an expression: made once when the component is
// scheduled (engine/expression). A plain value has none. Thread safe.
class PreparedExpression {
 public:
  virtual ~PreparedExpression() = default;
  // Appends the value to `out`. Throws ProcessException where evaluation fails.
  virtual void evaluate(const ExpressionInputs& inputs, std::string& out) const = 0;
  virtual ExpressionResult result() const = 0;
};

// The value of one property of a scheduled component. Valid while the component is scheduled.
// The plain getters are for properties without expression; a conversion that fails throws
// ProcessException naming property and value, which cannot happen to a value the validator took.
class PropertyValue {
 public:
  PropertyValue() = default;
  PropertyValue(const std::string* name, const std::string* text,
                const PreparedExpression* expression = nullptr)
      : name_(name), text_(text), expression_(expression) {}

  bool is_set() const { return text_ != nullptr; }
  bool has_expression() const { return expression_ != nullptr; }
  // The text as it stands in the flow; "" where not set.
  const std::string& text() const;

  // With expressions evaluated; a plain value is given as it is.
  std::string evaluate(const FlowFile& flow_file) const;
  std::string evaluate() const;
  std::string evaluate(const ExpressionInputs& inputs) const;
  // Replaces what `out` holds; for triggers that evaluate often.
  void evaluate(const ExpressionInputs& inputs, std::string& out) const;
  // string where there is no expression.
  ExpressionResult expression_result() const;

  std::int64_t integer() const;
  bool boolean() const;
  std::uint64_t data_size() const;
  std::chrono::nanoseconds duration() const;
  std::int64_t integer(const FlowFile& flow_file) const;
  std::uint64_t data_size(const FlowFile& flow_file) const;
  std::chrono::nanoseconds duration(const FlowFile& flow_file) const;

 private:
  const std::string* name_ = nullptr;
  const std::string* text_ = nullptr;
  const PreparedExpression* expression_ = nullptr;
};

}  // namespace weir
