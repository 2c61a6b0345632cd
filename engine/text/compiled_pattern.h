#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/date_fields.h"

namespace weir::text {

enum class SignStyle : std::uint8_t { normal, exceeds_pad, not_negative };

// How an offset is written: hours, then minutes and seconds with or without a colon, each always
// or only where it is not zero.
struct OffsetForm {
  bool colon = false;
  enum class Part : std::uint8_t { never, optional, always } minutes = Part::never,
                                                             seconds = Part::never;
};

struct Element {
  enum class Kind : std::uint8_t {
    literal,
    number,
    two_digit_year,
    fraction,
    text,
    offset,
    localized_offset,
    zone_text,
    zone_id,
    day_period,
    optional,  // the elements up to `end` are left away where they do not match
    padded,    // the next element, blanks in front up to the width
  };
  static constexpr std::int16_t fixed_width = -1;

  Kind kind = Kind::literal;
  Field field = Field::count;
  TextStyle style = TextStyle::brief;
  SignStyle sign = SignStyle::normal;
  std::int16_t minimum_width = 0;
  std::int16_t maximum_width = 0;
  // Digits that numbers of fixed width directly behind this one need, or fixed_width where this
  // one must not take more than its own.
  std::int16_t subsequent_width = 0;
  bool generic = false;  // of zone texts
  OffsetForm offset_form = {};
  std::string text = {};  // of a literal; of an offset: what stands for zero
  std::size_t end = 0;
  std::size_t offset = 0;  // of its letters in the pattern
};

struct CompiledPattern {
  std::vector<Element> elements;
};
std::expected<CompiledPattern, Error> compile_pattern(std::string_view pattern);

// Field values as they stand in a text.
struct ParsedFields {
  std::int64_t values[static_cast<std::size_t>(Field::count)];
  std::uint32_t present = 0;
  std::optional<Zone> zone;
  std::optional<bool> daylight;  // what the name of the zone says

  bool has(Field field) const { return present >> static_cast<unsigned>(field) & 1; }
  std::int64_t get(Field field) const { return values[static_cast<std::size_t>(field)]; }
  void set(Field field, std::int64_t value) {
    values[static_cast<std::size_t>(field)] = value;
    present |= 1u << static_cast<unsigned>(field);
  }
  std::int64_t take(Field field) {
    present &= ~(1u << static_cast<unsigned>(field));
    return get(field);
  }
};

struct ParseMode {
  bool lenient = false;
  bool ignore_case = false;
};
std::expected<ParsedFields, Error> parse_fields(const CompiledPattern& pattern,
                                                std::string_view text, ParseMode mode);

// What the fields come to. Fields that led to no date or time stay.
struct Resolved {
  ParsedFields fields;
  std::optional<std::int64_t> days = {};
  std::optional<std::int64_t> nano_of_day = {};
  std::int64_t excess_days = 0;  // 24:00
};
std::expected<Resolved, Error> resolve(const ParsedFields& fields);
std::expected<Instant, Error> full_instant(const Resolved& resolved, const Zone& zone);
std::expected<Instant, Error> defaulted_instant(const Resolved& resolved, const Zone& zone);

}  // namespace weir::text
