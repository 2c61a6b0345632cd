#include "processors/registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "engine/api/reference_page.h"

namespace weir {
namespace {

constexpr const char* golden_file = "tests/processors/components.golden";

ComponentRegistry registry() {
  ComponentRegistry registry;
  register_standard_processors(registry);
  return registry;
}

std::string describe(const ComponentDefinition& definition) {
  std::string out = definition.type + "\n";
  for (const PropertyDescriptor& property : definition.properties) {
    out += fmt::format("  property {}", property.name);
    if (!property.display_name.empty()) out += fmt::format(" \"{}\"", property.display_name);
    if (property.default_value) out += fmt::format(" = {}", *property.default_value);
    if (property.required) out += " required";
    if (property.sensitive) out += " sensitive";
    for (const AllowableValue& value : property.allowable_values) out += " | " + value.value;
    for (const std::string& old : property.old_names) out += fmt::format(" (also {})", old);
    out += "\n";
  }
  if (definition.dynamic_properties) out += "  any property\n";
  return out;
}

std::string describe(const ProcessorDefinition& definition) {
  std::string out = describe(static_cast<const ComponentDefinition&>(definition));
  for (const Relationship& relationship : definition.relationships) {
    out += fmt::format("  relationship {}\n", relationship.name);
  }
  return out;
}

std::string describe(const ControllerServiceDefinition& definition) {
  std::string out = describe(static_cast<const ComponentDefinition&>(definition));
  for (const std::string& interface : definition.interfaces) {
    out += fmt::format("  interface {}\n", interface);
  }
  return out;
}

void check_properties(const ComponentDefinition& definition) {
  EXPECT_FALSE(definition.summary.empty());
  for (const PropertyDescriptor& property : definition.properties) {
    SCOPED_TRACE(property.name);
    EXPECT_FALSE(property.description.empty());
    if (property.default_value && property.validator &&
        property.default_value->find("${") == std::string::npos) {
      EXPECT_EQ(property.validator(*property.default_value), std::nullopt);
    }
    for (const auto& dependency : property.depends_on) {
      EXPECT_TRUE(definition.find_property(dependency.property));
    }
  }
}

TEST(StandardProcessors, TheListIsComplete) {
  std::vector<std::string> names;
  for (const auto* definition : registry().processors()) {
    names.emplace_back(definition->short_type());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"AttributesToCSV",
                                             "AttributesToJSON",
                                             "CompressContent",
                                             "ConsumeKafka",
                                             "ConsumeKinesis",
                                             "ConvertCharacterSet",
                                             "CountText",
                                             "CryptographicHashContent",
                                             "DistributeLoad",
                                             "DuplicateFlowFile",
                                             "EncodeContent",
                                             "EvaluateJsonPath",
                                             "ExtractText",
                                             "FetchFile",
                                             "FilterAttribute",
                                             "FlattenJson",
                                             "GenerateFlowFile",
                                             "GetFile",
                                             "IdentifyMimeType",
                                             "JoltTransformJSON",
                                             "ListFile",
                                             "LogAttribute",
                                             "LogMessage",
                                             "MergeContent",
                                             "MirrorKafka",
                                             "ModifyBytes",
                                             "ModifyCompression",
                                             "PackageFlowFile",
                                             "PublishKafka",
                                             "PutFile",
                                             "PutKinesisStream",
                                             "ReplaceText",
                                             "ReplaceTextWithMapping",
                                             "RetryFlowFile",
                                             "RouteOnAttribute",
                                             "RouteOnContent",
                                             "RouteText",
                                             "ScanAttribute",
                                             "ScanContent",
                                             "SegmentContent",
                                             "SplitContent",
                                             "SplitJson",
                                             "SplitText",
                                             "SplitXml",
                                             "UnpackContent",
                                             "UpdateAttribute"}));
}

TEST(StandardControllerServices, TheListIsComplete) {
  std::vector<std::string> names;
  for (const auto* definition : registry().controller_services()) {
    names.emplace_back(definition->short_type());
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "AWSCredentialsProviderControllerService", "Kafka3ConnectionService",
                       "StandardRestrictedSSLContextService", "StandardSSLContextService"}));
}

// WEIR_GOLDEN=write makes the file anew: public names change only where somebody means it.
TEST(StandardProcessors, PublicNamesAreTheGoldenOnes) {
  std::string now;
  for (const auto* definition : registry().processors()) now += describe(*definition);
  for (const auto* definition : registry().controller_services()) now += describe(*definition);
  if (const char* mode = std::getenv("WEIR_GOLDEN"); mode && std::string_view(mode) == "write") {
    std::ofstream(golden_file) << now;
  }
  std::ifstream in(golden_file);
  const std::string golden{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(now, golden);
}

TEST(StandardProcessors, DeclarationsAreWhole) {
  for (const auto* definition : registry().processors()) {
    SCOPED_TRACE(definition->type);
    check_properties(*definition);
    EXPECT_FALSE(definition->delivery_note.empty());
    EXPECT_FALSE(definition->example.empty());
    EXPECT_TRUE(definition->make());
    for (const Relationship& relationship : definition->relationships) {
      EXPECT_FALSE(relationship.description.empty()) << relationship.name;
    }
    EXPECT_NE(reference_page(*definition).find("## Relationships"), std::string::npos);
  }
}

TEST(StandardControllerServices, DeclarationsAreWhole) {
  for (const auto* definition : registry().controller_services()) {
    SCOPED_TRACE(definition->type);
    check_properties(*definition);
    EXPECT_FALSE(definition->interfaces.empty());
    EXPECT_TRUE(definition->make());
    EXPECT_NE(reference_page(*definition).find(definition->properties.front().name),
              std::string::npos);
  }
}

// What a processor cannot do without, some service is.
TEST(StandardControllerServices, AreWhatProcessorsAskFor) {
  std::set<std::string> interfaces;
  for (const auto* definition : registry().controller_services()) {
    interfaces.insert(definition->interfaces.begin(), definition->interfaces.end());
  }
  for (const auto* definition : registry().processors()) {
    for (const PropertyDescriptor& property : definition->properties) {
      if (!property.required || property.controller_service.empty()) continue;
      if (!property.depends_on.empty()) continue;
      EXPECT_TRUE(interfaces.contains(property.controller_service))
          << definition->type << ": " << property.name;
    }
  }
}

}  // namespace
}  // namespace weir
