#include "engine/flow/annotation_rules.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "engine/api/annotation.h"

namespace weir::flow {
namespace {

// Types that have rules.
constexpr std::array ruled_types = {
    std::string_view("org.apache.nifi.processors.attributes.UpdateAttribute")};

// Far beyond what a person enters; numbers have to fit into a key.
constexpr std::size_t most_bytes = 4 * 1024 * 1024;
constexpr std::size_t most_rules = 1000;
constexpr std::size_t most_parts = 1000;
constexpr std::size_t deepest_element = 32;

constexpr std::string_view policy_path = "/criteria/flowFilePolicy";
constexpr std::string_view rule_path = "/criteria/rules";
constexpr std::string_view name_path = "/criteria/rules/name";
constexpr std::string_view condition_path = "/criteria/rules/conditions";
constexpr std::string_view expression_path = "/criteria/rules/conditions/expression";
constexpr std::string_view action_path = "/criteria/rules/actions";
constexpr std::string_view attribute_path = "/criteria/rules/actions/attribute";
constexpr std::string_view value_path = "/criteria/rules/actions/value";

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

struct Action {
  std::optional<std::string> attribute, value;
};

struct Rule {
  std::optional<std::string> name;
  std::vector<std::optional<std::string>> conditions;
  std::vector<Action> actions;
};

class RuleReader {
 public:
  std::expected<std::map<std::string, std::string>, std::string> read(std::string_view xml) {
    // The text has come out of a JSON text: whatever its declaration says, it is UTF-8.
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate("UTF-8"), &XML_ParserFree);
    if (!parser) throw std::bad_alloc();
    parser_ = parser.get();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(
        parser_,
        [](void* self, const XML_Char* name, const XML_Char**) { reader(self).open(name); },
        [](void* self, const XML_Char*) { reader(self).close(); });
    XML_SetCharacterDataHandler(parser_, [](void* self, const XML_Char* text, int size) {
      reader(self).text_.append(text, static_cast<std::size_t>(size));
    });
    XML_SetStartDoctypeDeclHandler(
        parser_, [](void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
          reader(self).fail("a document type declaration is not allowed");
        });
    values_[policy_key()] = "USE_CLONE";
    const auto status = XML_Parse(parser_, xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (failure_.empty() && status != XML_STATUS_OK) {
      failure_ = with_line(XML_ErrorString(XML_GetErrorCode(parser_)));
    }
    if (!failure_.empty()) return std::unexpected(failure_);
    return std::move(values_);
  }

 private:
  static RuleReader& reader(void* self) { return *static_cast<RuleReader*>(self); }

  std::string with_line(std::string_view message) const {
    return fmt::format("annotation data, line {}: {}", XML_GetCurrentLineNumber(parser_), message);
  }

  void fail(std::string_view message) {
    if (failure_.empty()) failure_ = with_line(message);
    XML_StopParser(parser_, XML_FALSE);
  }

  void open(std::string_view name) {
    if (!failure_.empty()) return;
    if (++depth_ > deepest_element) return fail("elements are nested too deep");
    if (depth_ == 1 && name != "criteria") {
      return fail(fmt::format("the element 'criteria' was expected instead of '{}'", name));
    }
    path_ += '/';
    path_ += name;
    text_.clear();
    if (path_ == rule_path) rule_ = {};
    if (path_ == condition_path) rule_.conditions.emplace_back();
    if (path_ == action_path) rule_.actions.emplace_back();
  }

  void close() {
    if (!failure_.empty()) return;
    if (path_ == policy_path) {
      take_policy();
    } else if (path_ == name_path) {
      rule_.name = std::move(text_);
    } else if (path_ == expression_path) {
      rule_.conditions.back().emplace(trim(text_));
    } else if (path_ == attribute_path) {
      rule_.actions.back().attribute = std::move(text_);
    } else if (path_ == value_path) {
      rule_.actions.back().value = std::move(text_);
    } else if (path_ == rule_path) {
      take_rule();
    }
    text_.clear();
    path_.resize(path_.rfind('/'));
    --depth_;
  }

  void take_policy() {
    const std::string policy(trim(text_));
    if (policy != "USE_CLONE" && policy != "USE_ORIGINAL") {
      return fail(
          fmt::format("flowFilePolicy is '{}' instead of one of: USE_CLONE, USE_ORIGINAL", policy));
    }
    values_[policy_key()] = policy;
  }

  void take_rule() {
    const std::string name = rule_.name.value_or("");
    if (trim(name).empty()) return fail("a rule has no name");
    if (rules_ == most_rules) return fail(fmt::format("there are more than {} rules", most_rules));
    if (std::max(rule_.conditions.size(), rule_.actions.size()) > most_parts) {
      return fail(
          fmt::format("the rule '{}' has more than {} conditions or actions", name, most_parts));
    }
    if (rule_.conditions.empty()) return fail(fmt::format("the rule '{}' has no condition", name));
    if (rule_.actions.empty()) return fail(fmt::format("the rule '{}' has no action", name));
    values_[RuleKey{.rule = rules_}.text()] = name;
    for (std::size_t i = 0; i < rule_.conditions.size(); ++i) {
      const auto& expression = rule_.conditions[i];
      if (!expression || expression->empty()) {
        return fail(fmt::format("the rule '{}', condition {} has no expression", name, i + 1));
      }
      values_[RuleKey{rules_, RuleKey::Part::condition, i}.text()] = *expression;
    }
    for (std::size_t i = 0; i < rule_.actions.size(); ++i) {
      const auto& [attribute, value] = rule_.actions[i];
      if (!attribute || trim(*attribute).empty()) {
        return fail(fmt::format("the rule '{}', action {} names no attribute", name, i + 1));
      }
      if (!value) {
        return fail(fmt::format("the rule '{}' has no value for attribute '{}'", name, *attribute));
      }
      values_[RuleKey{rules_, RuleKey::Part::action, i, *attribute}.text()] = *value;
    }
    ++rules_;
  }

  XML_Parser parser_ = nullptr;
  std::map<std::string, std::string> values_;
  std::string path_;  // of the element at hand
  std::size_t depth_ = 0;
  std::string text_;  // since the last tag
  Rule rule_;
  std::size_t rules_ = 0;
  std::string failure_;
};

}  // namespace

std::expected<std::map<std::string, std::string>, std::string> annotation_values(
    std::string_view annotation_data, const ComponentDefinition& definition) {
  const bool is_ruled = std::ranges::find(ruled_types, definition.type) != ruled_types.end();
  if (!is_ruled || trim(annotation_data).empty()) return {};
  if (annotation_data.size() > most_bytes) {
    return std::unexpected(fmt::format("annotation data: {} bytes are more than the {} allowed",
                                       annotation_data.size(), most_bytes));
  }
  return RuleReader().read(annotation_data);
}

std::string shown_property(std::string_view key, const std::map<std::string, std::string>& values) {
  const auto rule_key = RuleKey::parse(key);
  if (!rule_key) return fmt::format("property '{}'", key);
  const auto name = values.find(RuleKey{.rule = rule_key->rule}.text());
  const std::string rule =
      name == values.end() ? std::to_string(rule_key->rule + 1) : fmt::format("'{}'", name->second);
  if (rule_key->part == RuleKey::Part::condition) {
    return fmt::format("rule {}, condition {}", rule, rule_key->number + 1);
  }
  if (rule_key->part == RuleKey::Part::action) {
    return fmt::format("rule {}, attribute '{}'", rule, rule_key->attribute);
  }
  return fmt::format("rule {}, its name", rule);
}

}  // namespace weir::flow
