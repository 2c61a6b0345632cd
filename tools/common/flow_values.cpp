#include "tools/common/flow_values.h"

#include <unistd.h>

#include "engine/flow/parameters.h"
#include "repositories/storage/file_system.h"

namespace weir::tools {

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> variables;
  for (char** one = environ; one && *one; ++one) {
    const std::string_view text = *one;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

flow::SensitiveValues sensitive_values(const runtime::EngineConfig& config) {
  using Algorithm = flow::SensitiveValues::Algorithm;
  return {config.sensitive_key,
          config.sensitive_key_is_128 ? Algorithm::aes_gcm_128 : Algorithm::aes_gcm_256};
}

flow::CheckResult check_opened(flow::Flow flow, const runtime::EngineConfig& config,
                               const ComponentRegistry& registry) {
  const std::map<std::string, std::string> variables = process_environment();
  const flow::SensitiveValues sensitive = sensitive_values(config);
  std::vector<flow::Problem> problems =
      flow::open_values(flow, {storage::real_file_system(), variables, sensitive});
  flow::CheckResult result = flow::check_flow(flow, registry);
  result.problems.insert(result.problems.begin(), problems.begin(), problems.end());
  return result;
}

}  // namespace weir::tools
