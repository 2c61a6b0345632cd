#include "engine/expression/evaluation.h"

#include <charconv>

#include "engine/api/flow_file.h"
#include "engine/expression/machine_properties.h"

namespace weir::expression {
namespace {

constexpr std::string_view flow_file_properties[] = {"entryDate", "fileSize", "flowFileId",
                                                     "lineageStartDate", "queueDateIndex"};

// What NiFi offers of a FlowFile under the names of attributes; these win over attributes.
std::optional<std::uint64_t> flow_file_property(const FlowFile& flow_file, std::string_view name) {
  switch (name.front()) {
    case 'f':
      if (name == "fileSize") return flow_file.size();
      if (name == "flowFileId") return flow_file.id();
      break;
    case 'e':
      if (name == "entryDate") return static_cast<std::uint64_t>(flow_file.entry_ms());
      break;
    case 'l':
      if (name == "lineageStartDate") {
        return static_cast<std::uint64_t>(flow_file.lineage_start_ms());
      }
      break;
    case 'q':
      if (name == "queueDateIndex") return flow_file.record().arrival();
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> Evaluation::attribute(std::string_view name) {
  if (inputs_.variables) {
    if (const auto found = inputs_.variables->find(name); found != inputs_.variables->end()) {
      return found->second;
    }
  }
  if (inputs_.flow_file && !name.empty()) {
    if (const auto number = flow_file_property(*inputs_.flow_file, name)) {
      char digits[24];
      const auto end = std::to_chars(digits, digits + sizeof digits, *number).ptr;
      return keep({digits, static_cast<std::size_t>(end - digits)});
    }
    if (const std::string* value = inputs_.flow_file->find_attribute(name)) return *value;
    if (name == attribute::uuid) return keep(inputs_.flow_file->uuid());
  }
  if (const auto value = machine_property(name)) return keep(*value);
  return std::nullopt;
}

void Evaluation::for_each_name(const std::function<void(std::string_view)>& visit) const {
  if (inputs_.variables) {
    for (const auto& [name, value] : *inputs_.variables) visit(name);
  }
  if (!inputs_.flow_file) return;
  for (const auto name : flow_file_properties) visit(name);
  for (const auto& entry : inputs_.flow_file->attributes()) {
    if (!inputs_.variables || !inputs_.variables->contains(entry.first)) visit(entry.first);
  }
  visit(attribute::uuid);
}

std::string_view Evaluation::text_of(const Value& value) {
  if (value.kind() == Value::Kind::text) return value.text();
  if (value.kind() == Value::Kind::boolean) return value.boolean() ? "true" : "false";
  std::string& out = buffer();
  value.append_to(out);
  return keep(out);
}

Value Evaluation::current_of(const Node* source) const {
  for (auto current = currents_.rbegin(); current != currents_.rend(); ++current) {
    if (current->source == source) return current->value;
  }
  return {};
}

std::size_t Evaluation::begin_reducing() {
  ++reducing_;
  return reductions_.size();
}

void Evaluation::end_reducing(std::size_t begun) {
  --reducing_;
  reductions_.resize(begun);
}

Evaluation::Reduction* Evaluation::reduction(const Node* function) {
  if (reducing_ == 0) return nullptr;
  for (auto& known : reductions_) {
    if (known.function == function) return &known;
  }
  reductions_.push_back({.function = function});
  return &reductions_.back();
}

}  // namespace weir::expression
