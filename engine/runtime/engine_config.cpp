#include "engine/runtime/engine_config.h"

#include <fmt/format.h>

#include <map>

#include "engine/api/units.h"
#include "engine/runtime/engine_config_keys.h"
#include "engine/runtime/engine_config_syntax.h"

namespace weir::runtime {
namespace {

// NiFi 1.x had the flow twice; the JSON one is what counts.
constexpr std::string_view kFlowFileKey = "nifi.flow.configuration.file";
constexpr std::string_view kFlowJsonFileKey = "nifi.flow.configuration.json.file";

class Loader {
 public:
  Loader(std::string file, const storage::Path& base) : file_(std::move(file)), base_(base) {}

  void load(std::vector<PropertyAssignment> assignments) {
    for (const ConfigKey& key : config_keys()) apply(key, key.default_value, nullptr);
    for (const PropertyAssignment& one : latest(std::move(assignments))) take(one);
    if (config_.contents.containers.empty()) {
      config_.contents.containers["default"] = path_of("./content_repository");
    }
    if (config_.provenance.directories.empty()) {
      config_.provenance.directories["default"] = path_of("./provenance_repository");
    }
    check_directories();
  }

  std::expected<LoadedConfig, std::vector<PropertyProblem>> result() {
    for (const PropertyProblem& problem : problems_) {
      if (problem.error) return std::unexpected(std::move(problems_));
    }
    return LoadedConfig{.config = std::move(config_), .problems = std::move(problems_)};
  }

 private:
  // What holds of each key: the last assignment, as in Java. Reports the earlier ones, except
  // where an override replaces a line of the file.
  std::vector<PropertyAssignment> latest(std::vector<PropertyAssignment> assignments) {
    bool has_flow_json = false;
    for (const auto& one : assignments) has_flow_json |= one.key == kFlowJsonFileKey;
    std::map<std::string, std::size_t> last;
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      PropertyAssignment& one = assignments[i];
      if (!one.error.empty()) continue;
      const auto [found, is_new] = last.try_emplace(one.key, i);
      if (is_new) continue;
      if (one.line != 0) {
        report(false, &one,
               fmt::format("is given in line {} already; this line holds",
                           assignments[found->second].line));
      }
      found->second = i;
    }
    std::vector<PropertyAssignment> kept;
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      PropertyAssignment& one = assignments[i];
      if (!one.error.empty()) {
        report(true, &one, one.error);
      } else if (last.at(one.key) == i && !(has_flow_json && one.key == kFlowFileKey)) {
        kept.push_back(std::move(one));
      }
    }
    return kept;
  }

  void take(const PropertyAssignment& one) {
    if (take_directory(one, kContentDirectoryPrefix, config_.contents.containers) ||
        take_directory(one, kProvenanceDirectoryPrefix, config_.provenance.directories)) {
      return;
    }
    const std::string_view name = one.key == kFlowJsonFileKey ? kFlowFileKey : one.key;
    for (const ConfigKey& key : config_keys()) {
      if (key.name != name) continue;
      if (!one.value.empty()) apply(key, one.value, &one);  // empty: the default holds, as in NiFi
      return;
    }
    if (const auto why = why_ignored(one.key)) {
      report(false, &one, fmt::format("has no effect here: {}", *why));
      return;
    }
    report(true, &one, "is no key that is known here");
    problems_.back().nearest = nearest_key(one.key);
  }

  void apply(const ConfigKey& key, std::string_view value, const PropertyAssignment* given) {
    ConfigKey::Target target{.config = config_, .base = base_, .warning = {}};
    if (auto error = key.apply(target, value)) report(true, given, *error);
    if (!target.warning.empty()) report(false, given, target.warning);
  }

  bool take_directory(const PropertyAssignment& one, std::string_view prefix,
                      std::map<std::string, storage::Path>& directories) {
    if (!one.key.starts_with(prefix)) return false;
    const std::string name = one.key.substr(prefix.size());
    if (name.empty()) {
      report(true, &one, "needs a name of the folder behind its last dot");
    } else if (one.value.empty()) {
      report(true, &one, "needs a folder");
    } else {
      directories[name] = path_of(one.value);
    }
    return true;
  }

  // Two repositories in one folder would take each other's files for damage.
  void check_directories() {
    std::map<storage::Path, std::string> seen;
    const auto check = [&](const storage::Path& path, const std::string& key) {
      const auto [found, is_new] = seen.try_emplace(path / "", key);
      if (is_new) return;
      report(true, nullptr,
             fmt::format("names the same folder as {}: {}", found->second, path.string()));
      problems_.back().key = key;
    };
    check(config_.flow_files.directory, "nifi.flowfile.repository.directory");
    for (const auto& [name, path] : config_.contents.containers) {
      check(path, std::string(kContentDirectoryPrefix) + name);
    }
    for (const auto& [name, path] : config_.provenance.directories) {
      check(path, std::string(kProvenanceDirectoryPrefix) + name);
    }
    check(config_.state_directory, "weir.state.directory");
  }

  static std::string nearest_key(std::string_view key) {
    std::vector<std::string_view> names = ignored_keys();
    for (const ConfigKey& known : config_keys()) names.push_back(known.name);
    return nearest_name(key, names);
  }

  void report(bool error, const PropertyAssignment* given, std::string message) {
    PropertyProblem problem;
    problem.error = error;
    if (given == nullptr || given->line != 0) problem.file = file_;
    if (given != nullptr) {
      problem.line = given->line;
      problem.key = given->key;
    }
    problem.message = std::move(message);
    problems_.push_back(std::move(problem));
  }

  storage::Path path_of(std::string_view value) const {
    return (base_ / storage::Path(value)).lexically_normal();
  }

  const std::string file_;
  const storage::Path& base_;
  EngineConfig config_;
  std::vector<PropertyProblem> problems_;
};

}  // namespace

std::string PropertyProblem::to_string() const {
  std::string text = file.empty() ? std::string() : file + ":";
  if (line != 0) text += fmt::format("{}:", line);
  if (!text.empty()) text += ' ';
  text += error ? "error: " : "warning: ";
  if (!key.empty()) text += key + ": ";
  text += message;
  if (!nearest.empty()) text += fmt::format(" (did you mean {}?)", nearest);
  return text;
}

std::expected<LoadedConfig, std::vector<PropertyProblem>> load_config(
    std::string_view text, const std::string& file, const storage::Path& base,
    const std::vector<std::pair<std::string, std::string>>& overrides) {
  std::vector<PropertyAssignment> assignments = parse_properties(text);
  for (const auto& [key, value] : overrides) {
    assignments.push_back({.key = key, .value = value, .line = 0, .error = {}});
  }
  Loader loader(file, base);
  loader.load(std::move(assignments));
  return loader.result();
}

}  // namespace weir::runtime
