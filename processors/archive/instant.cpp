#include "processors/archive/instant.h"

#include <chrono>

namespace weir::processors {
namespace {

// Takes fixed-width fields off the front of a text.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    if (rest_.size() < digits) return fail();
    for (const char digit : rest_.substr(0, digits)) {
      if (digit < '0' || digit > '9') return fail();
      value = value * 10 + (digit - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  void expect(char character) {
    if (!take(character)) fail();
  }
  bool take(char character) {
    if (!rest_.starts_with(character)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_digits(std::size_t most) {
    std::size_t count = 0;
    while (count < most && count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') {
      ++count;
    }
    rest_.remove_prefix(count);
  }
  // True where all fields were right and nothing is left.
  bool is_done() const { return is_good_ && rest_.empty(); }

 private:
  int fail() {
    is_good_ = false;
    return 0;
  }
  std::string_view rest_;
  bool is_good_ = true;
};

}  // namespace

std::optional<std::int64_t> parse_instant_s(std::string_view text) {
  using namespace std::chrono;
  Fields fields(text);
  const int year_number = fields.number(4);
  fields.expect('-');
  const int month_number = fields.number(2);
  fields.expect('-');
  const int day_number = fields.number(2);
  if (!fields.take('t')) fields.expect('T');
  const int hour = fields.number(2);
  fields.expect(':');
  const int minute = fields.number(2);
  fields.expect(':');
  const int second = fields.number(2);
  if (fields.take('.')) fields.skip_digits(9);
  int offset_s = 0;
  if (!fields.take('Z') && !fields.take('z')) {
    const bool is_west = fields.take('-');
    if (!is_west) fields.expect('+');
    offset_s = fields.number(2) * 3600;
    fields.expect(':');
    offset_s += fields.number(2) * 60;
    if (fields.take(':')) offset_s += fields.number(2);
    if (is_west) offset_s = -offset_s;
  }
  const year_month_day date{year(year_number), month(static_cast<unsigned>(month_number)),
                            day(static_cast<unsigned>(day_number))};
  const bool is_time = hour < 24 && minute < 60 && second < 60;
  if (!fields.is_done() || !date.ok() || !is_time) return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return days * 86'400 + hour * 3600 + minute * 60 + second - offset_s;
}

}  // namespace weir::processors
