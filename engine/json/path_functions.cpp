#include <cmath>

#include "engine/json/path_evaluator.h"
#include "engine/json/write.h"

namespace weir::json {
namespace {

using Failure = EvaluationState::Failure;

std::int64_t count_children(const Value& found, bool is_definite) {
  if (is_definite) return found.is_container() ? static_cast<std::int64_t>(found.size()) : 0;
  std::int64_t children = 0;
  for (const Value& item : found.items()) children += count_children(item, true);
  return children;
}

class FunctionCall {
 public:
  FunctionCall(const Token& token, const Value& model, EvaluationState& state)
      : token_(token), model_(model), state_(state) {}

  bool call(Value& result);

 private:
  bool invalid(std::string_view why) {
    return state_.fail(Failure::invalid, why, token_.names.front());
  }

  bool evaluate_parameters();
  bool length(Value& result);
  bool aggregate(Value& result);
  bool pick(Value& result, std::int64_t index);
  bool index(Value& result);
  bool concat(Value& result);
  void append(Value& result);

  template <typename Each>
  void each_number(const Value& value, const Each& each) {
    if (value.is_array()) {
      for (const Value& item : value.items()) {
        if (item.is_number()) each(item);
      }
    } else if (value.is_number()) {
      each(value);
    }
  }

  const Token& token_;
  const Value& model_;
  EvaluationState& state_;
  std::vector<Value> parameters_;
};

bool FunctionCall::evaluate_parameters() {
  for (const Parameter& parameter : token_.parameters) {
    Value value;
    if (parameter.path) {
      if (!PathEvaluator::evaluate(*parameter.path, state_.root, state_, value)) return false;
    } else if (parameter.json) {
      value = *parameter.json;
    } else {
      return invalid("a parameter that is no JSON");
    }
    parameters_.push_back(value);
    if (value.is_container() && !state_.spend(value.size())) return false;
  }
  return !model_.is_container() || state_.spend(model_.size());
}

bool FunctionCall::call(Value& result) {
  if (!evaluate_parameters()) return false;
  switch (token_.function) {
    case Function::length:
      return length(result);
    case Function::min:
    case Function::max:
    case Function::avg:
    case Function::sum:
    case Function::stddev:
      return aggregate(result);
    case Function::first:
      return pick(result, 0);
    case Function::last:
      return pick(result, -1);
    case Function::index:
      return index(result);
    case Function::concat:
      return concat(result);
    case Function::append:
      append(result);
      return true;
    case Function::keys:
      result = Value();
      if (model_.is_object()) {
        Value keys = Value::array(state_.arena, model_.size());
        for (const Member& member : model_.members()) {
          keys.push_back(state_.arena, Value::string(member.name));
        }
        result = keys.as_key_set();
      }
      return true;
    case Function::unknown:
      return invalid("no such function");
  }
  return true;
}

// The length of an array or object; with a path, how many children has what the path finds; with
// a path that ends with a function, the length of the array that it gives.
bool FunctionCall::length(Value& result) {
  result = Value();
  if (!token_.parameters.empty()) {
    const Parameter& parameter = token_.parameters.front();
    if (!parameter.path) return invalid("a parameter that is no path");
    const Value& of = parameters_.front();
    if (!parameter.path->ends_with_function()) {
      result = Value::integer(count_children(of, parameter.path->is_definite));
      return true;
    }
    if (of.is_array()) {
      result = Value::integer(static_cast<std::int64_t>(of.size()));
      return true;
    }
  }
  if (model_.is_container()) result = Value::integer(static_cast<std::int64_t>(model_.size()));
  return true;
}

bool FunctionCall::aggregate(Value& result) {
  double sum = 0;
  double squares = 0;
  double least = INFINITY;
  double most = -INFINITY;
  double count = 0;
  const auto next = [&](const Value& number) {
    const double value = number.as_double();
    sum += value;
    squares += value * value;
    if (value < least) least = value;
    if (value > most) most = value;
    ++count;
  };
  if (model_.is_array()) each_number(model_, next);
  for (const Value& parameter : parameters_) each_number(parameter, next);
  if (count == 0) return invalid("no numbers");
  double value = sum;
  if (token_.function == Function::min) value = least;
  if (token_.function == Function::max) value = most;
  if (token_.function == Function::avg) value = sum / count;
  if (token_.function == Function::stddev) {
    value = std::sqrt(squares / count - sum * sum / count / count);
  }
  result = Value::decimal(value, state_.arena);
  return true;
}

bool FunctionCall::pick(Value& result, std::int64_t index) {
  if (!model_.is_array()) return invalid("no array");
  const auto items = model_.items();
  const auto size = static_cast<std::int64_t>(items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return invalid("the array is too short");
  result = items[static_cast<std::size_t>(index)];
  return true;
}

bool FunctionCall::index(Value& result) {
  std::optional<std::int64_t> index;
  for (const Value& parameter : parameters_) {
    each_number(parameter, [&](const Value& number) {
      if (!index) index = static_cast<std::int32_t>(number.as_double());
    });
  }
  if (!index) return invalid("a number is missing");
  return pick(result, *index);
}

bool FunctionCall::concat(Value& result) {
  std::string text;
  if (model_.is_array()) {
    for (const Value& item : model_.items()) {
      if (item.is_string()) text += item.as_text();
    }
  }
  for (const Value& parameter : parameters_) {
    if (!parameter.is_null()) append_java_text(parameter, text);
  }
  result = Value::string(text, state_.arena);
  return state_.spend(text.size());
}

void FunctionCall::append(Value& result) {
  result = model_;
  if (!model_.is_array()) return;
  result = Value::array(state_.arena, model_.size() + parameters_.size());
  for (const Value& item : model_.items()) result.push_back(state_.arena, item);
  for (const Value& parameter : parameters_) result.push_back(state_.arena, parameter);
}

}  // namespace

bool evaluate_function(const Token& token, const Value& model, EvaluationState& state,
                       Value& result) {
  return FunctionCall(token, model, state).call(result);
}

}  // namespace weir::json
