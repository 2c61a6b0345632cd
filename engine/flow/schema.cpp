#include <algorithm>

#include "engine/flow/document.h"
#include "engine/flow/short_reader.h"
#include "engine/flow/write.h"

namespace weir::flow {
namespace {

Json of_type(const char* type) {
  Json schema = Json::object();
  schema["type"] = type;
  return schema;
}

Json described(Json schema, const std::string& text) {
  if (!text.empty()) schema["description"] = text;
  return schema;
}

Json reference(const std::string& definition) {
  Json schema = Json::object();
  schema["$ref"] = "#/$defs/" + definition;
  return schema;
}

Json list_of(Json items) {
  Json schema = of_type("array");
  schema["items"] = std::move(items);
  return schema;
}

Json choice(const std::vector<std::string>& words) {
  Json schema = Json::object();
  schema["enum"] = words;
  return schema;
}

Json either(std::vector<Json> schemas) {
  Json schema = Json::object();
  schema["anyOf"] = std::move(schemas);
  return schema;
}

Json closed_object(const std::vector<std::pair<std::string, Json>>& members) {
  Json schema = of_type("object");
  schema["properties"] = Json::object();
  for (const auto& [key, value] : members) schema["properties"][key] = value;
  schema["additionalProperties"] = false;
  return schema;
}

// An object whose members are all alike, named by the user.
Json object_of(Json value) {
  Json schema = of_type("object");
  schema["additionalProperties"] = std::move(value);
  return schema;
}

// {"name": {...}} or [{"name": "name", ...}].
Json named(const std::string& definition, bool names_alone) {
  Json element = reference(definition);
  if (names_alone) element = either({of_type("string"), element});
  return either({object_of(reference(definition)), list_of(element)});
}

Json plain_value() {
  Json schema = Json::object();
  schema["type"] = {"string", "number", "boolean", "null"};
  return schema;
}

Json service_reference() {
  Json schema = closed_object({{"service", of_type("string")}});
  schema["required"] = Json::array({"service"});
  return schema;
}

Json property_schema(const PropertyDescriptor& descriptor) {
  Json schema = plain_value();
  if (!descriptor.controller_service.empty()) {
    schema = service_reference();
  } else if (!descriptor.allowable_values.empty()) {
    Json values = Json::array();
    for (const AllowableValue& one : descriptor.allowable_values) {
      values.push_back(one.value);
      if (one.value == "true") values.push_back(true);
      if (one.value == "false") values.push_back(false);
    }
    values.push_back(nullptr);
    schema = Json::object();
    schema["enum"] = std::move(values);
  }
  if (descriptor.default_value) schema["default"] = *descriptor.default_value;
  return described(std::move(schema), descriptor.description);
}

Json properties_schema(const ComponentDefinition& definition) {
  Json schema = of_type("object");
  schema["properties"] = Json::object();
  for (const PropertyDescriptor& one : definition.properties) {
    schema["properties"][one.name] = property_schema(one);
    for (const std::string& old : one.old_names) {
      schema["properties"][old] = property_schema(one);
      schema["properties"][old]["deprecated"] = true;
    }
  }
  if (definition.dynamic_properties) {
    schema["additionalProperties"] =
        described(plain_value(), definition.dynamic_properties->description);
  } else {
    schema["additionalProperties"] = false;
  }
  Json required = Json::array();
  for (const PropertyDescriptor& one : definition.properties) {
    const bool needed = one.required && !one.default_value && one.depends_on.empty();
    // An old spelling would do as well; JSON Schema has no short way to say so.
    if (needed && one.old_names.empty()) required.push_back(one.name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// For one type: what holds where "type" is its short or full name.
Json when_type(const ComponentDefinition& definition) {
  const std::vector<std::string> names = {std::string(definition.short_type()), definition.type};
  Json branch = Json::object();
  branch["if"] = Json::object();
  branch["if"]["properties"]["type"] = choice(names);
  Json& then = branch["then"];
  then = Json::object();
  then["properties"]["properties"] = properties_schema(definition);
  if (then["properties"]["properties"].contains("required"))
    then["required"] = Json::array({"properties"});
  return branch;
}

template <typename Definition>
Json component_schema(std::vector<std::pair<std::string, Json>> members,
                      const std::vector<const Definition*>& definitions) {
  std::vector<Json> types;
  for (const auto* one : definitions) {
    Json name = Json::object();
    name["const"] = std::string(one->short_type());
    types.push_back(described(std::move(name), one->summary));
  }
  types.push_back(of_type("string"));  // full names, old ones, and types of other engines
  members.emplace_back("type", either(std::move(types)));
  Json schema = closed_object(members);
  schema["required"] = Json::array({"type"});
  Json branches = Json::array();
  for (const auto* one : definitions) branches.push_back(when_type(*one));
  if (!branches.empty()) schema["allOf"] = std::move(branches);
  return schema;
}

std::vector<std::pair<std::string, Json>> common_members() {
  return {{"name", of_type("string")}, {"comments", of_type("string")}, {"id", of_type("string")}};
}

Json processor_schema(const ComponentRegistry& registry) {
  auto members = common_members();
  const Json text = of_type("string");
  Json cron = closed_object({{"cron", text}});
  cron["required"] = Json::array({"cron"});
  const Json retry = closed_object({{"relationships", list_of(text)},
                                    {"count", of_type("integer")},
                                    {"backoff", choice({"penalize", "yield"})},
                                    {"maxBackoff", text}});
  const std::vector<std::pair<std::string, Json>> own = {
      {"state", choice({"running", "stopped", "enabled", "disabled"})},
      {"properties", of_type("object")},
      {"schedule", described(either({text, cron}), "\"10 sec\", or {\"cron\": \"0 0 6 * * ?\"}")},
      {"concurrentTasks", of_type("integer")},
      {"runDuration", text},
      {"penaltyDuration", text},
      {"yieldDuration", text},
      {"bulletinLevel", choice({"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "NONE"})},
      {"executionNode", choice({"ALL", "PRIMARY"})},
      {"autoTerminate", list_of(text)},
      {"retry", retry},
      {"annotationData", text}};
  members.insert(members.end(), own.begin(), own.end());
  return component_schema(std::move(members), registry.processors());
}

Json service_schema(const ComponentRegistry& registry) {
  auto members = common_members();
  members.emplace_back("state", choice({"enabled", "disabled", "running", "stopped"}));
  members.emplace_back("properties", of_type("object"));
  members.emplace_back("bulletinLevel",
                       choice({"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "NONE"}));
  return component_schema(std::move(members), registry.controller_services());
}

Json connection_schema() {
  auto members = common_members();
  const Json text = of_type("string");
  members.emplace_back("from", described(text, "\"name.relationship\", or \"group/port\""));
  members.emplace_back("to", text);
  members.emplace_back("relationships", list_of(text));
  members.emplace_back("backpressure",
                       closed_object({{"count", of_type("integer")}, {"size", text}}));
  members.emplace_back("expiration", text);
  members.emplace_back("prioritizers", list_of(text));
  Json object = closed_object(members);
  object["required"] = Json::array({"from", "to"});
  return either({described(text, "\"name.relationship -> name\""), object});
}

Json parameters_schema() {
  const Json full = closed_object({{"value", plain_value()},
                                   {"environment", of_type("string")},
                                   {"file", of_type("string")},
                                   {"sensitive", of_type("boolean")},
                                   {"description", of_type("string")}});
  return object_of(either({plain_value(), full}));
}

Json group_schema(bool is_root) {
  const Json text = of_type("string");
  std::vector<std::pair<std::string, Json>> members = common_members();
  const std::vector<std::pair<std::string, Json>> own = {
      {"parameters", parameters_schema()},
      {"parameterContext", text},
      {"flowFileConcurrency",
       choice({"UNBOUNDED", "SINGLE_FLOWFILE_PER_NODE", "SINGLE_BATCH_PER_NODE"})},
      {"flowFileOutboundPolicy", choice({"STREAM_WHEN_AVAILABLE", "BATCH_OUTPUT"})},
      {"services", named("service", false)},
      {"inputPorts", named("port", true)},
      {"processors", named("processor", false)},
      {"funnels", named("funnel", true)},
      {"groups", named("group", false)},
      {"outputPorts", named("port", true)},
      {"connections", list_of(reference("connection"))}};
  members.insert(members.end(), own.begin(), own.end());
  if (is_root) {
    members.emplace_back("$schema", text);
    members.emplace_back("maxTimerDrivenThreadCount", of_type("integer"));
    members.emplace_back("parameterContexts",
                         object_of(closed_object({{"inherited", list_of(text)},
                                                  {"parameters", parameters_schema()},
                                                  {"provider", text},
                                                  {"providerGroup", text}})));
    members.emplace_back(
        "parameterProviders",
        object_of(closed_object({{"type", text}, {"properties", object_of(plain_value())}})));
  }
  return closed_object(members);
}

}  // namespace

std::string flow_schema(const ComponentRegistry& registry) {
  Json schema = Json::object();
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "weir flow";
  schema.update(group_schema(true));
  Json& definitions = schema["$defs"];
  definitions = Json::object();
  definitions["processor"] = processor_schema(registry);
  definitions["service"] = service_schema(registry);
  auto port = common_members();
  port.emplace_back("state", choice({"running", "stopped", "enabled", "disabled"}));
  port.emplace_back("concurrentTasks", of_type("integer"));
  definitions["port"] = closed_object(port);
  definitions["funnel"] = closed_object(common_members());
  definitions["connection"] = connection_schema();
  definitions["group"] = group_schema(false);
  constexpr int indent = 2;
  return schema.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weir::flow
