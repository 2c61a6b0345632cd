#include "engine/api/reference_page.h"

#include <fmt/format.h>

namespace weir {
namespace {

// A table's cell: one line, no bar that would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') {
      out += "\\|";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string_view scope_text(ExpressionScope scope) {
  switch (scope) {
    case ExpressionScope::none:
      return "no";
    case ExpressionScope::environment:
      return "yes, without FlowFile";
    case ExpressionScope::flow_file_attributes:
      return "yes, with the FlowFile's attributes";
  }
  return "";
}

std::string values_text(const PropertyDescriptor& descriptor) {
  std::string out;
  for (const AllowableValue& value : descriptor.allowable_values) {
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", value.value);
    if (!value.display_name.empty() && value.display_name != value.value) {
      out += fmt::format(" ({})", value.display_name);
    }
  }
  return out;
}

std::string dependency_text(const PropertyDescriptor& descriptor) {
  std::string out;
  for (const auto& dependency : descriptor.depends_on) {
    out += fmt::format("{}\"{}\"", out.empty() ? " Only with " : " and ", dependency.property);
    for (std::size_t i = 0; i < dependency.values.size(); ++i) {
      out += fmt::format("{}`{}`", i == 0 ? " = " : " or ", dependency.values[i]);
    }
  }
  return out.empty() ? out : out + ".";
}

void append_property(std::string& out, const PropertyDescriptor& descriptor) {
  std::string name = fmt::format("{}{}{}", descriptor.required ? "**" : "", descriptor.shown_name(),
                                 descriptor.required ? "**" : "");
  if (descriptor.shown_name() != descriptor.name) name += fmt::format(" (`{}`)", descriptor.name);
  std::string about = descriptor.description + dependency_text(descriptor);
  if (descriptor.sensitive) about += " Sensitive.";
  std::string values = values_text(descriptor);
  if (!descriptor.controller_service.empty()) {
    values = fmt::format("a service: {}", descriptor.controller_service);
  }
  out += fmt::format(
      "| {} | {} | {} | {} | {} |\n", cell(name),
      descriptor.default_value ? cell(fmt::format("`{}`", *descriptor.default_value)) : "",
      cell(values), scope_text(descriptor.expression_scope), cell(about));
}

std::string head(const ComponentDefinition& definition) {
  std::string out = fmt::format("# {}\n\n{}\n\nType: `{}`", definition.short_type(),
                                definition.summary, definition.type);
  for (const std::string& tag : definition.tags) {
    out += (&tag == &definition.tags.front() ? "  \nTags: " : ", ") + tag;
  }
  out += "\n\n## Properties\n\n";
  if (definition.properties.empty()) {
    out += "None.\n";
  } else {
    out +=
        "Required ones are bold.\n\n| property | default | values | expressions | |\n"
        "|---|---|---|---|---|\n";
    for (const PropertyDescriptor& descriptor : definition.properties) {
      append_property(out, descriptor);
    }
  }
  if (const auto& dynamic = definition.dynamic_properties) {
    out += fmt::format("\nAny other property: name = {}, value = {}. {} Expressions: {}.\n",
                       dynamic->name, dynamic->value, dynamic->description,
                       scope_text(dynamic->expression_scope));
  }
  return out;
}

void append_attributes(std::string& out, std::string_view title,
                       const std::vector<AttributeNote>& notes) {
  if (notes.empty()) return;
  out += fmt::format("\n## Attributes {}\n\n| attribute | |\n|---|---|\n", title);
  for (const AttributeNote& note : notes) {
    out += fmt::format("| `{}` | {} |\n", cell(note.name), cell(note.description));
  }
}

std::string_view input_text(InputRequirement input) {
  switch (input) {
    case InputRequirement::required:
      return "required";
    case InputRequirement::allowed:
      return "allowed";
    case InputRequirement::forbidden:
      return "none: this is a source";
  }
  return "";
}

}  // namespace

std::string reference_page(const ProcessorDefinition& definition) {
  std::string out = head(definition);
  out += "\n## Relationships\n\n| relationship | |\n|---|---|\n";
  for (const Relationship& relationship : definition.relationships) {
    out += fmt::format("| `{}` | {} |\n", cell(relationship.name), cell(relationship.description));
  }
  if (definition.dynamic_relationships) out += "\nFurther ones follow from the properties.\n";
  append_attributes(out, "read", definition.reads_attributes);
  append_attributes(out, "written", definition.writes_attributes);
  out +=
      fmt::format("\n## Scheduling\n\nIncoming connections: {}. Runs by default every {}.{}{}{}\n",
                  input_text(definition.input), definition.default_scheduling_period,
                  definition.trigger_serially ? " One task at a time." : "",
                  definition.supports_batching ? " May batch several runs into one commit." : "",
                  definition.stateful ? " Keeps state across restarts." : "");
  if (!definition.delivery_note.empty()) {
    out += fmt::format("\n## Delivery\n\n{}\n", definition.delivery_note);
  }
  if (!definition.example.empty()) {
    out += fmt::format("\n## Example\n\n```json\n{}\n```\n", definition.example);
  }
  return out;
}

std::string reference_page(const ControllerServiceDefinition& definition) {
  std::string out = head(definition);
  for (const std::string& name : definition.interfaces) {
    out += (&name == &definition.interfaces.front() ? "\nServes as: " : ", ") + name;
  }
  if (!definition.interfaces.empty()) out += "\n";
  return out;
}

}  // namespace weir
