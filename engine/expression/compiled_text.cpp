#include "engine/expression/compiled_text.h"

#include "engine/expression/compiler.h"
#include "engine/expression/scanner.h"

namespace weir::expression {
namespace {

// $$ stands for $ where it escapes an expression; $$ elsewhere stays, as does all behind it up to
// the next such place.
std::string without_expressions(std::string_view text) {
  const std::vector<Range> escaped = escaped_ranges(text);
  if (escaped.empty()) return std::string(text);
  std::string out;
  std::size_t done = 0;
  for (const Range& range : escaped) {
    out += unescape_leading_dollars(text.substr(done, range.begin - done));
    out += unescape_leading_dollars(text.substr(range.begin, range.end - range.begin));
    done = range.end;
  }
  out += unescape_leading_dollars(text.substr(done));
  return out;
}

}  // namespace

std::expected<std::shared_ptr<const CompiledText>, Error> CompiledText::compile(
    std::string_view text, const Environment& environment) {
  std::shared_ptr<CompiledText> compiled(new CompiledText(environment));
  const std::vector<Range> ranges = expression_ranges(text);
  if (ranges.empty()) {
    compiled->add_plain(without_expressions(text));
    return compiled;
  }
  compiled->has_expression_ = true;
  Compiler compiler(compiled->environment_);
  std::size_t done = 0;
  for (const Range& range : ranges) {
    auto node = compiler.compile(text.substr(range.begin, range.end - range.begin));
    if (!node) {
      node.error().offset += range.begin;
      return std::unexpected(std::move(node.error()));
    }
    for (Error& warning : compiler.take_warnings()) {
      warning.offset += range.begin;
      compiled->warnings_.push_back(std::move(warning));
    }
    if (range.begin > done) {
      std::string plain = unescape_leading_dollars(text.substr(done, range.begin - done));
      if ((*node)->is_attribute()) plain = unescape_trailing_dollars(plain, false);
      compiled->add_plain(std::move(plain));
    }
    compiled->pieces_.push_back({{}, *std::move(node)});
    done = range.end;
  }
  if (done < text.size()) compiled->add_plain(unescape_leading_dollars(text.substr(done)));
  return compiled;
}

std::string CompiledText::plain_text() const {
  return pieces_.empty() ? std::string() : pieces_.front().text;
}

void CompiledText::evaluate(const ExpressionInputs& inputs, std::string& out) const {
  evaluate(inputs, 0, out);
}

void CompiledText::evaluate(const ExpressionInputs& inputs, int depth, std::string& out) const {
  Evaluation evaluation(environment_, inputs, depth);
  for (const Piece& piece : pieces_) {
    if (!piece.expression) {
      out += piece.text;
      continue;
    }
    const Value value = piece.expression->evaluate(evaluation);
    if (value.is_null()) continue;
    if (!inputs.decorate) {
      value.append_to(out);
      continue;
    }
    std::string text;
    value.append_to(text);
    out += (*inputs.decorate)(std::move(text));
  }
}

ExpressionResult CompiledText::result() const {
  return pieces_.size() == 1 && pieces_.front().expression ? pieces_.front().expression->type()
                                                           : ExpressionResult::string;
}

}  // namespace weir::expression
