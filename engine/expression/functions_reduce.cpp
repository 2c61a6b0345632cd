#include <array>

#include "engine/expression/functions.h"

// What makes one value of many: join and count. On a single value they see one turn.
namespace weir::expression {
namespace {

Value join(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  Evaluation::Reduction* gathered = evaluation.reduction(&call);
  if (!gathered) return evaluation.text(subject.value_or(""));
  if (gathered->turns++ > 0) {
    const auto delimiter = call.argument_text(0, evaluation);
    // The argument may have begun to gather something of its own.
    gathered = evaluation.reduction(&call);
    gathered->text += delimiter.value_or("null");
  }
  gathered->text += subject.value_or("");
  if (gathered->text.size() > Scratch::text_limit_bytes) call.fail("the result grows past 64 MB");
  return Value::of_text(gathered->text);
}

// Neither null nor false counts.
Value count(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  const bool counts =
      !subject.is_null() && (subject.kind() != Value::Kind::boolean || subject.boolean());
  Evaluation::Reduction* gathered = evaluation.reduction(&call);
  if (!gathered) return Value::of_whole(counts ? 1 : 0);
  if (counts) ++gathered->count;
  return Value::of_whole(gathered->count);
}

const std::array all = {
    Function{.name = "count",
             .result = Type::whole_number,
             .run = count,
             .subject = As::any,
             .reduces = true},
    Function{.name = "join",
             .result = Type::string,
             .run = join,
             .least = 1,
             .most = 1,
             .reduces = true},
};

}  // namespace

std::span<const Function> reduce_functions() {
  return all;
}

}  // namespace weir::expression
