#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "processors/registry.h"

// Whether each processor is declared as NiFi declares it, so that a flow means here what it means
// there: names, defaults, values, dependencies, relationships, scopes and scheduling.
namespace weir {
namespace {

using nlohmann::json;

std::filesystem::path reference_file() {
  const char* given = std::getenv("WEIR_REFERENCE");
  return std::filesystem::path(given ? given : "../shared/reference") / "processors-reference.json";
}

std::string text_of(const json& parent, const char* key, std::string otherwise = {}) {
  const auto found = parent.find(key);
  if (found == parent.end() || found->is_null()) return otherwise;
  return found->is_string() ? found->get<std::string>() : found->dump();
}

const json& list_of(const json& parent, const char* key) {
  static const json none = json::array();
  const auto found = parent.find(key);
  return found == parent.end() || found->is_null() ? none : *found;
}

std::string scope_name(ExpressionScope scope) {
  switch (scope) {
    case ExpressionScope::none:
      return "NONE";
    case ExpressionScope::environment:
      return "ENVIRONMENT";
    case ExpressionScope::flow_file_attributes:
      return "FLOWFILE_ATTRIBUTES";
  }
  std::abort();
}

std::string input_name(InputRequirement input) {
  switch (input) {
    case InputRequirement::required:
      return "INPUT_REQUIRED";
    case InputRequirement::allowed:
      return "INPUT_ALLOWED";
    case InputRequirement::forbidden:
      return "INPUT_FORBIDDEN";
  }
  std::abort();
}

std::int64_t run_duration_ms(const std::string& name) {
  static const std::map<std::string, std::int64_t> durations = {
      {"TWENTY_FIVE_MILLIS", 25},   {"FIFTY_MILLIS", 50},
      {"ONE_HUNDRED_MILLIS", 100},  {"TWO_HUNDRED_FIFTY_MILLIS", 250},
      {"FIVE_HUNDRED_MILLIS", 500}, {"ONE_SECOND", 1000},
      {"TWO_SECONDS", 2000}};
  const auto found = durations.find(name);
  return found == durations.end() ? 0 : found->second;
}

// Properties that this engine has beside NiFi's; they stand after those.
const std::map<std::string, std::set<std::string>, std::less<>> own_properties = {
    {"PutKinesisStream", {"Record Ordering", "Max Record Size"}}};

// Properties that NiFi requires and this engine does not, because there is another way here.
const std::map<std::string, std::set<std::string>, std::less<>> optional_properties = {
    // librdkafka's own settings for OAUTHBEARER.
    {"Kafka3ConnectionService", {"oauth2-access-token-provider-service"}}};

// One component against the reference; `same` says which fact differs.
class Comparison {
 public:
  Comparison(const ComponentDefinition& definition, const json& reference)
      : definition_(definition), reference_(reference) {}

  void compare() {
    compare_properties();
    compare_dynamic_properties();
  }

 protected:
  template <typename T>
  void same(const T& ours, const T& wanted, std::string_view what) {
    EXPECT_EQ(ours, wanted) << definition_.type << ": " << what;
  }

  void compare_properties() {
    std::vector<std::string> ours, wanted;
    const auto own = own_properties.find(definition_.short_type());
    for (const PropertyDescriptor& property : definition_.properties) {
      if (own != own_properties.end() && own->second.contains(property.name)) continue;
      ours.push_back(property.name);
    }
    for (const json& property : reference_.at("properties")) {
      wanted.push_back(property.at("name").get<std::string>());
    }
    same(ours, wanted, "properties and their order");
    for (const json& property : reference_.at("properties")) {
      const auto name = property.at("name").get<std::string>();
      const PropertyDescriptor* found = definition_.find_property(name);
      if (found != nullptr) compare_property(*found, property);
    }
  }

  void compare_property(const PropertyDescriptor& ours, const json& wanted) {
    const auto what = [&](const char* fact) { return fmt::format("{}: {}", ours.name, fact); };
    same(ours.shown_name(), text_of(wanted, "displayName"), what("display name"));
    same(ours.default_value.has_value(), !wanted.at("default").is_null(), what("has a default"));
    same(ours.default_value.value_or(""), text_of(wanted, "default"), what("default"));
    const auto optional = optional_properties.find(definition_.short_type());
    if (optional == optional_properties.end() || !optional->second.contains(ours.name)) {
      same(ours.required, wanted.at("required").get<bool>(), what("required"));
    }
    same(ours.sensitive, wanted.at("sensitive").get<bool>(), what("sensitive"));
    same(scope_name(ours.expression_scope), text_of(wanted, "elScope"), what("expression scope"));
    same(!ours.controller_service.empty(), wanted.contains("controllerService"),
         what("names a controller service"));

    std::vector<std::pair<std::string, std::string>> our_values, values;
    for (const AllowableValue& value : ours.allowable_values) {
      our_values.emplace_back(value.value,
                              value.display_name.empty() ? value.value : value.display_name);
    }
    for (const json& value : list_of(wanted, "allowableValues")) {
      const std::string text = text_of(value, "value");
      values.emplace_back(text, text_of(value, "displayName", text));
    }
    if (in_no_order(definition_, ours)) {
      std::ranges::sort(our_values);
      std::ranges::sort(values);
    }
    same(our_values, values, what("allowable values"));

    std::map<std::string, std::set<std::string>> our_dependencies, dependencies;
    for (const auto& dependency : ours.depends_on) {
      our_dependencies[dependency.property] = {dependency.values.begin(), dependency.values.end()};
    }
    for (const json& dependency : list_of(wanted, "dependsOn")) {
      auto& place = dependencies[text_of(dependency, "property")];
      for (const json& value : list_of(dependency, "values")) place.insert(value);
    }
    same(our_dependencies, dependencies, what("dependencies"));
  }

  void compare_dynamic_properties() {
    same(definition_.dynamic_properties.has_value(),
         reference_.at("supportsDynamicProperties").get<bool>(), "takes dynamic properties");
    if (!definition_.dynamic_properties || !reference_.contains("dynamicPropertyTemplate")) return;
    same(scope_name(definition_.dynamic_properties->expression_scope),
         text_of(reference_.at("dynamicPropertyTemplate"), "elScope"),
         "expression scope of dynamic properties");
  }

  const ComponentDefinition& definition_;
  const json& reference_;

 private:
  // NiFi lists them as a hash table does.
  static bool in_no_order(const ComponentDefinition& definition,
                          const PropertyDescriptor& property) {
    return definition.short_type() == "AWSCredentialsProviderControllerService" &&
           property.name == "Assume Role STS Region";
  }
};

class ProcessorComparison : public Comparison {
 public:
  ProcessorComparison(const ProcessorDefinition& definition, const json& reference)
      : Comparison(definition, reference), definition_(definition) {}

  void compare() {
    Comparison::compare();
    compare_relationships();
    compare_attributes();
    compare_scheduling();
  }

 private:
  void compare_relationships() {
    std::map<std::string, bool> ours, wanted;
    for (const Relationship& relationship : definition_.relationships) {
      ours[relationship.name] = relationship.auto_terminated_by_default;
    }
    for (const json& relationship : reference_.at("relationships")) {
      wanted[text_of(relationship, "name")] =
          relationship.at("autoTerminatedByDefault").get<bool>();
    }
    same(ours, wanted, "relationships");
    if (reference_.at("dynamicRelationships").get<bool>()) {
      EXPECT_TRUE(definition_.dynamic_relationships) << definition_.type;
    }
  }

  // What NiFi says it writes must be said here too; this engine may write more.
  void compare_attributes() {
    std::set<std::string> ours;
    for (const AttributeNote& note : definition_.writes_attributes) {
      std::istringstream names(note.name);  // several may share a description: "a, b"
      for (std::string name; std::getline(names >> std::ws, name, ',');) ours.insert(name);
    }
    for (const json& written : reference_.at("writesAttributes")) {
      const auto name = written.get<std::string>();
      if (name.find(' ') != std::string::npos) continue;  // words in place of a name
      EXPECT_TRUE(ours.contains(name))
          << definition_.type << " does not tell that it writes " << name;
    }
  }

  void compare_scheduling() {
    std::set<std::string> flags;
    for (const json& flag : reference_.at("flags")) flags.insert(flag.get<std::string>());
    const auto flag = [&](const char* name) { return flags.contains(name); };
    same(input_name(definition_.input), text_of(reference_, "inputRequirement"), "input");
    same(definition_.supports_batching, flag("SupportsBatching"), "SupportsBatching");
    same(definition_.trigger_serially, flag("TriggerSerially"), "TriggerSerially");
    same(definition_.trigger_when_empty, flag("TriggerWhenEmpty"), "TriggerWhenEmpty");
    same(definition_.trigger_when_any_destination_available,
         flag("TriggerWhenAnyDestinationAvailable"), "TriggerWhenAnyDestinationAvailable");
    same(definition_.default_run_duration.count(),
         run_duration_ms(text_of(reference_, "defaultRunDuration")), "default run duration");
    same(definition_.default_scheduling_period, text_of(reference_.at("defaultSchedule"), "period"),
         "default scheduling period");
    same(definition_.stateful, !reference_.at("statefulScopes").empty(), "stateful");
  }

  const ProcessorDefinition& definition_;
};

// The engine's own, whose types begin with "weir.", are left out, and these of NiFi versions
// after the reference's: names.md beside it tells of them.
const std::set<std::string, std::less<>> newer_types = {
    "org.apache.nifi.processors.aws.kinesis.ConsumeKinesis"};

template <typename Kind, typename Definition>
void compare_all(const std::vector<const Definition*>& definitions, const json& references) {
  std::map<std::string, const json*> declared;
  for (const json& reference : references) {
    declared[reference.at("type").get<std::string>()] = &reference;
  }
  for (const Definition* definition : definitions) {
    if (newer_types.contains(definition->type) || definition->type.starts_with("weir.")) continue;
    const auto found = declared.find(definition->type);
    if (found == declared.end()) {
      ADD_FAILURE() << definition->type << " is no component of NiFi";
      continue;
    }
    Kind(*definition, *found->second).compare();
  }
}

TEST(StandardProcessors, AreDeclaredAsNiFiDeclaresThem) {
  std::ifstream in(reference_file());
  if (!in) GTEST_SKIP() << "no reference: " << reference_file() << " is not there";
  const json reference = json::parse(in);
  ComponentRegistry registry;
  register_standard_processors(registry);
  compare_all<ProcessorComparison>(registry.processors(), reference.at("processors"));
  compare_all<Comparison>(registry.controller_services(), reference.at("controllerServices"));
}

}  // namespace
}  // namespace weir
