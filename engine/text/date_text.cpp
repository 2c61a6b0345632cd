#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "engine/text/compiled_pattern.h"
#include "engine/text/date_pattern.h"
#include "engine/text/java_case.h"

namespace weir::text {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// Whether a text has the shape of a picture: 0 is a digit, a is a letter, all else is itself.
bool has_shape(std::string_view text, std::string_view picture) {
  return std::ranges::equal(text, picture, [](char c, char p) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return p == '0' ? is_digit(c) : p == 'a' ? letter : c == p;
  });
}

bool is_date_text(std::string_view text) {
  constexpr std::string_view begin = "aaa aaa 00 00:00:00 ";
  constexpr std::string_view end = " 0000";
  return text.size() >= begin.size() + end.size() &&
         has_shape(text.substr(0, begin.size()), begin) &&
         has_shape(text.substr(text.size() - end.size()), end);
}

std::expected<std::int64_t, Error> whole_of_digits(std::string_view text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc()) return value;
  return std::unexpected(Error{0, "the number has more than 64 bits"});
}

// Of a pattern of our own: it compiles.
CompiledPattern known(std::string_view pattern) {
  return compile_pattern(pattern).value();
}

Element& offset_of(CompiledPattern& pattern) {
  return *std::ranges::find(pattern.elements, Element::Kind::offset, &Element::kind);
}

// With minutes only, then with so many digits of a fraction.
const CompiledPattern& iso_pattern(bool seconds, std::size_t fraction_digits) {
  static const std::array<CompiledPattern, 11> patterns = [] {
    std::array<CompiledPattern, 11> made;
    std::string fraction;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i >= 2) fraction += i == 2 ? ".S" : "S";
      made[i] = known(fmt::format("uuuu-MM-dd'T'HH:mm{}{}XXXXX", i == 0 ? "" : ":ss", fraction));
      offset_of(made[i]).offset_form.minutes = OffsetForm::Part::optional;
    }
    return made;
  }();
  return patterns[seconds ? fraction_digits + 1 : 0];
}

const CompiledPattern& rfc_1123_pattern() {
  static const CompiledPattern pattern = [] {
    CompiledPattern made = known("[EEE, ]d MMM uuuu HH:mm[:ss] xx");
    offset_of(made).text = "GMT";
    return made;
  }();
  return pattern;
}

std::expected<Instant, Error> read(const CompiledPattern& pattern, std::string_view text,
                                   ParseMode mode) {
  const auto fields = parse_fields(pattern, text, mode);
  if (!fields) return std::unexpected(fields.error());
  const auto resolved = resolve(*fields);
  if (!resolved) return std::unexpected(resolved.error());
  return full_instant(*resolved, Zone::utc());
}

}  // namespace

std::expected<std::int64_t, Error> parse_date_text(std::string_view text, const Zone& zone) {
  static const CompiledPattern date_form = known("EEE MMM dd HH:mm:ss zzz yyyy");
  static const CompiledPattern plain_form = known("yyyy/MM/dd HH:mm:ss[.SSS]");
  text = trim(text);
  if (is_digits(text)) return whole_of_digits(text);
  const bool date = is_date_text(text);
  if (!date && !has_shape(text, "0000/00/00 00:00:00") &&
      !has_shape(text, "0000/00/00 00:00:00.000")) {
    return std::unexpected(Error{0, fmt::format("\"{}\" is no date", text)});
  }
  const auto fields =
      parse_fields(date ? date_form : plain_form, text, {.lenient = true, .ignore_case = true});
  if (!fields) return std::unexpected(fields.error());
  const auto resolved = resolve(*fields);
  if (!resolved) return std::unexpected(resolved.error());
  const auto instant = full_instant(*resolved, zone);
  if (!instant) return std::unexpected(instant.error());
  return instant->epoch_s * 1000 + instant->nano / 1'000'000;  // of a year with four digits
}

std::expected<Instant, Error> parse_instant_text(std::string_view text) {
  text = trim(text);
  if (is_digits(text)) {
    const auto epoch_ms = whole_of_digits(text);
    if (!epoch_ms) return std::unexpected(epoch_ms.error());
    return Instant::from_millis(*epoch_ms);
  }
  const std::size_t time = text.find_first_of("Tt");
  const bool iso = time != std::string_view::npos && time > 0 && is_digit(text[time - 1]);
  if (!iso) return read(rfc_1123_pattern(), text, {.lenient = true, .ignore_case = true});
  const bool seconds = text.size() > time + 6 && text[time + 6] == ':';
  std::size_t digits = 0;
  if (text.size() > time + 9 && text[time + 9] == '.') {
    while (time + 10 + digits < text.size() && is_digit(text[time + 10 + digits])) ++digits;
  }
  return read(iso_pattern(seconds, std::min<std::size_t>(digits, 9)), text, {.ignore_case = true});
}

}  // namespace weir::text
