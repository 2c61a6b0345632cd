#include "engine/text/java_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace weir::text {
namespace {

TEST(JavaNumber, PrintsDoublesAsJava) {
  const std::pair<double, const char*> cases[] = {
      {1e7, "1.0E7"},
      {9999999, "9999999.0"},
      {0.001, "0.001"},
      {0.00099, "9.9E-4"},
      {0.1 + 0.2, "0.30000000000000004"},
      {0, "0.0"},
      {-0.0, "-0.0"},
      {-1.5, "-1.5"},
      {100, "100.0"},
      {123456789.125, "1.23456789125E8"},
      {1e21, "1.0E21"},
      {1e23, "1.0E23"},
      {2e-323, "2.0E-323"},
      {4.9e-324, "4.9E-324"},
      {1.7976931348623157e308, "1.7976931348623157E308"},
      {9.223372036854775807e18, "9.223372036854776E18"},
      {1.700000000123e12, "1.700000000123E12"},
      {std::nan(""), "NaN"},
      {HUGE_VAL, "Infinity"},
      {-HUGE_VAL, "-Infinity"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(double_to_string(value), text);
}

TEST(JavaNumber, PrintedDoublesReadBackAsThemselves) {
  const unsigned seed = 20231114;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    const NumberText back = parse_number(double_to_string(value));
    ASSERT_EQ(back.kind, NumberText::Kind::decimal) << value;
    ASSERT_EQ(back.decimal, value) << "seed " << seed;
  }
}

TEST(JavaNumber, TakesForNumbersWhatTheExpressionLanguageDoes) {
  const std::pair<const char*, std::int64_t> whole[] = {
      {"0XfF", 255}, {"0x1F", 31}, {"-0x10", -16}, {"000123", 123},
      {"010", 10},   {"+9", 9},    {"  12 ", 12},  {"-9223372036854775808", INT64_MIN}};
  for (const auto& [text, value] : whole) {
    const NumberText number = parse_number(text);
    EXPECT_EQ(number.kind, NumberText::Kind::whole) << text;
    EXPECT_EQ(number.whole, value) << text;
  }
  const std::pair<const char*, double> decimal[] = {{"2.5", 2.5},
                                                    {".5", 0.5},
                                                    {"1.5e3", 1500},
                                                    {"0x1.8p1", 3},
                                                    {"0x.8p1", 1},
                                                    {"-0.0", 0},
                                                    {"Infinity", HUGE_VAL},
                                                    {"-Infinity", -HUGE_VAL},
                                                    {"1.0e400", HUGE_VAL},
                                                    {"1.0e-400", 0},
                                                    {".5E+1", 5}};
  for (const auto& [text, value] : decimal) {
    const NumberText number = parse_number(text);
    EXPECT_EQ(number.kind, NumberText::Kind::decimal) << text;
    EXPECT_EQ(number.decimal, value) << text;
  }
  EXPECT_TRUE(std::isnan(parse_number("NaN").decimal));
  for (const char* text :
       {"",   "abc",    "1e3",  "1e400", "5.",    "2E-2", "1_000", "1,000", "--5",  "1.5f",
        "5L", "\u0663", "true", "0x",    "0x1.8", "0xg",  "+",     ".",     "1.5e", "1 2"}) {
    EXPECT_EQ(parse_number(text).kind, NumberText::Kind::none) << text;
  }
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "99999999999999999999999",
                           "0xFFFFFFFFFFFFFFFF"}) {
    EXPECT_EQ(parse_number(text).kind, NumberText::Kind::out_of_range) << text;
  }
}

TEST(JavaNumber, CastsDecimalsAsJava) {
  EXPECT_EQ(decimal_to_whole(-3.9), -3);
  EXPECT_EQ(decimal_to_whole(std::nan("")), 0);
  EXPECT_EQ(decimal_to_whole(1e30), INT64_MAX);
  EXPECT_EQ(decimal_to_whole(-HUGE_VAL), INT64_MIN);
}

TEST(JavaNumber, ConvertsBetweenRadixes) {
  EXPECT_EQ(to_radix(INT64_MAX, 36), "1y2p0ij32e8e7");
  EXPECT_EQ(to_radix(INT64_MIN, 16), "-8000000000000000");
  EXPECT_EQ(to_radix(7, 37), "7");
  EXPECT_EQ(to_radix(7, 2, 8), "00000111");
  EXPECT_EQ(to_radix(-7, 2, 8), "0000-111");
  EXPECT_EQ(from_radix("fF", 16), 255);
  EXPECT_EQ(from_radix("+11", 2), 3);
  EXPECT_EQ(from_radix("-8000000000000000", 16), INT64_MIN);
  EXPECT_EQ(from_radix("\u0661\u0660", 10), 10);
  for (const char* text : {"", "-", " 11", "1.5", "12", "+-1"}) {
    EXPECT_FALSE(from_radix(text, 2)) << text;
  }
  EXPECT_FALSE(from_radix("8000000000000000", 16));
  EXPECT_FALSE(from_radix("101", 1));
  EXPECT_FALSE(from_radix("101", 37));
  EXPECT_EQ(from_radix("12", 2).error().offset, 1u);
  EXPECT_EQ(parse_int("-5"), -5);
  EXPECT_FALSE(parse_int("2147483648"));
  EXPECT_FALSE(parse_int(" 80"));
}

std::string called(std::string_view name, std::vector<Number> arguments) {
  const auto result = math(name, arguments, 0.25);
  if (!result) return "error";
  if (const double* decimal = std::get_if<double>(&*result)) return double_to_string(*decimal);
  return std::to_string(std::get<std::int64_t>(*result));
}

TEST(JavaMath, ChoosesTheOverloadByTheExactTypes) {
  EXPECT_EQ(called("abs", {-7}), "7");
  EXPECT_EQ(called("floor", {-2.5}), "-3.0");
  EXPECT_EQ(called("round", {2.5}), "3");
  EXPECT_EQ(called("round", {-2.5}), "-2");
  EXPECT_EQ(called("rint", {2.5}), "2.0");
  EXPECT_EQ(called("sqrt", {-2.5}), "NaN");
  EXPECT_EQ(called("ulp", {2.5}), "4.440892098500626E-16");
  EXPECT_EQ(called("nextUp", {2.5}), "2.5000000000000004");
  EXPECT_EQ(called("toRadians", {180.0}), "3.141592653589793");
  EXPECT_EQ(called("getExponent", {2.5}), "1");
  EXPECT_EQ(called("IEEEremainder", {2.5, 1.0}), "0.5");
  EXPECT_EQ(called("scalb", {2.5, 3}), "20.0");
  EXPECT_EQ(called("max", {7.0, 9.5}), "9.5");
  EXPECT_EQ(called("floorMod", {-7, 4294967297}), "4294967290");
  EXPECT_EQ(called("floorDiv", {-7, 2}), "-4");
  EXPECT_EQ(called("ceilDiv", {7, 2}), "4");
  EXPECT_EQ(called("multiplyExact", {7, 6}), "42");
  EXPECT_EQ(called("powExact", {3, 4}), "81");
  EXPECT_EQ(called("toIntExact", {7}), "7");
  EXPECT_EQ(called("random", {}), "0.25");
  EXPECT_EQ(called("sqrt", {7}), "error");
  EXPECT_EQ(called("round", {7}), "error");
  EXPECT_EQ(called("pow", {7, 2}), "error");
  EXPECT_EQ(called("max", {2.5, 9}), "error");
  EXPECT_EQ(called("max", {7, 9.5}), "error");
  EXPECT_EQ(called("random", {7}), "error");
  EXPECT_EQ(called("nosuch", {}), "error");
  EXPECT_EQ(called("PI", {7}), "error");
}

TEST(JavaMath, FailsWhereJavaThrows) {
  EXPECT_EQ(called("floorDiv", {7, 0}), "error");
  EXPECT_EQ(called("addExact", {INT64_MAX, 1}), "error");
  EXPECT_EQ(called("negateExact", {INT64_MIN}), "error");
  EXPECT_EQ(called("toIntExact", {INT64_MAX}), "error");
  EXPECT_EQ(called("divideExact", {INT64_MIN, -1}), "error");
  EXPECT_EQ(called("floorDiv", {INT64_MIN, -1}), std::to_string(INT64_MIN));
}

TEST(JavaMath, ComputesToTheLastDigit) {
  EXPECT_EQ(called("tan", {2.5}), "-0.7470222972386603");
  EXPECT_EQ(called("cos", {0.0}), "1.0");
  EXPECT_EQ(called("cbrt", {2.5}), "1.3572088082974534");
  EXPECT_EQ(called("cbrt", {1000.0}), "10.0");
  EXPECT_EQ(called("cbrt", {-27.0}), "-3.0");
  EXPECT_EQ(called("exp", {2.5}), "12.182493960703473");
  EXPECT_EQ(called("atan2", {2.5, 1.0}), "1.1902899496825317");
}

}  // namespace
}  // namespace weir::text
