#include "tests/processors/aws/sample_surroundings.h"

namespace weir::tests {
namespace {

std::optional<std::string> find(const std::map<std::string, std::string>& map,
                                const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

processors::aws::Surroundings SampleWorld::surroundings() {
  return {.variable = [this](const std::string& name) { return find(variables, name); },
          .read_file =
              [this](const std::filesystem::path& file) { return find(files, file.string()); }};
}

}  // namespace weir::tests
