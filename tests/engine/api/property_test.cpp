#include "engine/api/property.h"

#include <gtest/gtest.h>

#include "engine/api/component.h"
#include "engine/api/error.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(PropertyValue, AnAbsentOneIsEmptyAndFailsToConvert) {
  const PropertyValue value;
  EXPECT_FALSE(value.is_set());
  EXPECT_EQ(value.text(), "");
  EXPECT_THROW(value.integer(), ProcessException);
}

TEST(PropertyValue, ConvertsAsDeclared) {
  const std::string name = "P", integer = "12", yes = "TRUE", size = "1.5 KB", period = "2 mins";
  EXPECT_EQ(PropertyValue(&name, &integer).integer(), 12);
  EXPECT_TRUE(PropertyValue(&name, &yes).boolean());
  EXPECT_EQ(PropertyValue(&name, &size).data_size(), 1536u);
  EXPECT_EQ(PropertyValue(&name, &period).duration(), 2min);
}

TEST(PropertyValue, ABadValueIsNamedWithItsProperty) {
  const std::string name = "Batch Size", text = "ten";
  try {
    PropertyValue(&name, &text).integer();
    FAIL();
  } catch (const ProcessException& error) {
    EXPECT_NE(std::string(error.what()).find("\"Batch Size\": \"ten\""), std::string::npos)
        << error.what();
  }
}

class Fixed : public PreparedExpression {
 public:
  void evaluate(const ExpressionInputs&, std::string& out) const override { out += "7"; }
  ExpressionResult result() const override { return ExpressionResult::whole_number; }
};

TEST(PropertyValue, AnExpressionIsEvaluated) {
  const std::string name = "P", text = "${x}";
  const Fixed expression;
  const PropertyValue value(&name, &text, &expression);
  EXPECT_TRUE(value.has_expression());
  EXPECT_EQ(value.text(), "${x}");
  EXPECT_EQ(value.evaluate(), "7");
  EXPECT_EQ(value.integer(), 7);
}

TEST(Validators, SayNothingOrASentence) {
  EXPECT_FALSE(validators::non_empty()("x"));
  EXPECT_TRUE(validators::non_empty()(""));
  EXPECT_FALSE(validators::boolean()("true"));
  EXPECT_TRUE(validators::boolean()("yes"));
  EXPECT_FALSE(validators::integer(0, 9)("9"));
  EXPECT_TRUE(validators::integer(0, 9)("10"));
  EXPECT_TRUE(validators::integer(0)("-1"));
  EXPECT_TRUE(validators::integer(0)("1 "));
  EXPECT_FALSE(validators::number()("-1.5e3"));
  EXPECT_TRUE(validators::number()("1,5"));
  EXPECT_FALSE(validators::data_size()("1 GB"));
  EXPECT_TRUE(validators::data_size()("1 lot"));
  EXPECT_TRUE(validators::data_size(10)("9 B"));
  EXPECT_FALSE(validators::duration()("0 sec"));
  EXPECT_TRUE(validators::duration(1s)("999 ms"));
  EXPECT_TRUE(validators::duration()("5"));
  EXPECT_FALSE(validators::regular_expression()("a.*"));
  EXPECT_TRUE(validators::regular_expression()("a("));
  EXPECT_FALSE(validators::character_set()("UTF-8"));
  EXPECT_FALSE(validators::character_set()("ISO-8859-1"));
  EXPECT_TRUE(validators::character_set()("no-such-set"));
}

TEST(ComponentDefinition, FindsAPropertyByOldNameToo) {
  ComponentDefinition definition{.type = "a.B", .summary = ""};
  definition.properties = {{.name = "new", .old_names = {"old", "older"}}, {.name = "old2"}};
  EXPECT_EQ(definition.find_property("new"), &definition.properties[0]);
  EXPECT_EQ(definition.find_property("older"), &definition.properties[0]);
  EXPECT_EQ(definition.find_property("none"), nullptr);
  EXPECT_EQ(definition.short_type(), "B");
}

}  // namespace
}  // namespace weir
