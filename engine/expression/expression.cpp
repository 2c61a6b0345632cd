#include "engine/expression/expression.h"

#include "engine/expression/compiled_text.h"
#include "engine/expression/parameter_text.h"

namespace weir::expression {

std::expected<Prepared, Error> prepare(std::string_view text, ExpressionScope scope,
                                       const Environment& environment) {
  const bool none = scope == ExpressionScope::none;
  auto substituted = put_parameters_in(text, environment, none);
  if (!substituted) return std::unexpected(std::move(substituted.error()));
  if (none) return Prepared{std::move(substituted->text)};
  auto compiled = CompiledText::compile(substituted->text, environment);
  if (!compiled) {
    compiled.error().offset = substituted->original(compiled.error().offset);
    return std::unexpected(std::move(compiled.error()));
  }
  if (!(*compiled)->has_expression()) return Prepared{(*compiled)->plain_text()};
  std::vector<Error> warnings = (*compiled)->warnings();
  for (Error& warning : warnings) warning.offset = substituted->original(warning.offset);
  return Prepared{std::move(substituted->text), *std::move(compiled), std::move(warnings)};
}

}  // namespace weir::expression
