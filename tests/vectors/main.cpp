#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "processors/registry.h"
#include "tests/vectors/el_case.h"
#include "tests/vectors/vector_case.h"

namespace {

using nlohmann::json;

struct Choice {
  std::string only;
  bool show_excluded = false;
};

// Passed, failed, and left out by reason.
class Tally {
 public:
  explicit Tally(const Choice& choice) : choice_(choice) {}

  bool wants(const std::string& id) const { return id.starts_with(choice_.only); }
  void leave_out(const std::string& id, const std::string& why) {
    ++excluded_[why];
    if (choice_.show_excluded) fmt::print("{}: left out: {}\n", id, why);
  }
  void count(const std::string& id, const std::vector<std::string>& mismatches) {
    mismatches.empty() ? ++passed_ : ++failed_;
    for (const std::string& mismatch : mismatches) fmt::print("{}: {}\n", id, mismatch);
  }
  int finish() const {
    for (const auto& [why, count] : excluded_) fmt::print("{} left out: {}\n", count, why);
    fmt::print("{} passed, {} failed\n", passed_, failed_);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  const Choice choice_;
  std::map<std::string, int> excluded_;
  int passed_ = 0;
  int failed_ = 0;
};

std::optional<json> read_cases(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    fmt::print(stderr, "{} cannot be read\n", file);
    return std::nullopt;
  }
  json cases = json::parse(in, nullptr, false);
  if (!cases.is_array()) {
    fmt::print(stderr, "{} is no list of cases\n", file);
    return std::nullopt;
  }
  return cases;
}

void run_processors(const json& cases, Tally& tally) {
  weir::ComponentRegistry registry;
  weir::register_standard_processors(registry);
  const auto scratch =
      std::filesystem::temp_directory_path() / fmt::format("weir-vectors-{}", getpid());
  for (const auto& vector_case : cases) {
    const std::string& id = vector_case.at("id").get_ref<const std::string&>();
    if (!tally.wants(id)) continue;
    if (const std::string why = weir::vectors::exclusion(vector_case, registry); !why.empty()) {
      tally.leave_out(id, why);
    } else {
      tally.count(id, weir::vectors::run_case(vector_case, registry, scratch).mismatches);
    }
  }
  std::filesystem::remove_all(scratch);
}

void run_expressions(const json& cases, Tally& tally) {
  for (const auto& vector_case : cases) {
    const std::string& id = vector_case.at("id").get_ref<const std::string&>();
    if (!tally.wants(id)) continue;
    if (const std::string why = weir::vectors::el_exclusion(id); !why.empty()) {
      tally.leave_out(id, why);
      continue;
    }
    const std::string mismatch = weir::vectors::run_el_case(vector_case);
    tally.count(id, mismatch.empty() ? std::vector<std::string>() : std::vector{mismatch});
  }
}

}  // namespace

// weir_vectors --processors FILE, --el FILE: runs the cases of processor-vectors.json and
// el-vectors.json, or of any file of their form.
int main(int argc, char** argv) {
  CLI::App app("Runs recorded cases of processors and of the Expression Language.");
  std::string processors, expressions;
  Choice choice;
  app.add_option("--processors", processors, "processor-vectors.json");
  app.add_option("--el", expressions, "el-vectors.json");
  app.add_option("--only", choice.only, "cases whose identifier begins so");
  app.add_flag("--excluded", choice.show_excluded, "also tell which cases are left out and why");
  app.require_option(1, 0);
  CLI11_PARSE(app, argc, argv);

  Tally tally(choice);
  if (!processors.empty()) {
    const auto cases = read_cases(processors);
    if (!cases) return 2;
    run_processors(*cases, tally);
  }
  if (!expressions.empty()) {
    const auto cases = read_cases(expressions);
    if (!cases) return 2;
    run_expressions(*cases, tally);
  }
  return tally.finish();
}
