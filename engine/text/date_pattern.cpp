#include "engine/text/date_pattern.h"

#include <fmt/format.h>

#include <utility>

#include "engine/text/civil.h"
#include "engine/text/compiled_pattern.h"

namespace weir::text {
namespace {

using Kind = Element::Kind;
using Part = OffsetForm::Part;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::optional<Field> field_of(char letter) {
  switch (letter) {
    case 'G':
      return Field::era;
    case 'y':
      return Field::year_of_era;
    case 'u':
      return Field::year;
    case 'Q':
    case 'q':
      return Field::quarter;
    case 'M':
    case 'L':
      return Field::month;
    case 'D':
      return Field::day_of_year;
    case 'd':
      return Field::day_of_month;
    case 'F':
      return Field::aligned_week_of_month;
    case 'E':
      return Field::day_of_week;
    case 'e':
    case 'c':
      return Field::local_day_of_week;
    case 'a':
      return Field::half_day;
    case 'H':
      return Field::hour;
    case 'k':
      return Field::clock_hour;
    case 'K':
      return Field::hour_of_half_day;
    case 'h':
      return Field::clock_hour_of_half_day;
    case 'm':
      return Field::minute;
    case 's':
      return Field::second;
    case 'S':
    case 'n':
      return Field::nano;
    case 'A':
      return Field::milli_of_day;
    case 'N':
      return Field::nano_of_day;
    case 'g':
      return Field::modified_julian_day;
    case 'w':
      return Field::week_of_week_based_year;
    case 'W':
      return Field::week_of_month;
    case 'Y':
      return Field::week_based_year;
    default:
      return std::nullopt;
  }
}

class Compiler {
 public:
  explicit Compiler(std::string_view pattern) : pattern_(pattern) {}

  std::expected<CompiledPattern, Error> run();

 private:
  bool letters(char letter, int count);
  bool field(char letter, int count, Field field);
  bool text_field(char letter, int count, Field field);
  bool zone_letters(char letter, int count);
  bool offset_letters(char letter, int count);
  bool quoted();
  bool padding(int count);

  // Adds an element behind which no number continues.
  void add(Element element);
  void number(Field field, int minimum, int maximum, SignStyle sign, Kind kind = Kind::number);
  void fixed(Field field, int width) { number(field, width, width, SignStyle::not_negative); }
  void text(Field field, TextStyle style) {
    add({.kind = Kind::text, .field = field, .style = style});
  }
  void literal(std::string_view text);

  bool fail(std::string message) {
    error_ = {start_, std::move(message)};
    return false;
  }

  const std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  CompiledPattern compiled_;
  std::vector<std::size_t> open_;            // optional sections
  bool joinable_ = false;                    // the last element is a literal that may go on
  std::optional<std::size_t> active_value_;  // the number that digits behind it belong to
  Error error_;
};

std::expected<CompiledPattern, Error> Compiler::run() {
  while (at_ < pattern_.size()) {
    start_ = at_;
    const char c = pattern_[at_];
    bool good = true;
    if (is_letter(c)) {
      while (at_ < pattern_.size() && pattern_[at_] == c) ++at_;
      good = letters(c, static_cast<int>(at_ - start_));
    } else if (c == '\'') {
      good = quoted();
    } else if (c == '[') {
      ++at_;
      open_.push_back(compiled_.elements.size());
      add({.kind = Kind::optional});
    } else if (c == ']') {
      ++at_;
      if (open_.empty()) {
        good = fail("] has no [ in front of it");
      } else {
        compiled_.elements[open_.back()].end = compiled_.elements.size();
        open_.pop_back();
        active_value_.reset();
        joinable_ = false;
      }
    } else if (c == '{' || c == '}' || c == '#') {
      good = fail(fmt::format("the character {} is reserved", c));
    } else {
      ++at_;
      literal(pattern_.substr(start_, 1));
    }
    if (!good) return std::unexpected(error_);
  }
  for (const std::size_t section : open_) {
    compiled_.elements[section].end = compiled_.elements.size();
  }
  return std::move(compiled_);
}

bool Compiler::quoted() {
  std::string text;
  for (++at_;; ++at_) {
    if (at_ == pattern_.size()) return fail("the quote is not closed");
    if (pattern_[at_] == '\'') {
      if (at_ + 1 == pattern_.size() || pattern_[at_ + 1] != '\'') break;
      ++at_;
    }
    text += pattern_[at_];
  }
  ++at_;
  literal(text.empty() ? "'" : text);
  return true;
}

bool Compiler::padding(int count) {
  if (at_ == pattern_.size() || !is_letter(pattern_[at_])) {
    return fail("p must be followed by the letters that it pads");
  }
  const char letter = pattern_[at_];
  const std::size_t begin = at_;
  while (at_ < pattern_.size() && pattern_[at_] == letter) ++at_;
  add({.kind = Kind::padded, .minimum_width = static_cast<std::int16_t>(count)});
  if (letter == 'p') return fail("p cannot pad itself");
  const bool good = letters(letter, static_cast<int>(at_ - begin));
  active_value_.reset();
  return good;
}

bool Compiler::letters(char letter, int count) {
  if (letter == 'p') return padding(count);
  if (const auto found = field_of(letter)) return field(letter, count, *found);
  if (letter == 'B') {
    if (count != 1 && count != 4 && count != 5) return fail("B stands once, four or five times");
    add({.kind = Kind::day_period,
         .style = count == 1   ? TextStyle::brief
                  : count == 4 ? TextStyle::full
                               : TextStyle::narrow});
    return true;
  }
  return zone_letters(letter, count);
}

bool Compiler::field(char letter, int count, Field field) {
  switch (letter) {
    case 'u':
    case 'y':
    case 'Y':
      if (count == 2) {
        number(field, 2, 2, SignStyle::not_negative, Kind::two_digit_year);
      } else {
        number(field, count, 19, count < 4 ? SignStyle::normal : SignStyle::exceeds_pad);
      }
      return count <= 19 || fail("too many letters for a year");
    case 'S':
      if (count > 9) return fail("a fraction has nine digits at most");
      number(field, count, count, SignStyle::not_negative, Kind::fraction);
      return true;
    case 'F':
    case 'W':
      if (count > 1) return fail(fmt::format("{} stands once", letter));
      break;
    case 'd':
    case 'h':
    case 'H':
    case 'k':
    case 'K':
    case 'm':
    case 's':
    case 'w':
      if (count > 2) return fail(fmt::format("{} stands once or twice", letter));
      if (letter == 'w') {
        number(field, count, 2, SignStyle::not_negative);
        return true;
      }
      break;
    case 'D':
      if (count > 3) return fail("D stands three times at most");
      if (count > 1) {
        number(field, count, 3, SignStyle::not_negative);
        return true;
      }
      break;
    case 'g':
    case 'A':
    case 'n':
    case 'N':
      if (count > 19) return fail("too many letters for a number");
      number(field, count, 19, letter == 'g' ? SignStyle::normal : SignStyle::not_negative);
      return true;
    default:
      return text_field(letter, count, field);
  }
  if (count == 1 && letter != 'W') {
    number(field, 1, 19, SignStyle::normal);
  } else {
    fixed(field, count);
  }
  return true;
}

// Letters of which three and more stand for a name.
bool Compiler::text_field(char letter, int count, Field field) {
  if (letter == 'a') {
    if (count > 1) return fail("a stands once");
    text(field, TextStyle::brief);
    return true;
  }
  if (count > 5) return fail(fmt::format("{} stands five times at most", letter));
  if (letter == 'c' && count == 2) return fail("c cannot stand twice");
  if (count >= 3) {
    // Names are those of the day itself, whichever day a week begins with.
    if (field == Field::local_day_of_week) field = Field::day_of_week;
    text(field, count == 3 ? TextStyle::brief : count == 4 ? TextStyle::full : TextStyle::narrow);
  } else if (letter == 'E' || letter == 'G') {
    text(field, TextStyle::brief);
  } else if (field == Field::local_day_of_week) {
    fixed(field, count);
  } else if (count == 1) {
    number(field, 1, 19, SignStyle::normal);
  } else {
    fixed(field, count);
  }
  return true;
}

bool Compiler::zone_letters(char letter, int count) {
  switch (letter) {
    case 'z':
      if (count > 4) return fail("z stands four times at most");
      add({.kind = Kind::zone_text, .style = count == 4 ? TextStyle::full : TextStyle::brief});
      return true;
    case 'v':
      if (count != 1 && count != 4) return fail("v stands once or four times");
      add({.kind = Kind::zone_text,
           .style = count == 4 ? TextStyle::full : TextStyle::brief,
           .generic = true});
      return true;
    case 'V':
      if (count != 2) return fail("V stands twice");
      add({.kind = Kind::zone_id});
      return true;
    case 'O':
      if (count != 1 && count != 4) return fail("O stands once or four times");
      add({.kind = Kind::localized_offset,
           .style = count == 4 ? TextStyle::full : TextStyle::brief});
      return true;
    case 'Z':
    case 'X':
    case 'x':
      return offset_letters(letter, count);
    default:
      return fail(fmt::format("the letter {} stands for nothing", letter));
  }
}

bool Compiler::offset_letters(char letter, int count) {
  if (count > 5) return fail(fmt::format("{} stands five times at most", letter));
  if (letter == 'Z' && count == 4) {
    add({.kind = Kind::localized_offset, .style = TextStyle::full});
    return true;
  }
  if (letter == 'Z') {
    const OffsetForm form = count == 5 ? OffsetForm{true, Part::always, Part::optional}
                                       : OffsetForm{false, Part::always, Part::never};
    add({.kind = Kind::offset, .offset_form = form, .text = count == 5 ? "Z" : "+0000"});
    return true;
  }
  const OffsetForm form{.colon = count == 3 || count == 5,
                        .minutes = count == 1 ? Part::optional : Part::always,
                        .seconds = count >= 4 ? Part::optional : Part::never};
  const char* zero = letter == 'X' ? "Z" : count == 1 ? "+00" : count % 2 == 0 ? "+0000" : "+00:00";
  add({.kind = Kind::offset, .offset_form = form, .text = zero});
  return true;
}

void Compiler::add(Element element) {
  active_value_.reset();
  joinable_ = false;
  element.offset = start_;
  compiled_.elements.push_back(std::move(element));
}

void Compiler::literal(std::string_view text) {
  if (joinable_) {
    compiled_.elements.back().text += text;
    return;
  }
  add({.kind = Kind::literal, .text = std::string(text)});
  joinable_ = true;
}

// A number directly behind another one: the first gives away the digits that the second needs.
void Compiler::number(Field field, int minimum, int maximum, SignStyle sign, Kind kind) {
  std::vector<Element>& elements = compiled_.elements;
  Element element{.kind = kind,
                  .field = field,
                  .sign = sign,
                  .minimum_width = static_cast<std::int16_t>(minimum),
                  .maximum_width = static_cast<std::int16_t>(maximum)};
  const std::optional<std::size_t> active = active_value_;
  if (!active) {
    add(std::move(element));
    active_value_ = elements.size() - 1;
  } else if (minimum == maximum && sign == SignStyle::not_negative) {
    elements[*active].subsequent_width =
        static_cast<std::int16_t>(elements[*active].subsequent_width + maximum);
    element.subsequent_width = Element::fixed_width;
    add(std::move(element));
    active_value_ = active;
  } else {
    elements[*active].subsequent_width = Element::fixed_width;
    add(std::move(element));
    active_value_ = elements.size() - 1;
  }
}

}  // namespace

std::expected<CompiledPattern, Error> compile_pattern(std::string_view pattern) {
  return Compiler(pattern).run();
}

std::expected<DatePattern, Error> DatePattern::compile(std::string_view pattern) {
  auto compiled = compile_pattern(pattern);
  if (!compiled) return std::unexpected(compiled.error());
  DatePattern result;
  result.compiled_ = std::make_shared<const CompiledPattern>(std::move(*compiled));
  return result;
}

std::expected<Instant, Error> DatePattern::parse_lenient(std::string_view text,
                                                         const Zone& zone) const {
  const auto fields = parse_fields(*compiled_, text, {.lenient = true, .ignore_case = true});
  if (!fields) return std::unexpected(fields.error());
  const auto resolved = resolve(*fields);
  if (!resolved) return std::unexpected(resolved.error());
  return defaulted_instant(*resolved, zone);
}

std::expected<Instant, Error> DatePattern::parse_strict(std::string_view text,
                                                        const Zone& zone) const {
  const auto fields = parse_fields(*compiled_, text, {});
  if (!fields) return std::unexpected(fields.error());
  const auto resolved = resolve(*fields);
  if (!resolved) return std::unexpected(resolved.error());
  return full_instant(*resolved, zone);
}

Instant Instant::from_millis(std::int64_t epoch_ms) {
  return {floor_div(epoch_ms, 1000),
          static_cast<std::int32_t>(floor_mod(epoch_ms, 1000)) * 1000000};
}

namespace {

bool scaled(const Instant& instant, std::int64_t units_per_second, std::int64_t& out) {
  const std::int64_t part = instant.nano / (1'000'000'000 / units_per_second);
  // Before the epoch the product alone may be too small by less than a second.
  if (instant.epoch_s < 0 && part > 0) {
    return !__builtin_mul_overflow(instant.epoch_s + 1, units_per_second, &out) &&
           !__builtin_add_overflow(out, part - units_per_second, &out);
  }
  return !__builtin_mul_overflow(instant.epoch_s, units_per_second, &out) &&
         !__builtin_add_overflow(out, part, &out);
}

}  // namespace

bool Instant::to_millis(std::int64_t& epoch_ms) const {
  return scaled(*this, 1000, epoch_ms);
}

bool Instant::to_micros(std::int64_t& epoch_us) const {
  return scaled(*this, 1'000'000, epoch_us);
}

bool Instant::to_nanos(std::int64_t& epoch_ns) const {
  return scaled(*this, 1'000'000'000, epoch_ns);
}

}  // namespace weir::text
