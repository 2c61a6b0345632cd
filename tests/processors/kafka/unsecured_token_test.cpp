#include "processors/kafka/unsecured_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/text/base64.h"

namespace weir::processors::kafka {
namespace {

using ::testing::HasSubstr;

// The part of the token between the dots, read.
std::string claims_of(const UnsecuredToken& made) {
  const std::size_t begin = made.token.find('.') + 1;
  std::string part = made.token.substr(begin, made.token.rfind('.') - begin);
  while (part.size() % 4 != 0) part += '=';
  return text::base64_decode(part).value_or("?");
}

TEST(UnsecuredToken, HoldsThePrincipalAndItsTime) {
  const auto made = unsecured_token("principal=alice lifeSeconds=10", 1'700'000'000'250);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->principal, "alice");
  EXPECT_EQ(made->expires_ms, 1'700'000'010'250);
  EXPECT_THAT(made->token, ::testing::StartsWith("eyJhbGciOiJub25lIn0."));
  EXPECT_THAT(made->token, ::testing::EndsWith("."));
  EXPECT_EQ(claims_of(*made), R"({"sub":"alice","iat":1700000000.250,"exp":1700000010.250})");
}

TEST(UnsecuredToken, HoldsScopesAndOtherNamesOfClaims) {
  const auto made = unsecured_token(
      "principalClaimName=user  principal=a scopeClaimName=rights scope=read,write", 0);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(claims_of(*made),
            R"({"user":"a","iat":0.000,"exp":3600.000,"rights":["read","write"]})");
}

TEST(UnsecuredToken, SaysWhatIsWrongWithItsConfiguration) {
  const auto problem = [](std::string_view config) {
    const auto made = unsecured_token(config, 0);
    return made ? std::string() : made.error();
  };
  EXPECT_THAT(problem(""), HasSubstr("no principal"));
  EXPECT_THAT(problem("scope=a"), HasSubstr("no principal"));
  EXPECT_THAT(problem("principal=a life=3"), HasSubstr("lifeSeconds"));
  EXPECT_THAT(problem("principal"), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(problem("principal=a\"b"), HasSubstr("quotes"));
  for (const char* life : {"", "0", "-1", "x", "1s", "99999999999999999999"}) {
    EXPECT_THAT(problem("principal=a lifeSeconds=" + std::string(life)), HasSubstr("no number"));
  }
}

}  // namespace
}  // namespace weir::processors::kafka
