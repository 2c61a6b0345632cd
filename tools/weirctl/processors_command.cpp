#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/api/reference_page.h"
#include "processors/registry.h"
#include "tools/common/text.h"
#include "tools/weirctl/command.h"
#include "tools/weirctl/output.h"

namespace weir::tools {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const PropertyDescriptor& property) {
  ordered_json object = {{"name", property.name},
                         {"display_name", property.shown_name()},
                         {"description", property.description},
                         {"required", property.required},
                         {"sensitive", property.sensitive}};
  if (property.default_value) object["default"] = *property.default_value;
  for (const auto& allowable : property.allowable_values) {
    object["allowable_values"].push_back(allowable.value);
  }
  if (!property.controller_service.empty()) {
    object["controller_service"] = property.controller_service;
  }
  if (!property.old_names.empty()) object["old_names"] = property.old_names;
  return object;
}

ordered_json to_json(const ComponentDefinition& definition) {
  ordered_json object = {{"type", definition.type},
                         {"short_type", definition.short_type()},
                         {"summary", definition.summary},
                         {"tags", definition.tags},
                         {"properties", ordered_json::array()}};
  for (const auto& property : definition.properties) {
    object["properties"].push_back(to_json(property));
  }
  object["dynamic_properties"] = definition.dynamic_properties.has_value();
  return object;
}

ordered_json to_json(const ProcessorDefinition& definition) {
  ordered_json object = to_json(static_cast<const ComponentDefinition&>(definition));
  object["relationships"] = ordered_json::array();
  for (const auto& relationship : definition.relationships) {
    object["relationships"].push_back(
        {{"name", relationship.name}, {"description", relationship.description}});
  }
  return object;
}

void list(const CommandLine& line, const ComponentRegistry& registry) {
  const Output output(line.json);
  Table table({{"TYPE"}, {"SUMMARY"}});
  const auto add = [&](const auto& definitions) {
    for (const auto* definition : definitions) {
      if (output.json()) {
        output.object(to_json(*definition));
      } else {
        table.add({std::string(definition->short_type()), definition->summary});
      }
    }
  };
  add(registry.processors());
  add(registry.controller_services());
  if (!output.json()) table.print(output);
}

void describe(const CommandLine& line, const ComponentRegistry& registry, const std::string& type) {
  const Output output(line.json);
  const auto* const processor = registry.find_processor(type);
  const auto* const service =
      processor == nullptr ? registry.find_controller_service(type) : nullptr;
  if (processor == nullptr && service == nullptr) {
    const std::string nearest = registry.nearest_type(type);
    throw UsageError(fmt::format("no component is of type {}{}", type,
                                 nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
  }
  if (output.json()) {
    output.object(processor != nullptr ? to_json(*processor) : to_json(*service));
  } else {
    fmt::print("{}", processor != nullptr ? reference_page(*processor) : reference_page(*service));
  }
}

}  // namespace

void add_processors_command(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("processors", "The components that flows can use")->require_subcommand(1);
  const auto registry = [] {
    ComponentRegistry filled;
    register_standard_processors(filled);
    return filled;
  };

  CLI::App& list_command = *command.add_subcommand("list", "All, with a sentence on each");
  add_json_option(list_command, line);
  list_command.callback([&line, registry] { list(line, registry()); });

  CLI::App& describe_command =
      *command.add_subcommand("describe", "The reference page of one, in Markdown");
  const auto type = std::make_shared<std::string>();
  describe_command.add_option("TYPE", *type, "Short or full type")->required();
  add_json_option(describe_command, line);
  describe_command.callback([&line, registry, type] { describe(line, registry(), *type); });
}

}  // namespace weir::tools
