#include <gtest/gtest.h>

#include "engine/api/annotation.h"
#include "processors/attribute/update_attribute.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::Output;
using bench::TestBench;
using bench::Values;

struct Rule {
  std::string name;
  std::vector<std::string> conditions;
  Values actions;
};

Values with_rules(const std::vector<Rule>& rules, Values properties = {},
                  const std::string& policy = "USE_CLONE") {
  properties[policy_key()] = policy;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    properties[RuleKey{.rule = r}.text()] = rules[r].name;
    std::size_t number = 0;
    for (const std::string& condition : rules[r].conditions) {
      properties[RuleKey{r, RuleKey::Part::condition, number++}.text()] = condition;
    }
    number = 0;
    for (const auto& [attribute, value] : rules[r].actions) {
      properties[RuleKey{r, RuleKey::Part::action, number++, attribute}.text()] = value;
    }
  }
  return properties;
}

// The bench's context, but that state can be read and not stored.
class FullDisk : public ProcessContext, private StateManager {
 public:
  explicit FullDisk(ProcessContext& bench) : bench_(bench) {}
  PropertyValue property(std::string_view name) const override { return bench_.property(name); }
  std::vector<std::string> dynamic_properties() const override {
    return bench_.dynamic_properties();
  }
  std::shared_ptr<ControllerService> controller_service(std::string_view name) const override {
    return bench_.controller_service(name);
  }
  const std::string& component_id() const override { return bench_.component_id(); }
  const std::string& component_name() const override { return bench_.component_name(); }
  ComponentLog& log() override { return bench_.log(); }
  StateManager& state() override { return *this; }
  Clock& clock() override { return bench_.clock(); }
  Random& random() override { return bench_.random(); }
  bool has_incoming_connection() const override { return bench_.has_incoming_connection(); }
  bool has_connection(std::string_view name) const override { return bench_.has_connection(name); }
  std::set<std::string> available_relationships() const override {
    return bench_.available_relationships();
  }
  std::chrono::milliseconds penalty_duration() const override { return bench_.penalty_duration(); }
  void yield() override { bench_.yield(); }
  void yield(std::chrono::milliseconds duration) override { bench_.yield(duration); }
  bool is_scheduled() const override { return bench_.is_scheduled(); }
  int concurrent_tasks() const override { return bench_.concurrent_tasks(); }

 private:
  state::StateMap get() override { return bench_.state().get(); }
  void set(std::map<std::string, std::string>) override {
    throw storage::StorageError("no space left");
  }
  void clear() override {}

  ProcessContext& bench_;
};

class OnFullDisk : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override { inner_->on_scheduled(context); }
  void on_trigger(ProcessContext& context, ProcessSession& session) override {
    FullDisk full(context);
    inner_->on_trigger(full, session);
  }

 private:
  const std::unique_ptr<Processor> inner_ = update_attribute().make();
};

std::vector<Output> update(Values properties, Values attributes) {
  TestBench bench(update_attribute(), std::move(properties));
  bench.enqueue("content", std::move(attributes));
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  return bench.outputs("success");
}

const std::vector<Rule> sizes = {
    {"big", {"${n:gt(10)}"}, {{"size", "big"}, {"from", "${n}"}}},
    {"even", {"${n:mod(2):equals(0)}"}, {{"size", "even"}, {"even", "yes"}}},
    {"never", {"${n:gt(0)}", "${n:lt(0)}"}, {{"size", "never"}}}};

TEST(UpdateAttributeRules, WithoutAMatchThePropertiesApplyAlone) {
  const auto outputs = update(with_rules(sizes, {{"size", "small"}}), {{"n", "7"}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].attribute("size"), "small");
  EXPECT_FALSE(outputs[0].attributes.contains("UpdateAttribute.matchedRule"));
  for (const auto& [name, value] : outputs[0].attributes) EXPECT_FALSE(is_annotation(name));
}

TEST(UpdateAttributeRules, TheOneThatMatchesWinsOverProperties) {
  const auto outputs =
      update(with_rules(sizes, {{"size", "small"}, {"other", "${n}!"}}), {{"n", "11"}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].attribute("size"), "big");
  EXPECT_EQ(outputs[0].attribute("from"), "11");
  EXPECT_EQ(outputs[0].attribute("other"), "11!");
  EXPECT_EQ(outputs[0].attribute("UpdateAttribute.matchedRule"), "big");
  EXPECT_FALSE(outputs[0].attributes.contains("even"));
}

TEST(UpdateAttributeRules, EachFurtherMatchHasACloneOfWhatCameIn) {
  TestBench bench(update_attribute(), with_rules(sizes, {{"size", "small"}, {"other", "o"}}));
  bench.enqueue("content", {{"n", "12"}});
  bench.run();
  const auto outputs = bench.outputs("success");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].attribute("size"), "big");
  EXPECT_EQ(outputs[1].attribute("size"), "even");
  EXPECT_EQ(outputs[1].attribute("even"), "yes");
  EXPECT_FALSE(outputs[1].attributes.contains("from"));  // what the first got is not cloned
  EXPECT_EQ(outputs[1].attribute("UpdateAttribute.matchedRule"), "even");
  for (const Output& output : outputs) {
    EXPECT_EQ(output.content, "content");
    EXPECT_EQ(output.attribute("other"), "o");
  }
  EXPECT_NE(outputs[0].attribute("uuid"), outputs[1].attribute("uuid"));
  EXPECT_EQ(bench.count_events("CLONE"), 1u);
  EXPECT_EQ(bench.count_events("ATTRIBUTES_MODIFIED"), 2u);
}

TEST(UpdateAttributeRules, UseOriginalMergesInOrder) {
  const auto outputs =
      update(with_rules(sizes, {{"size", "small"}}, "USE_ORIGINAL"), {{"n", "12"}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].attribute("size"), "even");
  EXPECT_EQ(outputs[0].attribute("from"), "12");
  EXPECT_EQ(outputs[0].attribute("even"), "yes");
  EXPECT_EQ(outputs[0].attribute("UpdateAttribute.matchedRule"), "even");
}

TEST(UpdateAttributeRules, ValuesComeFromTheIncomingAttributes) {
  const auto outputs = update(with_rules({{"a", {"${x:equals('1')}"}, {{"x", "2"}}},
                                          {"b", {"${x:equals('1')}"}, {{"y", "${x}"}}},
                                          {"c", {"${x:equals('2')}"}, {{"y", "never"}}}},
                                         {{"z", "${x}"}}, "USE_ORIGINAL"),
                              {{"x", "1"}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].attribute("x"), "2");
  EXPECT_EQ(outputs[0].attribute("y"), "1");
  EXPECT_EQ(outputs[0].attribute("z"), "1");
}

TEST(UpdateAttributeRules, AttributesAreRemovedFromClonesAsWell) {
  const auto outputs = update(with_rules(sizes, {{"Delete Attributes Expression", "temp.*|from"}}),
                              {{"n", "12"}, {"temp1", "t"}});
  ASSERT_EQ(outputs.size(), 2u);
  for (const Output& output : outputs) EXPECT_FALSE(output.attributes.contains("temp1"));
  EXPECT_EQ(outputs[0].attribute("from"), "12");  // it did not come in
}

TEST(UpdateAttributeRules, ARuleMayRemoveOthersThanTheProperty) {
  const Values properties =
      with_rules({{"a", {"${n:gt(1)}"}, {{"Delete Attributes Expression", "b${n}"}}}},
                 {{"Delete Attributes Expression", "c.*"}});
  const auto matched = update(properties, {{"n", "2"}, {"b2", "x"}, {"c", "x"}});
  ASSERT_EQ(matched.size(), 1u);
  EXPECT_FALSE(matched[0].attributes.contains("b2"));
  EXPECT_TRUE(matched[0].attributes.contains("c"));
  EXPECT_FALSE(matched[0].attributes.contains("Delete Attributes Expression"));
  const auto other = update(properties, {{"n", "1"}, {"b1", "x"}, {"c", "x"}});
  ASSERT_EQ(other.size(), 1u);
  EXPECT_TRUE(other[0].attributes.contains("b1"));
  EXPECT_FALSE(other[0].attributes.contains("c"));
}

TEST(UpdateAttributeRules, TheUuidStays) {
  const auto outputs =
      update(with_rules({{"a", {"${n:gt(1)}"}, {{"uuid", "1"}, {"b", "2"}}}}), {{"n", "2"}});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].attribute("uuid").size(), 36u);
  EXPECT_EQ(outputs[0].attribute("b"), "2");
}

TEST(UpdateAttributeRules, TheStateIsSeenAndKept) {
  TestBench bench(
      update_attribute(),
      with_rules(
          {{"first",
            {"${getStateValue('count'):lt(2)}"},
            {{"count", "${getStateValue('count'):plus(1)}"}}},
           {"also", {"${clone:equals('yes')}"}, {{"seen", "${getStateValue('count')}"}}}},
          {{"Store State", "Store state locally"}, {"Stateful Variables Initial Value", "0"}}));
  bench.enqueue("1");
  bench.enqueue("2", {{"clone", "yes"}});
  bench.enqueue("3");
  bench.run();
  EXPECT_FALSE(bench.last_error()) << *bench.last_error();
  EXPECT_EQ(bench.state().at("count"), "2");
  EXPECT_EQ(bench.state().at("seen"), "1");
  EXPECT_FALSE(bench.state().contains("UpdateAttribute.matchedRule"));
  std::map<std::string, std::vector<Output>> by_content;
  for (const Output& output : bench.outputs("success"))
    by_content[output.content].push_back(output);
  EXPECT_EQ(by_content["1"].at(0).attribute("count"), "1");
  ASSERT_EQ(by_content["2"].size(), 2u);
  EXPECT_EQ(by_content["2"].at(0).attribute("count") + by_content["2"].at(1).attribute("count"),
            "2");
  ASSERT_EQ(by_content["3"].size(), 1u);
  EXPECT_FALSE(by_content["3"].at(0).attributes.contains("count"));
}

// What came in can be sent again: a clone beside it would be there twice then.
TEST(UpdateAttributeRules, WhereStateCannotBeStoredOnlyWhatCameInIsLeft) {
  ProcessorDefinition definition = update_attribute();
  definition.make = [] { return std::make_unique<OnFullDisk>(); };
  TestBench bench(definition, with_rules(sizes, {{"Store State", "Store state locally"},
                                                 {"Stateful Variables Initial Value", ""}}));
  bench.enqueue("x", {{"n", "12"}});
  bench.run();
  EXPECT_EQ(bench.count("success"), 0u);
  ASSERT_EQ(bench.count("set state fail"), 1u);
  EXPECT_EQ(bench.outputs("set state fail")[0].attribute("size"), "big");
  EXPECT_TRUE(bench.yielded());
}

// A clone must not stay behind from the attempt in which another FlowFile failed.
TEST(UpdateAttributeRules, OneFlowFileThatThrowsFailsAlone) {
  TestBench bench(update_attribute(),
                  with_rules(sizes, {{"Delete Attributes Expression", "${pattern}"}}));
  for (const char* pattern : {"a", "[", "b"}) {
    bench.enqueue("x", {{"n", "12"}, {"pattern", pattern}});
  }
  bench.run(2);
  EXPECT_TRUE(bench.last_error());
  bench.run();
  EXPECT_EQ(bench.count("success"), 4u);
  EXPECT_EQ(bench.queued(), 1u);
}

TEST(UpdateAttributeRules, ConditionsMustGiveTrueOrFalse) {
  const auto is_valid = [](const std::string& condition, const Values& actions) {
    return TestBench(update_attribute(), with_rules({{"a", {condition}, actions}}))
        .validate()
        .empty();
  };
  EXPECT_TRUE(is_valid("${a:isEmpty():or(${b:isEmpty()})}", {{"b", "1"}}));
  EXPECT_FALSE(is_valid("${a}", {{"b", "1"}}));
  EXPECT_FALSE(is_valid("true", {{"b", "1"}}));
  EXPECT_FALSE(is_valid("x${a:isEmpty()}", {{"b", "1"}}));
  EXPECT_FALSE(is_valid("${a:isEmpty()}", {{"Delete Attributes Expression", "[unclosed"}}));
}

}  // namespace
}  // namespace weir::processors
