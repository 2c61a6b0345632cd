#include "tests/vectors/el_case.h"

#include <fmt/format.h>

#include <map>

#include "engine/api/environment.h"
#include "engine/api/error.h"
#include "engine/api/pattern.h"
#include "engine/expression/expression.h"

namespace weir::vectors {
namespace {

using nlohmann::json;

class CaseParameters final : public expression::Parameters {
 public:
  explicit CaseParameters(const json& vector_case) {
    const json given = vector_case.value("parameters", json::object());
    for (const auto& [name, value] : given.items()) {
      parameters_[name].value = value.get<std::string>();
    }
    const json sensitive = vector_case.value("sensitive", json::array());
    for (const auto& name : sensitive) parameters_[name.get<std::string>()].sensitive = true;
  }
  const expression::Parameter* find(std::string_view name) const override {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, expression::Parameter, std::less<>> parameters_;
};

// What an expression came to: a text, or the stage at which it failed and why.
struct Outcome {
  std::string stage;  // "", "invalid" or "evaluation"
  std::string text;
};

std::map<std::string, std::string, std::less<>> attributes_of(const json& vector_case) {
  std::map<std::string, std::string, std::less<>> attributes;
  const json given = vector_case.value("attributes", json::object());
  for (const auto& [name, value] : given.items()) {
    if (value.is_string()) attributes.emplace(name, value.get<std::string>());
  }
  return attributes;
}

Outcome evaluate(const json& vector_case) {
  const CaseParameters parameters(vector_case);
  const expression::Environment environment{.clock = system_clock(),
                                            .random = system_random(),
                                            .parameters = &parameters,
                                            .lenient_parameters = true};
  const auto prepared =
      expression::prepare(vector_case.at("expression").get_ref<const std::string&>(),
                          ExpressionScope::flow_file_attributes, environment);
  if (!prepared) return {"invalid", prepared.error().message};
  if (!prepared->expression) return {"", prepared->text};
  const auto attributes = attributes_of(vector_case);
  std::map<std::string, std::string> state;
  ExpressionInputs inputs{.variables = &attributes};
  if (vector_case.contains("state")) {
    state = vector_case.at("state").get<std::map<std::string, std::string>>();
    inputs.state = &state;
  }
  try {
    Outcome outcome;
    prepared->expression->evaluate(inputs, outcome.text);
    return outcome;
  } catch (const ProcessException& failure) {
    return {"evaluation", failure.what()};
  }
}

std::string shown(const Outcome& outcome) {
  if (outcome.stage.empty()) return fmt::format("'{}'", outcome.text);
  return fmt::format("{} ({})", outcome.stage, outcome.text);
}

}  // namespace

std::string run_el_case(const json& vector_case) {
  const Outcome outcome = evaluate(vector_case);
  if (vector_case.contains("expectError")) {
    const std::string stage = vector_case.at("expectError").get<std::string>();
    if (outcome.stage == stage) return {};
    return fmt::format("expected {}, got {}", stage, shown(outcome));
  }
  if (vector_case.contains("matches")) {
    const std::string expression = vector_case.at("matches").get<std::string>();
    const auto pattern = Pattern::compile(expression);
    if (!pattern) return fmt::format("'{}' is no pattern: {}", expression, pattern.error());
    if (outcome.stage.empty() && pattern->matches(outcome.text)) return {};
    return fmt::format("expected a match of '{}', got {}", expression, shown(outcome));
  }
  const std::string expected = vector_case.value("expect", "");
  if (outcome.stage.empty() && outcome.text == expected) return {};
  return fmt::format("expected '{}', got {}", expected, shown(outcome));
}

}  // namespace weir::vectors
