#include <fmt/format.h>

#include <array>
#include <vector>

#include "engine/expression/functions.h"
#include "engine/expression/pattern_cache.h"
#include "engine/text/java_case.h"

// Functions with regular expressions.
namespace weir::expression {
namespace {

using Made = std::expected<std::unique_ptr<const PreparedData>, std::string>;

struct PreparedPattern final : PreparedData {
  explicit PreparedPattern(Pattern compiled) : pattern(std::move(compiled)) {}
  const Pattern pattern;
};

Made prepare_pattern(const Value& argument) {
  if (argument.is_null()) return std::unexpected("null is no regular expression");
  auto compiled = Pattern::compile(argument.text());
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  return std::make_unique<PreparedPattern>(*std::move(compiled));
}

template <bool Whole>
Value match(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return Value::of_boolean(false);
  const Pattern* pattern = nullptr;
  if (const auto* prepared = call.prepared<PreparedPattern>(0)) {
    pattern = &prepared->pattern;
  } else {
    const auto expression = call.argument_text(0, evaluation);
    if (!expression) return Value::of_boolean(false);
    pattern = &cached_pattern(*expression);
  }
  return Value::of_boolean(Whole ? pattern->matches(*subject) : pattern->contains(*subject));
}

// A Match keeps memory that the next one uses again.
Match& match_of_thread() {
  thread_local Match match;
  return match;
}

void check_size(const Call& call, const std::string& out) {
  if (out.size() > Scratch::text_limit_bytes) call.fail("the result grows past 64 MB");
}

template <bool All>
Value replace(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const auto* prepared = call.prepared<PreparedPattern>(0);
  const std::string_view expression = call.required_text(0, evaluation);
  const std::string_view written = call.required_text(1, evaluation);
  const Pattern& pattern = prepared ? prepared->pattern : cached_pattern(expression);
  Match& match = match_of_thread();
  if (!pattern.find(*subject, 0, match)) return Value::of_text(*subject);
  const auto replacement = Replacement::parse(written, pattern);
  if (!replacement) call.fail(replacement.error());
  std::string& out = evaluation.buffer();
  std::size_t done = 0;
  do {
    out += subject->substr(done, match.start() - done);
    replacement->append_to(out, match);
    done = match.end();
    check_size(call, out);
  } while (All && pattern.find_next(*subject, match));
  out += subject->substr(done);
  return evaluation.text(out);
}

struct Mapping final : PreparedData {
  struct Rule {
    Pattern pattern;
    std::string replacement;
  };
  std::vector<Rule> rules;
};

std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    found.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  // As Java's split does.
  while (found.size() > 1 && found.back().empty()) found.pop_back();
  if (found.front().empty() && found.size() == 1 && !text.empty()) found.clear();
  return found;
}

// "expression:replacement,..." without any escapes. What cannot be compiled is left away, as is a
// pair with a blank half.
std::expected<std::unique_ptr<const Mapping>, std::string> parse_mapping(std::string_view text) {
  auto mapping = std::make_unique<Mapping>();
  if (text::trim(text).empty()) return mapping;
  for (const std::string_view pair : pieces(text, ',')) {
    const auto halves = pieces(text::trim(pair), ':');
    if (halves.size() < 2) {
      return std::unexpected(fmt::format("'{}' is no pair of expression and replacement", pair));
    }
    if (text::trim(halves[0]).empty() || text::trim(halves[1]).empty()) continue;
    auto pattern = Pattern::compile(halves[0]);
    if (pattern) mapping->rules.push_back({*std::move(pattern), std::string(halves[1])});
  }
  return mapping;
}

Made prepare_mapping(const Value& argument) {
  if (argument.is_null()) return std::make_unique<Mapping>();
  auto mapping = parse_mapping(argument.text());
  if (!mapping) return std::unexpected(std::move(mapping.error()));
  return *std::move(mapping);
}

Value replace_by_pattern(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  std::unique_ptr<const Mapping> own;
  const auto* mapping = call.prepared<Mapping>(0);
  if (!mapping) {
    const auto written = call.argument_text(0, evaluation);
    if (!written) return Value::of_text(*subject);
    auto parsed = parse_mapping(*written);
    if (!parsed) call.fail(parsed.error());
    own = *std::move(parsed);
    mapping = own.get();
  }
  for (const Mapping::Rule& rule : mapping->rules) {
    if (rule.pattern.matches(*subject)) return evaluation.text(rule.replacement);
  }
  return Value::of_text(*subject);
}

Function with_pattern(std::string_view name, Type result, Value (*run)(const Call&, Evaluation&),
                      std::size_t arguments, Prepare prepare, bool checks_literals) {
  return {.name = name,
          .result = result,
          .run = run,
          .least = arguments,
          .most = arguments,
          .prepare = {prepare},
          .checks_literals = checks_literals};
}

const std::array all = {
    with_pattern("find", Type::boolean, match<false>, 1, prepare_pattern, true),
    with_pattern("matches", Type::boolean, match<true>, 1, prepare_pattern, true),
    with_pattern("replaceAll", Type::string, replace<true>, 2, prepare_pattern, false),
    with_pattern("replaceByPattern", Type::string, replace_by_pattern, 1, prepare_mapping, true),
    with_pattern("replaceFirst", Type::string, replace<false>, 2, prepare_pattern, false),
};

}  // namespace

std::span<const Function> regex_functions() {
  return all;
}

}  // namespace weir::expression
