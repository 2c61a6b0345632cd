#include "processors/kinesis/installation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <string_view>
#include <system_error>

namespace weir::processors::kinesis {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBridge = "weir-kinesis-bridge";
constexpr std::string_view kMainJar = "amazon-kinesis-client-multilang-";
constexpr std::string_view kHowToGetJava =
    "install a Java runtime of version 17 or later (Debian: openjdk-17-jre-headless), or name its "
    "folder by JAVA_HOME";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Places process_places() {
  std::error_code error;
  return {.program = fs::read_symlink("/proc/self/exe", error),
          .kinesis_home = variable("WEIR_KINESIS_HOME"),
          .java_home = variable("JAVA_HOME"),
          .search_path = variable("PATH")};
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<fs::path> on_search_path(std::string_view name, const std::string& search_path) {
  for (const auto part : std::views::split(search_path, ':')) {
    // An empty part means the working folder, where nobody installs a Java.
    const std::string_view folder(part.begin(), part.end());
    if (folder.empty()) continue;
    const fs::path candidate = fs::path(folder) / name;
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

std::expected<fs::path, std::string> find_java(const Places& places) {
  if (!places.java_home.empty()) {
    fs::path java = places.java_home / "bin" / "java";
    if (is_program(java)) return java;
    return std::unexpected(fmt::format("Java was not found at {}, where JAVA_HOME says: {}",
                                       java.string(), kHowToGetJava));
  }
  if (auto java = on_search_path("java", places.search_path)) return *std::move(java);
  return std::unexpected(fmt::format("Java was not found: {}", kHowToGetJava));
}

bool holds_the_client(const fs::path& jars) {
  std::error_code error;
  for (fs::directory_iterator entry(jars, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kMainJar) && name.ends_with(".jar")) return true;
  }
  return false;
}

}  // namespace

std::expected<Installation, std::string> find_installation(const Places& places) {
  auto java = find_java(places);
  if (!java) return std::unexpected(std::move(java.error()));
  const bool named = !places.kinesis_home.empty();
  const fs::path home = named ? places.kinesis_home : places.program.parent_path() / "kinesis";
  // Programs are started in folders of their own, so that a relative name would mislead.
  const fs::path folder = fs::absolute(home);
  Installation found{
      .java = fs::absolute(*java), .jars = folder / "lib", .bridge = folder / kBridge};
  const std::string_view where = named ? ", where WEIR_KINESIS_HOME says" : "";
  if (!holds_the_client(found.jars)) {
    return std::unexpected(fmt::format(
        "the Kinesis Client Library was not found in {}{}: build the target weir_kinesis_jars, "
        "which fetches it by Maven (Debian: maven), or name the folder that holds it by "
        "WEIR_KINESIS_HOME",
        found.jars.string(), where));
  }
  if (!is_program(found.bridge)) {
    return std::unexpected(fmt::format(
        "the program {} was not found in {}{}: build the target weir_kinesis_bridge, or name the "
        "folder that holds it by WEIR_KINESIS_HOME",
        kBridge, folder.string(), where));
  }
  return found;
}

std::expected<Installation, std::string> find_installation() {
  return find_installation(process_places());
}

std::map<std::string, std::string> inherited_environment() {
  std::map<std::string, std::string> environment{{"LANG", "C.UTF-8"}, {"TZ", "UTC"}};
  for (const char* name : {"PATH", "HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy",
                           "https_proxy", "no_proxy"}) {
    if (const char* value = std::getenv(name)) environment.emplace(name, value);
  }
  return environment;
}

}  // namespace weir::processors::kinesis
