#include <array>

#include "engine/expression/functions.h"
#include "engine/text/java_case.h"
#include "engine/text/utf16.h"

// Functions that look for a text in another.
namespace weir::expression {
namespace {

using Test = bool (*)(std::string_view subject, std::string_view wanted);

// False where either has no value.
template <Test Holds>
Value test(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return Value::of_boolean(false);
  const auto wanted = call.argument_text(0, evaluation);
  return Value::of_boolean(wanted && Holds(*subject, *wanted));
}

bool starts_with(std::string_view subject, std::string_view wanted) {
  return subject.starts_with(wanted);
}
bool ends_with(std::string_view subject, std::string_view wanted) {
  return subject.ends_with(wanted);
}
bool contains(std::string_view subject, std::string_view wanted) {
  return subject.contains(wanted);
}

Value in(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return Value::of_boolean(false);
  for (std::size_t i = 0; i < call.argument_count(); ++i) {
    const auto wanted = call.argument_text(i, evaluation);
    if (wanted && *wanted == *subject) return Value::of_boolean(true);
  }
  return Value::of_boolean(false);
}

Value index_of(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return Value::of_whole(-1);
  return Value::of_whole(text::index_of(*subject, call.required_text(0, evaluation)));
}

Value last_index_of(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return Value::of_whole(-1);
  return Value::of_whole(text::last_index_of(*subject, call.required_text(0, evaluation)));
}

const std::array all = {
    Function{"contains", Type::boolean, test<contains>, 1, 1},
    Function{"endsWith", Type::boolean, test<ends_with>, 1, 1},
    Function{"equalsIgnoreCase", Type::boolean, test<text::equals_ignore_case>, 1, 1},
    Function{"in", Type::boolean, in, 1, any_number},
    Function{"indexOf", Type::whole_number, index_of, 1, 1},
    Function{"lastIndexOf", Type::whole_number, last_index_of, 1, 1},
    Function{"startsWith", Type::boolean, test<starts_with>, 1, 1},
};

}  // namespace

std::span<const Function> search_functions() {
  return all;
}

}  // namespace weir::expression
