#include "engine/flow/annotation_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/api/annotation.h"
#include "tests/engine/flow/test_flow.h"

namespace weir::flow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Values = std::map<std::string, std::string>;

const ProcessorDefinition& ruled() {
  static const ProcessorDefinition definition = [] {
    ProcessorDefinition made;
    made.type = "org.apache.nifi.processors.attributes.UpdateAttribute";
    made.dynamic_properties = DynamicPropertyNote{"a name", "a value", "An attribute.",
                                                  ExpressionScope::flow_file_attributes};
    made.relationships = {{"success"}};
    return made;
  }();
  return definition;
}

const ComponentRegistry& registry() {
  static const ComponentRegistry made = [] {
    ComponentRegistry one;
    one.add(ruled());
    return one;
  }();
  return made;
}

Values good(std::string_view data) {
  auto values = annotation_values(data, ruled());
  EXPECT_TRUE(values) << values.error();
  return values.value_or(Values());
}

std::string refusal(std::string_view data) {
  const auto values = annotation_values(data, ruled());
  return values ? "(was read)" : values.error();
}

std::string rule(std::string_view inside, std::string_view name = "r") {
  return fmt::format("<criteria><rules><name>{}</name>{}</rules></criteria>", name, inside);
}

constexpr std::string_view condition =
    "<conditions><expression>${a:isEmpty()}</expression></conditions>";
constexpr std::string_view action = "<actions><attribute>b</attribute><value>1</value></actions>";

std::string key(const std::string& text) {
  return annotation_prefix + text;
}

TEST(AnnotationRules, ReadsWhatNifiWrites) {
  EXPECT_THAT(
      good(R"(<criteria>
    <flowFilePolicy>USE_ORIGINAL</flowFilePolicy>
    <rules>
        <actions>
            <attribute>b</attribute>
            <id>2f0</id>
            <ruleId>a1</ruleId>
            <value>${x:append('&lt;&amp;&#228;')}</value>
        </actions>
        <actions>
            <attribute>c/d</attribute>
            <value></value>
        </actions>
        <comments></comments>
        <conditions>
            <expression> ${n:gt(1)}
            </expression>
            <id>77</id>
        </conditions>
        <id>a1</id>
        <name>first &amp; best</name>
    </rules>
    <rules>
        <name>second</name>
        <conditions><expression><![CDATA[${a:equals("<")}]]></expression></conditions>
        <conditions><expression>${b:isEmpty()}</expression></conditions>
        <actions><value/><attribute>e</attribute></actions>
    </rules>
</criteria>)"),
      ElementsAre(Pair(key("policy"), "USE_ORIGINAL"),
                  Pair(key("rules/0000/if/0000"), "${n:gt(1)}"),
                  Pair(key("rules/0000/name"), "first & best"),
                  Pair(key("rules/0000/set/0000/b"), "${x:append('<&ä')}"),
                  Pair(key("rules/0000/set/0001/c/d"), ""),
                  Pair(key("rules/0001/if/0000"), "${a:equals(\"<\")}"),
                  Pair(key("rules/0001/if/0001"), "${b:isEmpty()}"),
                  Pair(key("rules/0001/name"), "second"), Pair(key("rules/0001/set/0000/e"), "")));
}

TEST(AnnotationRules, NothingMeansNoRules) {
  EXPECT_THAT(good(""), IsEmpty());
  EXPECT_THAT(good(" \n"), IsEmpty());
  EXPECT_THAT(good("<criteria/>"), ElementsAre(Pair(key("policy"), "USE_CLONE")));
}

TEST(AnnotationRules, OtherTypesMaySayWhatTheyLike) {
  ProcessorDefinition other;
  other.type = "org.example.Other";
  const auto values = annotation_values("<not even XML", other);
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, IsEmpty());
}

TEST(AnnotationRules, WhatNobodyKnowsIsPassedOver) {
  const std::string extra = "<later version=\"2\"><name>no</name><rules/></later>";
  EXPECT_EQ(good(rule(std::string(condition) + extra + std::string(action))).size(), 4u);
}

TEST(AnnotationRules, SaysWhatIsMissing) {
  const std::string both = std::string(condition) + std::string(action);
  EXPECT_EQ(refusal(rule(action)), "annotation data, line 1: the rule 'r' has no condition");
  EXPECT_EQ(refusal(rule(condition)), "annotation data, line 1: the rule 'r' has no action");
  EXPECT_THAT(refusal(rule(both, " ")), HasSubstr("a rule has no name"));
  EXPECT_THAT(refusal(rule("<conditions/>" + both)),
              HasSubstr("the rule 'r', condition 1 has no expression"));
  EXPECT_THAT(refusal(rule(both + "<actions><value>1</value></actions>")),
              HasSubstr("the rule 'r', action 2 names no attribute"));
  EXPECT_THAT(refusal(rule(both + "<actions><attribute>c</attribute></actions>")),
              HasSubstr("the rule 'r' has no value for attribute 'c'"));
  EXPECT_THAT(refusal("<criteria>\n<flowFilePolicy>USE_BOTH</flowFilePolicy></criteria>"),
              HasSubstr("line 2: flowFilePolicy is 'USE_BOTH' instead of one of"));
}

TEST(AnnotationRules, MalformedDataIsRefusedWithItsLine) {
  EXPECT_THAT(refusal("<criteria>\n<rules>\n</criteria>"), HasSubstr("annotation data, line 3: "));
  EXPECT_THAT(refusal("rules"), HasSubstr("annotation data, line 1: "));
  EXPECT_THAT(refusal("<criteria>"), HasSubstr("annotation data, line 1: "));
  EXPECT_THAT(refusal("<criteria>&none;</criteria>"), HasSubstr("undefined entity"));
  EXPECT_THAT(refusal("<criteria>&#0;</criteria>"), HasSubstr("annotation data, line 1: "));
  EXPECT_THAT(refusal("<rule/>"), HasSubstr("'criteria' was expected instead of 'rule'"));
}

// Neither a file of the machine nor an entity that grows without end.
TEST(AnnotationRules, TakesNoEntitiesOfItsOwn) {
  for (const char* type : {"<!DOCTYPE criteria [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>",
                           "<!DOCTYPE criteria [<!ENTITY a \"aa\"><!ENTITY e \"&a;&a;\">]>",
                           "<!DOCTYPE criteria SYSTEM \"http://localhost/criteria.dtd\">"}) {
    EXPECT_THAT(refusal(std::string(type) + rule("&e;")),
                HasSubstr("a document type declaration is not allowed"));
  }
}

TEST(AnnotationRules, SizesAreBounded) {
  EXPECT_THAT(refusal("<criteria>" + std::string(5'000'000, ' ') + "</criteria>"),
              HasSubstr("bytes are more than"));
  std::string deep = "<criteria>";
  for (int i = 0; i < 100'000; ++i) deep += "<x>";
  EXPECT_THAT(refusal(deep), HasSubstr("nested too deep"));
  std::string many;
  const std::string one = fmt::format("<rules><name>r</name>{}{}</rules>", condition, action);
  for (int i = 0; i < 1001; ++i) many += one;
  EXPECT_THAT(refusal("<criteria>" + many + "</criteria>"), HasSubstr("more than 1000 rules"));
  std::string conditions;
  for (int i = 0; i < 1001; ++i) conditions += condition;
  EXPECT_THAT(refusal(rule(conditions + std::string(action))),
              HasSubstr("more than 1000 conditions or actions"));
}

TEST(AnnotationRules, NoDamageDoesMoreThanToBeRefused) {
  const std::string good_one = rule(std::string(condition) + std::string(action));
  for (std::size_t i = 1; i < good_one.size(); ++i) {
    EXPECT_THAT(refusal(good_one.substr(0, i)), HasSubstr("annotation data, line 1: "));
    for (const char damage : {'<', '>', '&', '/', '\0', '\xff', 'x'}) {
      std::string damaged = good_one;
      damaged[i] = damage;
      const auto values = annotation_values(damaged, ruled());
      if (!values) {
        EXPECT_THAT(values.error(), HasSubstr("annotation data, line 1: ")) << damaged;
      }
    }
  }
}

TEST(AnnotationRules, KeysAreTakenApartAsTheyWerePutTogether) {
  for (const RuleKey& one : {RuleKey{.rule = 12}, RuleKey{3, RuleKey::Part::condition, 999},
                             RuleKey{0, RuleKey::Part::action, 7, "a/b"}}) {
    const std::string text = one.text();
    const auto parsed = RuleKey::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->text(), text);
  }
  for (const std::string& wrong :
       {std::string("rules/0001/name"), policy_key(), key("rules/"), key("rules/1/name"),
        key("rules/000x/name"), key("rules/0001/if/00001"), key("rules/0001/set/0001"),
        key("rules/0001/set"), std::string()}) {
    EXPECT_FALSE(RuleKey::parse(wrong)) << wrong;
  }
}

std::vector<std::string> check_texts(const std::string& annotation_data,
                                     const std::string& more = "") {
  const ReadResult result = test::read(R"({"parameters": {"p": "1",
      "secret": {"value": "x", "sensitive": true}}, "processors": {
    "mark": {"type": "org.apache.nifi.processors.standard.UpdateAttribute",
             "autoTerminate": ["success"], "annotationData": ")" +
                                       annotation_data + "\"" + more + "}}}");
  return test::texts(check_flow(result.flow, registry()).problems);
}

std::string ruled_by(std::string_view expression, std::string_view value) {
  return fmt::format(
      "<criteria><rules><name>big ones</name><conditions><expression>{}</expression></conditions>"
      "<actions><attribute>size</attribute><value>{}</value></actions></rules></criteria>",
      expression, value);
}

TEST(CheckFlow, RulesOfAnnotationDataAreChecked) {
  EXPECT_THAT(check_texts(ruled_by("${n:gt(#{p})}", "${n}")), IsEmpty());
  EXPECT_THAT(check_texts(ruled_by("${n:gtt(1)}", "1")),
              ElementsAre(AllOf(HasSubstr("error: mark: rule 'big ones', condition 1, character "),
                                testing::Not(HasSubstr("\x01")))));
  EXPECT_THAT(check_texts(ruled_by("${n:gt(1)}", "${n:none()}")),
              ElementsAre(HasSubstr("mark: rule 'big ones', attribute 'size', character ")));
  EXPECT_THAT(check_texts(ruled_by("${n:gt(#{none})}", "1")),
              ElementsAre(HasSubstr("mark: rule 'big ones', condition 1, character ")));
  EXPECT_THAT(check_texts(ruled_by("${n:gt(1)}", "#{secret}")),
              ElementsAre(HasSubstr("mark: rule 'big ones', attribute 'size' is not sensitive and "
                                    "refers to the sensitive parameter 'secret'")));
  EXPECT_THAT(check_texts("<criteria><rules/></criteria>"),
              ElementsAre(HasSubstr("error: mark: annotation data, line 1: a rule has no name")));
}

TEST(CheckFlow, AUsersPropertyIsNoRule) {
  EXPECT_THAT(check_texts("", R"(, "properties": {"\u0001rules/0000/name": "x"})"),
              ElementsAre(HasSubstr("mark: a property's name begins with a control character")));
}

TEST(ResolveProperties, RulesStandBesideProperties) {
  ProcessorNode node;
  node.properties = {{"a", {"1", {}}}};
  node.annotation_data = "<criteria/>";
  EXPECT_THAT(resolve_properties(node, ruled()),
              ElementsAre(Pair(policy_key(), "USE_CLONE"), Pair("a", "1")));
  node.annotation_data = "<criteria";
  EXPECT_THAT(resolve_properties(node, ruled()), ElementsAre(Pair("a", "1")));
}

}  // namespace
}  // namespace weir::flow
