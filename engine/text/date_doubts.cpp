#include <string>

#include "engine/text/compiled_pattern.h"
#include "engine/text/date_pattern.h"

namespace weir::text {
namespace {

const Element* find(const CompiledPattern& pattern, std::initializer_list<Field> fields) {
  for (const Element& element : pattern.elements) {
    for (const Field field : fields) {
      if (element.field == field) return &element;
    }
  }
  return nullptr;
}

// A month that stands behind an hour and a colon.
const Element* month_in_time(const CompiledPattern& pattern) {
  for (std::size_t i = 2; i < pattern.elements.size(); ++i) {
    const Element& hour = pattern.elements[i - 2];
    const bool after_hour =
        hour.field >= Field::hour && hour.field <= Field::clock_hour_of_half_day;
    if (after_hour && pattern.elements[i - 1].text == ":" &&
        pattern.elements[i].field == Field::month) {
      return &pattern.elements[i];
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Error> DatePattern::doubts() const {
  std::vector<Error> doubts;
  const auto doubt = [&doubts](const Element* element, const char* message) {
    if (element) doubts.push_back({element->offset, message});
  };
  const CompiledPattern& all = *compiled_;
  const bool has_hour = find(all, {Field::hour, Field::clock_hour, Field::hour_of_half_day,
                                   Field::clock_hour_of_half_day});
  const bool has_month = find(all, {Field::month});
  const bool has_year = find(all, {Field::year, Field::year_of_era, Field::week_based_year});
  if (!has_hour && !has_month && has_year) {
    doubt(find(all, {Field::minute}), "m is the minute; the month is M");
  }
  doubt(month_in_time(all), "M is the month; the minute is m");
  if (has_month || find(all, {Field::day_of_month})) {
    doubt(find(all, {Field::week_based_year}),
          "Y is the year that a week belongs to, which differs around New Year; the year is y");
  }
  if (has_month) {
    doubt(find(all, {Field::day_of_year}), "D is the day of the year; that of the month is d");
  }
  bool has_half = find(all, {Field::half_day});
  for (const Element& element : all.elements) has_half |= element.kind == Element::Kind::day_period;
  if (!has_half) {
    doubt(find(all, {Field::clock_hour_of_half_day, Field::hour_of_half_day}),
          "h and K count twelve hours and need AM or PM (a); the hour of the day is H");
  }
  return doubts;
}

}  // namespace weir::text
