#include "engine/expression/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "engine/api/error.h"
#include "engine/expression/functions.h"

namespace weir::expression {

Constant::Constant(std::string text, bool literal)
    : Node(Type::string),
      storage_(std::move(text)),
      value_(Value::of_text(storage_)),
      literal_(literal) {}

Value AttributeReference::evaluate(Evaluation& evaluation) const {
  const Value name = name_->evaluate(evaluation);
  if (name.is_null()) return {};
  const auto value = evaluation.attribute(name.text());
  return value ? Value::of_text(*value) : Value();
}

Joined::Joined(std::vector<NodePtr> parts) : Node(Type::string), parts_(std::move(parts)) {
  for (const NodePtr& part : parts_) deepen(*part);
}

Value Joined::evaluate(Evaluation& evaluation) const {
  boost::container::small_vector<std::string_view, 8> texts;
  std::size_t size = 0;
  for (const NodePtr& part : parts_) {
    const Value value = part->evaluate(evaluation);
    if (value.is_null()) continue;
    texts.push_back(value.text());
    size += value.text().size();
  }
  char* const start = evaluation.allocate(size);
  char* end = start;
  for (const std::string_view text : texts) end = std::copy(text.begin(), text.end(), end);
  return Value::of_text({start, size});
}

Call::Call(const Function& function, NodePtr subject, std::vector<NodePtr> arguments,
           std::vector<std::unique_ptr<const PreparedData>> prepared)
    : Node(function.result),
      function_(function),
      run_(function.run),
      subject_(std::move(subject)),
      arguments_(std::move(arguments)),
      prepared_(std::move(prepared)) {
  reducing_ = function.reduces;
  if (subject_) deepen(*subject_);
  for (const NodePtr& argument : arguments_) deepen(*argument);
}

std::optional<std::int64_t> Call::argument_whole(std::size_t index, Evaluation& evaluation) const {
  const Value value = arguments_[index]->evaluate(evaluation);
  if (value.is_null()) return std::nullopt;
  return value.whole();
}

std::string_view Call::required_text(std::size_t index, Evaluation& evaluation) const {
  const Value value = arguments_[index]->evaluate(evaluation);
  if (value.is_null()) fail(fmt::format("argument {} has no value", index + 1));
  return value.text();
}

std::int64_t Call::required_whole(std::size_t index, Evaluation& evaluation) const {
  const Value value = arguments_[index]->evaluate(evaluation);
  if (value.is_null()) fail(fmt::format("argument {} is not a whole number", index + 1));
  return value.whole();
}

void Call::fail(std::string_view what) const {
  throw ProcessException(fmt::format("{}: {}", function_.name, what));
}

}  // namespace weir::expression
