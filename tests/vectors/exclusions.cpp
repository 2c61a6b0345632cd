#include <fmt/format.h>

#include <map>

#include "tests/vectors/vector_case.h"

namespace weir::vectors {
namespace {

using nlohmann::json;

// NiFi's answer is a fault of NiFi, or depends on what a mock does and an engine does not.
const std::map<std::string, std::string>& faults_of_nifi() {
  static const std::map<std::string, std::string> faults = {
      {"SplitText-016", "NiFi loses the last line where no line has the header's marker"},
  };
  return faults;
}

// Only `${name}` is known to the bench.
bool needs_expression_language(const json& values) {
  for (const auto& [name, value] : values.items()) {
    if (!value.is_string()) continue;
    const std::string& text = value.get_ref<const std::string&>();
    for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at + 1)) {
      const std::string inner = text.substr(at + 2, text.find('}', at) - at - 2);
      if (inner.find_first_of(":(\"'$#") != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

std::string exclusion(const json& vector_case, const ComponentRegistry& registry) {
  const std::string& type = vector_case.at("processor").get_ref<const std::string&>();
  if (!registry.find_processor(type)) return "not a processor of this version";
  const std::string& id = vector_case.at("id").get_ref<const std::string&>();
  if (const auto fault = faults_of_nifi().find(id); fault != faults_of_nifi().end()) {
    return fault->second;
  }
  for (const char* part : {"properties", "dynamicProperties"}) {
    if (vector_case.contains(part) && needs_expression_language(vector_case.at(part))) {
      return "Expression Language";
    }
  }
  if (vector_case.contains("services")) return "controller services";
  const std::string format = vector_case.at("properties").value("Merge Format", "");
  if (!format.empty() && format != "Binary Concatenation") {
    return fmt::format("Merge Format {} comes with a later version", format);
  }
  return {};
}

}  // namespace weir::vectors
