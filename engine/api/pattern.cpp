#include "engine/api/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include "engine/api/error.h"

namespace weir {
namespace {

// About a second of matching at worst; honest expressions stay far below.
constexpr std::uint32_t max_steps = 5'000'000;
constexpr std::uint32_t max_depth = 100'000;
constexpr std::uint32_t max_heap_kib = 20'000;

std::string message_of(int error) {
  PCRE2_UCHAR text[256];
  if (pcre2_get_error_message(error, text, sizeof(text)) < 0) return "unknown error";
  return reinterpret_cast<const char*>(text);
}

std::expected<pcre2_code*, std::string> compile_with(std::string_view expression,
                                                     std::uint32_t options) {
  // Java's four-digit escape; PCRE2's switch for it changes other escapes as well.
  if (expression.find("\\u") != std::string_view::npos) options |= PCRE2_ALT_BSUX;
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), &pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_ANYCRLF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()),
                                   expression.size(), options, &error, &offset, context.get());
  if (!code) {
    return std::unexpected(
        fmt::format("not a regular expression: {} at character {}", message_of(error), offset + 1));
  }
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // without it the interpreter matches
  return code;
}

}  // namespace

struct Pattern::Compiled {
  std::string expression;
  pcre2_code* text_code = nullptr;   // of valid UTF-8: a character may be several bytes
  pcre2_code* bytes_code = nullptr;  // of anything else (file names): a character is a byte
  pcre2_match_context* limits = nullptr;

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    pcre2_code_free(text_code);
    pcre2_code_free(bytes_code);
    pcre2_match_context_free(limits);
  }
};

std::expected<Pattern, std::string> Pattern::compile(std::string_view expression) {
  if (expression.find("&&[") != std::string_view::npos) {
    return std::unexpected("an intersection of character classes (&&) is not supported");
  }
  auto compiled = std::make_shared<Compiled>();
  compiled->expression = expression;
  auto text_code = compile_with(expression, PCRE2_UTF);
  if (!text_code) return std::unexpected(text_code.error());
  compiled->text_code = *text_code;
  // Without UTF an expression with letters beyond ASCII still compiles: they are bytes then.
  auto bytes_code = compile_with(expression, 0);
  if (bytes_code) compiled->bytes_code = *bytes_code;
  compiled->limits = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(compiled->limits, max_steps);
  pcre2_set_depth_limit(compiled->limits, max_depth);
  pcre2_set_heap_limit(compiled->limits, max_heap_kib);
  Pattern pattern;
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

bool Pattern::run(std::string_view text, std::uint32_t options) const {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create(1, nullptr), &pcre2_match_data_free);
  const auto match = [&](const pcre2_code* code) {
    return pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, options,
                       data.get(), compiled_->limits);
  };
  int result = match(compiled_->text_code);
  const bool invalid_utf8 = result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21;
  if (invalid_utf8)
    result = compiled_->bytes_code ? match(compiled_->bytes_code) : PCRE2_ERROR_NOMATCH;
  if (result >= 0) return true;
  if (result == PCRE2_ERROR_NOMATCH) return false;
  throw ProcessException(fmt::format("regular expression \"{}\" on a text of {} bytes: {}",
                                     compiled_->expression, text.size(), message_of(result)));
}

bool Pattern::matches(std::string_view text) const {
  return run(text, PCRE2_ANCHORED | PCRE2_ENDANCHORED);
}

bool Pattern::contains(std::string_view text) const {
  return run(text, 0);
}

const std::string& Pattern::expression() const {
  return compiled_->expression;
}

}  // namespace weir
