#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/expression/functions.h"
#include "engine/expression/literal_replace.h"
#include "engine/text/java_case.h"
#include "engine/text/java_number.h"
#include "engine/text/utf16.h"

// Functions that make one text of another.
namespace weir::expression {
namespace {

Value empty_text() {
  return Value::of_text({});
}

// Java narrows indices to 32 bits.
std::int64_t narrowed(std::int64_t index) {
  return static_cast<std::int32_t>(index);
}

Value to_text(const Call& call, Evaluation& evaluation) {
  return call.subject_value(evaluation);
}

template <void (*Append)(std::string&, std::string_view), char First, char Last>
Value change_case(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  if (!text::is_ascii(*subject)) {
    std::string& changed = evaluation.buffer();
    Append(changed, *subject);
    return evaluation.text(changed);
  }
  char* out = evaluation.allocate(subject->size());
  std::ranges::transform(*subject, out, [](char c) {
    return c >= First && c <= Last ? static_cast<char>(c ^ 0x20) : c;
  });
  return Value::of_text({out, subject->size()});
}

Value trim(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  return subject ? Value::of_text(text::trim(*subject)) : Value();
}

Value substring(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return empty_text();
  const std::int64_t begin = narrowed(call.required_whole(0, evaluation));
  if (call.argument_count() == 1) {
    if (text::is_ascii(*subject)) {
      if (begin < 0 || static_cast<std::size_t>(begin) > subject->size()) return empty_text();
      return Value::of_text(subject->substr(static_cast<std::size_t>(begin)));
    }
    const auto part = text::substring(*subject, begin);
    return part ? evaluation.text(*part) : empty_text();
  }
  const std::int64_t end = narrowed(call.required_whole(1, evaluation));
  const auto part = text::substring(*subject, begin, end);
  return part ? evaluation.text(*part) : empty_text();
}

Value substring_before(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return empty_text();
  const auto mark = call.argument_text(0, evaluation);
  if (!mark || mark->empty()) return Value::of_text(*subject);
  return Value::of_text(subject->substr(0, subject->find(*mark)));
}

Value substring_after(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return empty_text();
  const auto mark = call.argument_text(0, evaluation);
  if (!mark || mark->empty()) return Value::of_text(*subject);
  const std::size_t at = subject->find(*mark);
  if (at == std::string_view::npos) return Value::of_text(*subject);
  return Value::of_text(subject->substr(at + mark->size()));
}

Value substring_before_last(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return empty_text();
  const std::string_view mark = call.required_text(0, evaluation);
  return Value::of_text(subject->substr(0, subject->rfind(mark)));
}

Value substring_after_last(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return empty_text();
  const std::string_view mark = call.required_text(0, evaluation);
  const std::size_t at = mark.empty() ? std::string_view::npos : subject->rfind(mark);
  if (at == std::string_view::npos) return Value::of_text(*subject);
  return Value::of_text(subject->substr(at + mark.size()));
}

Value joined(Evaluation& evaluation, std::string_view first, std::string_view second) {
  if (first.empty()) return Value::of_text(second);
  if (second.empty()) return Value::of_text(first);
  char* out = evaluation.allocate(first.size() + second.size());
  std::memcpy(out, first.data(), first.size());
  std::memcpy(out + first.size(), second.data(), second.size());
  return Value::of_text({out, first.size() + second.size()});
}

Value append(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  const auto addition = call.argument_text(0, evaluation);
  return joined(evaluation, subject.value_or(""), addition.value_or(""));
}

Value prepend(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  const auto addition = call.argument_text(0, evaluation);
  return joined(evaluation, addition.value_or(""), subject.value_or(""));
}

Value replace(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const std::string_view search = call.required_text(0, evaluation);
  const std::string_view replacement = call.required_text(1, evaluation);
  if (!search.empty() && subject->find(search) == std::string_view::npos) {
    return Value::of_text(*subject);
  }
  std::string& out = evaluation.buffer();
  replace_literally(*subject, search, replacement, Scratch::text_limit_bytes, out);
  return evaluation.text(out);
}

// The characters to pad with, or nothing where the subject is long enough or the wish is odd.
std::string_view padding(const Call& call, Evaluation& evaluation, std::string_view subject) {
  const auto wanted = call.argument_whole(0, evaluation);
  if (!wanted || *wanted <= 0 || *wanted > INT32_MAX) return {};
  std::string_view pad = "_";
  if (call.argument_count() > 1) {
    const auto given = call.argument_text(1, evaluation);
    if (given && !given->empty()) pad = *given;
  }
  const auto missing = *wanted - static_cast<std::int64_t>(text::utf16_length(subject));
  if (missing <= 0) return {};
  const auto pad_units = static_cast<std::int64_t>(text::utf16_length(pad));
  const auto whole = static_cast<std::size_t>(missing / pad_units);
  const auto part = text::substring(pad, 0, missing % pad_units).value_or("");
  const std::size_t size = whole * pad.size() + part.size();
  char* const out = evaluation.allocate(size);
  char* end = out;
  for (std::size_t i = 0; i < whole; ++i) end = std::ranges::copy(pad, end).out;
  std::ranges::copy(part, end);
  return {out, size};
}

Value pad_left(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  return joined(evaluation, padding(call, evaluation, *subject), *subject);
}

Value pad_right(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  return joined(evaluation, *subject, padding(call, evaluation, *subject));
}

Value replace_null(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  return subject.is_null() ? call.argument_value(0, evaluation) : subject;
}

Value replace_empty(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (subject && !text::is_blank(*subject)) return Value::of_text(*subject);
  return call.argument_value(0, evaluation);
}

Value length(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return Value::of_whole(0);
  return Value::of_whole(static_cast<std::int64_t>(text::utf16_length(*subject)));
}

Value repeat(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return empty_text();
  const std::int64_t least = narrowed(call.required_whole(0, evaluation));
  std::int64_t times = least;
  if (call.argument_count() > 1) {
    const std::int64_t most = narrowed(call.required_whole(1, evaluation));
    if (least > most) call.fail("the least number of repetitions is above the greatest");
    const std::uint64_t choices = static_cast<std::uint64_t>(most - least) + 1;
    times = least + static_cast<std::int64_t>(evaluation.environment().random.next() % choices);
  }
  if (least <= 0) call.fail("the number of repetitions must be above 0");
  const std::size_t size = subject->size() * static_cast<std::size_t>(times);
  char* const out = evaluation.allocate(size);
  for (char* at = out; at != out + size; at += subject->size()) {
    std::memcpy(at, subject->data(), subject->size());
  }
  return Value::of_text({out, size});
}

// One character in UTF-16 units of getDelimitedField.
std::string_view single_character(const Call& call, Evaluation& evaluation, std::size_t index,
                                  std::string_view usual) {
  if (call.argument_count() <= index) return usual;
  const auto given = call.argument_text(index, evaluation);
  if (!given || text::utf16_length(*given) != 1) {
    call.fail(fmt::format("argument {} must be one character", index + 1));
  }
  return *given;
}

struct FieldRules {
  std::string_view delimiter;
  std::string_view quote;
  std::string_view escape;
  bool strip = false;
};

// The field of that index, from 0 on; nothing behind the last.
void append_field(std::string_view line, std::int64_t wanted, const FieldRules& rules,
                  std::string& out) {
  std::int64_t index = 0;
  bool quoted = false;
  bool escaped = false;
  std::size_t at = 0;
  while (at < line.size() && index <= wanted) {
    const std::size_t start = at;
    text::next_code_point(line, at);
    const std::string_view character = line.substr(start, at - start);
    const bool is_quote = !escaped && character == rules.quote;
    const bool is_escape = character == rules.escape;
    if (!escaped && !quoted && character == rules.delimiter) {
      ++index;
      continue;
    }
    if (is_quote) quoted = !quoted;
    escaped = is_escape && !escaped;
    if (index == wanted && !(rules.strip && (is_quote || is_escape))) out += character;
  }
}

Value get_delimited_field(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject || subject->empty()) return empty_text();
  const std::int64_t index = narrowed(call.required_whole(0, evaluation));
  FieldRules rules;
  rules.delimiter = single_character(call, evaluation, 1, ",");
  rules.quote = single_character(call, evaluation, 2, "\"");
  rules.escape = single_character(call, evaluation, 3, "\\");
  if (call.argument_count() > 4) {
    const Value strip = call.argument_value(4, evaluation);
    rules.strip = !strip.is_null() && strip.boolean();
  }
  if (rules.delimiter == rules.quote || rules.delimiter == rules.escape ||
      rules.quote == rules.escape) {
    call.fail("delimiter, quote and escape character must differ");
  }
  if (index < 1) return empty_text();
  std::string& out = evaluation.buffer();
  append_field(*subject, index - 1, rules, out);
  return evaluation.text(out);
}

constexpr auto upper = change_case<text::append_upper, 'a', 'z'>;
constexpr auto lower = change_case<text::append_lower, 'A', 'Z'>;

const std::array all = {
    Function{"append", Type::string, append, 1, 1},
    Function{"getDelimitedField",
             Type::string,
             get_delimited_field,
             1,
             5,
             {As::whole, As::text, As::text, As::text, As::boolean}},
    Function{"length", Type::whole_number, length},
    Function{"padLeft", Type::string, pad_left, 1, 2, {As::whole, As::text}},
    Function{"padRight", Type::string, pad_right, 1, 2, {As::whole, As::text}},
    Function{"prepend", Type::string, prepend, 1, 1},
    Function{"repeat", Type::string, repeat, 1, 2, {As::whole, As::whole}},
    Function{"replace", Type::string, replace, 2, 2},
    Function{"replaceEmpty", Type::string, replace_empty, 1, 1},
    Function{"replaceNull", Type::string, replace_null, 1, 1},
    Function{"substring", Type::string, substring, 1, 2, {As::whole, As::whole}},
    Function{"substringAfter", Type::string, substring_after, 1, 1},
    Function{"substringAfterLast", Type::string, substring_after_last, 1, 1},
    Function{"substringBefore", Type::string, substring_before, 1, 1},
    Function{"substringBeforeLast", Type::string, substring_before_last, 1, 1},
    Function{"toLower", Type::string, lower},
    Function{"toString", Type::string, to_text},
    Function{"toUpper", Type::string, upper},
    Function{"trim", Type::string, trim},
};

}  // namespace

std::span<const Function> string_functions() {
  return all;
}

}  // namespace weir::expression
