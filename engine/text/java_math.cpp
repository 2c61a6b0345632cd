#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "engine/text/java_number.h"

namespace weir::text {
namespace {

using Result = std::expected<Number, std::string>;
using Unary = double (*)(double);
using Binary = double (*)(double, double);
using WholeUnary = Result (*)(std::int64_t);
using WholeBinary = Result (*)(std::int64_t, std::int64_t);

Result failed(const char* reason) {
  return std::unexpected(std::string(reason));
}

Result overflow() {
  return failed("the result has too many bits");
}

double signum(double x) {
  return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}

double next_up(double x) {
  return std::nextafter(x, std::numeric_limits<double>::infinity());
}

double next_down(double x) {
  return std::nextafter(x, -std::numeric_limits<double>::infinity());
}

double ulp(double x) {
  x = std::fabs(x);
  if (!std::isfinite(x)) return x;
  if (x == std::numeric_limits<double>::max()) return x - next_down(x);
  return next_up(x) - x;
}

// Not std::max: NaN wins, and 0.0 is above -0.0.
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// The C library's own for doubles is off by one digit more often than Java's.
double cube_root(double x) {
  return static_cast<double>(std::cbrt(static_cast<long double>(x)));
}

// Java gives NaN where C gives 1.
double power(double base, double exponent) {
  if (std::isnan(exponent)) return exponent;
  if (std::isinf(exponent) && std::fabs(base) == 1) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::pow(base, exponent);
}

const std::unordered_map<std::string_view, Unary> unary = {
    {"abs", [](double x) { return std::fabs(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"cbrt", &cube_root},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"log1p", [](double x) { return std::log1p(x); }},
    {"nextDown", &next_down},
    {"nextUp", &next_up},
    {"rint", [](double x) { return std::nearbyint(x); }},
    {"signum", &signum},
    {"sin", [](double x) { return std::sin(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"toDegrees", [](double x) { return x * (180.0 / std::numbers::pi); }},
    {"toRadians", [](double x) { return x * (std::numbers::pi / 180.0); }},
    {"ulp", &ulp},
};

const std::unordered_map<std::string_view, Binary> binary = {
    {"IEEEremainder", [](double a, double b) { return std::remainder(a, b); }},
    {"atan2", [](double a, double b) { return std::atan2(a, b); }},
    {"copySign", [](double a, double b) { return std::copysign(a, b); }},
    {"hypot", [](double a, double b) { return std::hypot(a, b); }},
    {"max", &maximum},
    {"min", &minimum},
    {"nextAfter", [](double a, double b) { return std::nextafter(a, b); }},
    {"pow", &power},
};

const std::unordered_map<std::string_view, WholeUnary> whole_unary = {
    // The absolute value of the least number is itself in Java.
    {"abs",
     [](std::int64_t x) -> Result {
       return x < 0 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)) : x;
     }},
    {"absExact",
     [](std::int64_t x) -> Result { return x == INT64_MIN ? overflow() : Result(x < 0 ? -x : x); }},
    {"negateExact",
     [](std::int64_t x) -> Result { return x == INT64_MIN ? overflow() : Result(-x); }},
    {"incrementExact",
     [](std::int64_t x) -> Result { return x == INT64_MAX ? overflow() : Result(x + 1); }},
    {"decrementExact",
     [](std::int64_t x) -> Result { return x == INT64_MIN ? overflow() : Result(x - 1); }},
    {"toIntExact",
     [](std::int64_t x) -> Result {
       return x < INT32_MIN || x > INT32_MAX ? overflow() : Result(x);
     }},
};

// Quotient and remainder by zero fail, and the least number by -1 wraps around.
template <typename Operation>
Result division(std::int64_t a, std::int64_t b, bool exact, const Operation& operation) {
  if (b == 0) return failed("division by zero");
  if (a == INT64_MIN && b == -1) return exact ? overflow() : operation(a, std::int64_t{1});
  return operation(a, b);
}

Result floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Result ceil_quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

Result floor_remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Result ceil_remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) == (b < 0) ? rest - b : rest;
}

Result multiply_exact(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? overflow() : Result(result);
}

Result unsigned_multiply_exact(std::int64_t a, std::int64_t b) {
  std::uint64_t result = 0;
  const bool past =
      __builtin_mul_overflow(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b), &result);
  return past ? overflow() : Result(static_cast<std::int64_t>(result));
}

template <typename Multiply>
Result power_exact(std::int64_t base, std::int64_t exponent, const Multiply& multiply) {
  if (exponent < 0) return failed("the exponent is negative");
  if (exponent == 0 || base == 1) return std::int64_t{1};
  if (base == 0) return std::int64_t{0};
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < (base == -1 ? exponent % 2 : exponent); ++i) {
    const Result next = multiply(result, base);
    if (!next) return next;
    result = std::get<std::int64_t>(*next);
  }
  return result;
}

__extension__ using Wide = __int128;  // products of 64 bits need twice as many
__extension__ using UnsignedWide = unsigned __int128;

const std::unordered_map<std::string_view, WholeBinary> whole_binary = {
    {"addExact",
     [](std::int64_t a, std::int64_t b) -> Result {
       std::int64_t result = 0;
       return __builtin_add_overflow(a, b, &result) ? overflow() : Result(result);
     }},
    {"subtractExact",
     [](std::int64_t a, std::int64_t b) -> Result {
       std::int64_t result = 0;
       return __builtin_sub_overflow(a, b, &result) ? overflow() : Result(result);
     }},
    {"multiplyExact", &multiply_exact},
    {"unsignedMultiplyExact", &unsigned_multiply_exact},
    {"multiplyHigh",
     [](std::int64_t a, std::int64_t b) -> Result {
       return static_cast<std::int64_t>((static_cast<Wide>(a) * b) >> 64);
     }},
    {"unsignedMultiplyHigh",
     [](std::int64_t a, std::int64_t b) -> Result {
       const auto left = static_cast<UnsignedWide>(static_cast<std::uint64_t>(a));
       return static_cast<std::int64_t>((left * static_cast<std::uint64_t>(b)) >> 64);
     }},
    {"max", [](std::int64_t a, std::int64_t b) -> Result { return std::max(a, b); }},
    {"min", [](std::int64_t a, std::int64_t b) -> Result { return std::min(a, b); }},
    {"divideExact",
     [](std::int64_t a, std::int64_t b) {
       return division(a, b, true, [](auto x, auto y) -> Result { return x / y; });
     }},
    {"floorDiv",
     [](std::int64_t a, std::int64_t b) { return division(a, b, false, &floor_quotient); }},
    {"floorDivExact",
     [](std::int64_t a, std::int64_t b) { return division(a, b, true, &floor_quotient); }},
    {"ceilDiv",
     [](std::int64_t a, std::int64_t b) { return division(a, b, false, &ceil_quotient); }},
    {"ceilDivExact",
     [](std::int64_t a, std::int64_t b) { return division(a, b, true, &ceil_quotient); }},
    {"floorMod",
     [](std::int64_t a, std::int64_t b) { return division(a, b, false, &floor_remainder); }},
    {"ceilMod",
     [](std::int64_t a, std::int64_t b) { return division(a, b, false, &ceil_remainder); }},
};

// Math.round: towards positive infinity at a half, bounded to 64 bits.
std::int64_t round_half_up(double x) {
  const double below = std::floor(x);
  return decimal_to_whole(x - below >= 0.5 ? below + 1 : below);
}

std::int64_t exponent_of(double x) {
  if (std::isnan(x) || std::isinf(x)) return 1024;
  return std::fabs(x) < std::numeric_limits<double>::min() ? -1023 : std::ilogb(x);
}

template <typename Table, typename... Values>
Result call(const Table& table, std::string_view name, Values... values) {
  const auto found = table.find(name);
  if (found != table.end()) return found->second(values...);
  return std::unexpected(fmt::format("there is no method {} of these types", name));
}

Result of_one(std::string_view name, const Number& argument) {
  const double* decimal = std::get_if<double>(&argument);
  if (!decimal) return call(whole_unary, name, std::get<std::int64_t>(argument));
  if (name == "round") return round_half_up(*decimal);
  if (name == "getExponent") return exponent_of(*decimal);
  return call(unary, name, *decimal);
}

Result of_two(std::string_view name, const Number& first, const Number& second) {
  const double* decimal = std::get_if<double>(&first);
  if (const double* other = std::get_if<double>(&second)) {
    if (decimal) return call(binary, name, *decimal, *other);
    return failed("there is no such method of a whole number and a decimal");
  }
  const std::int64_t whole = std::get<std::int64_t>(second);
  const auto narrow = static_cast<std::int32_t>(whole);
  if (decimal) {
    if (name == "scalb") return std::scalbn(*decimal, narrow);
    return failed("there is no such method of a decimal and a whole number");
  }
  const std::int64_t base = std::get<std::int64_t>(first);
  if (name == "powExact") return power_exact(base, narrow, &multiply_exact);
  if (name == "unsignedPowExact") return power_exact(base, narrow, &unsigned_multiply_exact);
  return call(whole_binary, name, base, whole);
}

}  // namespace

std::expected<Number, std::string> math(std::string_view name, std::span<const Number> arguments,
                                        double random_value) {
  if (arguments.size() == 1) return of_one(name, arguments[0]);
  if (arguments.size() == 2) return of_two(name, arguments[0], arguments[1]);
  if (arguments.empty() && name == "random") return random_value;
  return std::unexpected(fmt::format("there is no method {} of these types", name));
}

}  // namespace weir::text
