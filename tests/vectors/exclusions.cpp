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

}  // namespace

std::string exclusion(const json& vector_case, const ComponentRegistry& registry) {
  const std::string& type = vector_case.at("processor").get_ref<const std::string&>();
  if (!registry.find_processor(type)) return "not a processor of this version";
  const std::string& id = vector_case.at("id").get_ref<const std::string&>();
  if (const auto fault = faults_of_nifi().find(id); fault != faults_of_nifi().end()) {
    return fault->second;
  }
  if (vector_case.contains("services")) return "controller services";
  return {};
}

}  // namespace weir::vectors
