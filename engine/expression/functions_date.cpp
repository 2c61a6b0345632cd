#include <fmt/format.h>

#include <array>

#include "engine/expression/functions.h"
#include "engine/expression/pattern_cache.h"

// Functions on dates (milliseconds) and instants (nanoseconds).
namespace weir::expression {
namespace {

using Made = std::expected<std::unique_ptr<const PreparedData>, std::string>;

struct PreparedFormat final : PreparedData {
  explicit PreparedFormat(text::DatePattern compiled) : pattern(std::move(compiled)) {}
  const text::DatePattern pattern;
};

struct PreparedZone final : PreparedData {
  explicit PreparedZone(text::Zone found) : zone(std::move(found)) {}
  const text::Zone zone;
};

Made prepare_format(const Value& argument) {
  if (argument.is_null()) return std::unexpected("null is no date pattern");
  auto compiled = text::DatePattern::compile(argument.text());
  if (!compiled) return std::unexpected(std::move(compiled.error().message));
  return std::make_unique<PreparedFormat>(*std::move(compiled));
}

Made prepare_zone(const Value& argument) {
  if (argument.is_null()) return std::unexpected("null is no time zone");
  auto zone = text::Zone::find(argument.text());
  if (!zone) return std::unexpected(std::move(zone.error().message));
  return std::make_unique<PreparedZone>(*std::move(zone));
}

// The second argument; the machine's zone where there is none or it has no value.
text::Zone zone_argument(const Call& call, Evaluation& evaluation) {
  if (const auto* prepared = call.prepared<PreparedZone>(1)) return prepared->zone;
  if (call.argument_count() < 2) return text::Zone::machine();
  const auto id = call.argument_text(1, evaluation);
  return id ? zone_of(*id) : text::Zone::machine();
}

Value formatted(const Call& call, Evaluation& evaluation, const text::Instant& instant,
                const text::DatePattern& pattern, const text::Zone& zone) {
  std::string& out = evaluation.buffer();
  const auto done = pattern.format(instant, zone, out);
  if (!done) call.fail(done.error().message);
  return evaluation.text(out);
}

Value format(const Call& call, Evaluation& evaluation) {
  const Value date = call.subject_value(evaluation);
  if (date.is_null()) return {};
  const auto instant = text::Instant::from_millis(date.date_ms());
  if (const auto* prepared = call.prepared<PreparedFormat>(0)) {
    const text::Zone zone = zone_argument(call, evaluation);
    return formatted(call, evaluation, instant, prepared->pattern, zone);
  }
  const std::string_view pattern = call.required_text(0, evaluation);
  const text::Zone zone = zone_argument(call, evaluation);
  return formatted(call, evaluation, instant, cached_date_pattern(pattern), zone);
}

Value format_instant(const Call& call, Evaluation& evaluation) {
  const Value instant = call.subject_value(evaluation);
  if (instant.is_null()) return {};
  const std::string_view pattern = call.required_text(0, evaluation);
  const auto* zone = call.prepared<PreparedZone>(1);
  const text::Zone in_zone = zone ? zone->zone : zone_of(call.required_text(1, evaluation));
  if (const auto* prepared = call.prepared<PreparedFormat>(0)) {
    return formatted(call, evaluation, instant.instant(), prepared->pattern, in_zone);
  }
  return formatted(call, evaluation, instant.instant(), cached_date_pattern(pattern), in_zone);
}

Value to_date(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const auto written = call.argument_text(0, evaluation);
  if (!written) return {};
  const text::Zone zone = zone_argument(call, evaluation);
  const auto* prepared = call.prepared<PreparedFormat>(0);
  const text::DatePattern& pattern = prepared ? prepared->pattern : cached_date_pattern(*written);
  const auto instant = pattern.parse_lenient(*subject, zone);
  if (!instant) {
    call.fail(
        fmt::format("'{}' does not read as '{}': {}", *subject, *written, instant.error().message));
  }
  std::int64_t epoch_ms = 0;
  if (!instant->to_millis(epoch_ms)) call.fail("the date does not fit 64 bits of milliseconds");
  return Value::of_date(epoch_ms);
}

Value to_instant(const Call& call, Evaluation& evaluation) {
  const auto subject = call.subject_text(evaluation);
  if (!subject) return {};
  const auto written = call.argument_text(0, evaluation);
  if (!written) return {};
  const auto* zone = call.prepared<PreparedZone>(1);
  const text::Zone in_zone = zone ? zone->zone : zone_of(call.required_text(1, evaluation));
  const auto* prepared = call.prepared<PreparedFormat>(0);
  const text::DatePattern& pattern = prepared ? prepared->pattern : cached_date_pattern(*written);
  const auto instant = pattern.parse_strict(*subject, in_zone);
  if (!instant) {
    call.fail(
        fmt::format("'{}' does not read as '{}': {}", *subject, *written, instant.error().message));
  }
  return Value::of_instant(*instant);
}

Value date_from_number(const Call& call, Evaluation& evaluation) {
  const Value number = call.subject_value(evaluation);
  return number.is_null() ? number : Value::of_date(number.whole());
}

Value instant_from_number(const Call& call, Evaluation& evaluation) {
  const Value number = call.subject_value(evaluation);
  if (number.is_null()) return number;
  return Value::of_instant(text::Instant::from_millis(number.whole()));
}

template <bool (text::Instant::*Count)(std::int64_t&) const>
Value count_since_epoch(const Call& call, Evaluation& evaluation) {
  const Value subject = call.subject_value(evaluation);
  if (subject.is_null()) return {};
  std::int64_t count = 0;
  if (!(subject.instant().*Count)(count)) call.fail("the result does not fit 64 bits");
  return Value::of_whole(count);
}

Function with_format(std::string_view name, Type result, Value (*run)(const Call&, Evaluation&),
                     std::size_t least, As subject, bool checks_literals) {
  return {.name = name,
          .result = result,
          .run = run,
          .least = least,
          .most = 2,
          .subject = subject,
          .prepare = {prepare_format, prepare_zone},
          .checks_literals = checks_literals,
          .dates = true};
}

Function since_epoch(std::string_view name, Value (*run)(const Call&, Evaluation&)) {
  return {.name = name,
          .result = Type::number,
          .run = run,
          .subject = As::instant,
          .exact_subject = true};
}

const std::array all = {
    with_format("format", Type::string, format, 1, As::date, true),
    with_format("formatInstant", Type::string, format_instant, 2, As::instant, false),
    with_format("toDate", Type::date, to_date, 0, As::text, true),
    with_format("toInstant", Type::instant, to_instant, 0, As::text, false),
    since_epoch("toMicros", count_since_epoch<&text::Instant::to_micros>),
    since_epoch("toNanos", count_since_epoch<&text::Instant::to_nanos>),
};

}  // namespace

std::span<const Function> date_functions() {
  return all;
}

const Function& date_of_number() {
  static const Function function{.name = "toDate",
                                 .result = Type::date,
                                 .run = date_from_number,
                                 .most = 2,
                                 .subject = As::whole};
  return function;
}

const Function& instant_of_number() {
  static const Function function{.name = "toInstant",
                                 .result = Type::instant,
                                 .run = instant_from_number,
                                 .most = 2,
                                 .subject = As::whole};
  return function;
}

}  // namespace weir::expression
