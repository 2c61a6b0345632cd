#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "processors/registry.h"
#include "tests/vectors/vector_case.h"

// weir_vectors --processors FILE: runs the cases of processor-vectors.json.
int main(int argc, char** argv) {
  CLI::App app("Runs recorded cases of processors.");
  std::string file, only;
  bool show_excluded = false;
  app.add_option("--processors", file, "processor-vectors.json")->required();
  app.add_option("--only", only, "cases whose identifier begins so");
  app.add_flag("--excluded", show_excluded, "also tell which cases are left out and why");
  CLI11_PARSE(app, argc, argv);

  std::ifstream in(file);
  if (!in) {
    fmt::print(stderr, "{} cannot be read\n", file);
    return 2;
  }
  const nlohmann::json cases = nlohmann::json::parse(in, nullptr, false);
  if (!cases.is_array()) {
    fmt::print(stderr, "{} is no list of cases\n", file);
    return 2;
  }
  weir::ComponentRegistry registry;
  weir::register_standard_processors(registry);
  const auto scratch =
      std::filesystem::temp_directory_path() / fmt::format("weir-vectors-{}", getpid());
  std::map<std::string, int> excluded;
  int passed = 0, failed = 0;
  for (const auto& vector_case : cases) {
    const std::string& id = vector_case.at("id").get_ref<const std::string&>();
    if (!id.starts_with(only)) continue;
    if (const std::string why = weir::vectors::exclusion(vector_case, registry); !why.empty()) {
      ++excluded[why];
      if (show_excluded) fmt::print("{}: left out: {}\n", id, why);
      continue;
    }
    const auto result = weir::vectors::run_case(vector_case, registry, scratch);
    result.verdict == weir::vectors::Verdict::passed ? ++passed : ++failed;
    for (const std::string& mismatch : result.mismatches) fmt::print("{}: {}\n", id, mismatch);
  }
  std::filesystem::remove_all(scratch);
  for (const auto& [why, count] : excluded) fmt::print("{} left out: {}\n", count, why);
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
