#include "engine/api/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "engine/api/java_regex.h"

namespace weir {
namespace {

// About a second of matching at worst; honest expressions stay far below.
constexpr std::uint32_t max_steps = 5'000'000;
constexpr std::uint32_t max_depth = 100'000;
constexpr std::uint32_t max_heap_kib = 20'000;
constexpr std::size_t jit_stack_least_bytes = 32 * 1024;
constexpr std::size_t jit_stack_most_bytes = 8 * 1024 * 1024;

std::string message_of(int error) {
  PCRE2_UCHAR text[256];
  if (pcre2_get_error_message(error, text, sizeof(text)) < 0) return "unknown error";
  return reinterpret_cast<const char*>(text);
}

// Where compiled expressions keep what they put aside; grows as needed, one a thread.
pcre2_jit_stack* jit_stack_of_thread(void*) {
  thread_local const std::unique_ptr<pcre2_jit_stack, decltype(&pcre2_jit_stack_free)> stack(
      pcre2_jit_stack_create(jit_stack_least_bytes, jit_stack_most_bytes, nullptr),
      &pcre2_jit_stack_free);
  return stack.get();
}

std::expected<pcre2_code*, std::string> compile_with(const PcreExpression& expression,
                                                     std::uint32_t options) {
  if (expression.unicode_classes && (options & PCRE2_UTF)) options |= PCRE2_UCP;
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), &pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_ANYCRLF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.text.data()),
                                   expression.text.size(), options, &error, &offset, context.get());
  if (!code) {
    return std::unexpected(fmt::format("not a regular expression: {}", message_of(error)));
  }
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // without it the interpreter matches
  return code;
}

std::vector<std::pair<std::string, std::size_t>> names_of(const pcre2_code* code) {
  std::uint32_t count = 0;
  std::uint32_t entry_bytes = 0;
  PCRE2_SPTR table = nullptr;
  pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
  pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &entry_bytes);
  pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
  std::vector<std::pair<std::string, std::size_t>> names;
  for (std::uint32_t i = 0; i < count; ++i, table += entry_bytes) {
    names.emplace_back(reinterpret_cast<const char*>(table + 2),
                       std::size_t{table[0]} << 8 | table[1]);
  }
  std::ranges::sort(names, {}, &std::pair<std::string, std::size_t>::second);
  return names;
}

// Several times as fast as PCRE2's own look at a text, which can be left out then.
bool is_ascii(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::uint64_t words[4];
  for (; text.size() >= sizeof(words); text.remove_prefix(sizeof(words))) {
    std::memcpy(words, text.data(), sizeof(words));
    if ((words[0] | words[1] | words[2] | words[3]) & high_bits) return false;
  }
  return std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; });
}

std::size_t character_bytes(std::string_view text, std::size_t at) {
  std::size_t length = 1;
  while (at + length < text.size() &&
         (static_cast<unsigned char>(text[at + length]) & 0xc0) == 0x80) {
    ++length;
  }
  return length;
}

}  // namespace

struct Pattern::Compiled {
  std::string expression;
  pcre2_code* text_code = nullptr;   // of valid UTF-8: a character may be several bytes
  pcre2_code* bytes_code = nullptr;  // of anything else: a character is a byte
  PcreExpression text_expression;    // what text_code was compiled from
  pcre2_match_context* limits = nullptr;
  std::size_t groups = 0;
  std::vector<std::pair<std::string, std::size_t>> names;

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    pcre2_code_free(whole_code);
    pcre2_code_free(text_code);
    pcre2_code_free(bytes_code);
    pcre2_match_context_free(limits);
  }

  // Matches whole texts only. Anchored from outside, PCRE2 would interpret text_code instead of
  // running what it was translated to, at a fraction of the speed.
  const pcre2_code* anchored_code() const {
    std::call_once(whole_once, [this] {
      constexpr std::uint32_t options = PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED;
      if (const auto code = compile_with(text_expression, options)) whole_code = *code;
    });
    return whole_code;
  }

 private:
  mutable std::once_flag whole_once;
  mutable pcre2_code* whole_code = nullptr;  // made when it is first needed
};

struct Match::Data {
  pcre2_match_data* data = nullptr;
  std::uint32_t capacity = 0;
  std::size_t groups = 0;
  std::string_view text;
  bool valid_utf8 = false;  // the text, so that it is looked through once

  ~Data() { pcre2_match_data_free(data); }
  void reserve(std::size_t groups_needed) {
    groups = groups_needed;
    if (data && capacity > groups_needed) return;
    pcre2_match_data_free(data);
    capacity = static_cast<std::uint32_t>(groups_needed) + 1;
    data = pcre2_match_data_create(capacity, nullptr);
  }
};

Match::Match() : data_(std::make_unique<Data>()) {}
Match::~Match() = default;
Match::Match(Match&&) noexcept = default;
Match& Match::operator=(Match&&) noexcept = default;

std::size_t Match::group_count() const {
  return data_->groups;
}

bool Match::participated(std::size_t group) const {
  return group <= data_->groups && pcre2_get_ovector_pointer(data_->data)[2 * group] != PCRE2_UNSET;
}

std::string_view Match::group(std::size_t group) const {
  return participated(group) ? data_->text.substr(start(group), end(group) - start(group))
                             : std::string_view();
}

std::size_t Match::start(std::size_t group) const {
  return pcre2_get_ovector_pointer(data_->data)[2 * group];
}

std::size_t Match::end(std::size_t group) const {
  return pcre2_get_ovector_pointer(data_->data)[2 * group + 1];
}

std::expected<Pattern, std::string> Pattern::compile(std::string_view expression,
                                                     PatternFlags flags) {
  const auto for_text = pcre_from_java(expression, flags, false);
  if (!for_text) return std::unexpected(for_text.error());
  auto compiled = std::make_shared<Compiled>();
  compiled->expression = expression;
  auto text_code = compile_with(*for_text, PCRE2_UTF);
  if (!text_code) return std::unexpected(text_code.error());
  compiled->text_code = *text_code;
  compiled->text_expression = *for_text;
  // Without UTF an expression with letters beyond ASCII still compiles: they are bytes then.
  if (const auto for_bytes = pcre_from_java(expression, flags, true)) {
    if (auto bytes_code = compile_with(*for_bytes, 0)) compiled->bytes_code = *bytes_code;
  }
  compiled->limits = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(compiled->limits, max_steps);
  pcre2_set_depth_limit(compiled->limits, max_depth);
  pcre2_set_heap_limit(compiled->limits, max_heap_kib);
  pcre2_jit_stack_assign(compiled->limits, &jit_stack_of_thread, nullptr);
  std::uint32_t groups = 0;
  pcre2_pattern_info(compiled->text_code, PCRE2_INFO_CAPTURECOUNT, &groups);
  compiled->groups = groups;
  compiled->names = names_of(compiled->text_code);
  Pattern pattern;
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

std::string Pattern::quote(std::string_view text) {
  std::string out = "\\Q";
  std::size_t at = 0;
  for (std::size_t end; (end = text.find("\\E", at)) != std::string_view::npos; at = end + 2) {
    out.append(text.substr(at, end - at)).append("\\E\\\\E\\Q");
  }
  return out.append(text.substr(at)).append("\\E");
}

bool Pattern::run(std::string_view text, std::size_t from, std::uint32_t options, bool same_text,
                  Match& match) const {
  Match::Data& data = *match.data_;
  data.reserve(compiled_->groups);
  data.text = text;
  // PCRE2 takes no null pointer, not even for an empty text.
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data() ? text.data() : "");
  const auto match_with = [&](const pcre2_code* code, std::uint32_t all_options) {
    return pcre2_match(code, subject, text.size(), from, all_options, data.data, compiled_->limits);
  };
  // From the middle of a text PCRE2 looks at the rest only.
  const bool known = same_text ? data.valid_utf8 : from == 0 && is_ascii(text);
  const std::uint32_t check = known ? PCRE2_NO_UTF_CHECK : 0;
  const pcre2_code* whole = options != 0 ? compiled_->anchored_code() : nullptr;
  int result = whole ? match_with(whole, check) : match_with(compiled_->text_code, options | check);
  const bool invalid_utf8 = (result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21) ||
                            result == PCRE2_ERROR_BADUTFOFFSET;
  data.valid_utf8 = !invalid_utf8;
  if (invalid_utf8) {
    result =
        compiled_->bytes_code ? match_with(compiled_->bytes_code, options) : PCRE2_ERROR_NOMATCH;
  }
  if (result >= 0) return true;
  if (result == PCRE2_ERROR_NOMATCH) return false;
  throw PatternLimitExceeded(fmt::format("regular expression \"{}\" on a text of {} bytes: {}",
                                         compiled_->expression, text.size(), message_of(result)));
}

bool Pattern::matches(std::string_view text) const {
  thread_local Match match;
  return matches(text, match);
}

bool Pattern::contains(std::string_view text) const {
  thread_local Match match;
  return find(text, 0, match);
}

bool Pattern::matches(std::string_view text, Match& match) const {
  return run(text, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED, false, match);
}

bool Pattern::find(std::string_view text, std::size_t from, Match& match) const {
  return from <= text.size() && run(text, from, 0, false, match);
}

bool Pattern::find_next(std::string_view text, Match& match) const {
  std::size_t from = match.end();
  if (match.start() == from) {
    if (from >= text.size()) return false;
    from += character_bytes(text, from);
  }
  return run(text, from, 0, true, match);
}

std::size_t Pattern::group_count() const {
  return compiled_->groups;
}

const std::vector<std::pair<std::string, std::size_t>>& Pattern::group_names() const {
  return compiled_->names;
}

const std::string& Pattern::expression() const {
  return compiled_->expression;
}

}  // namespace weir
