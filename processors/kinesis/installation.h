#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace weir::processors::kinesis {

// Where the KCL and what it needs are on this machine.
struct Installation {
  std::filesystem::path java;    // the program
  std::filesystem::path jars;    // the folder of the KCL's jars
  std::filesystem::path bridge;  // the program weir-kinesis-bridge
};

// What decides where things are looked for. Empty: not set.
struct Places {
  std::filesystem::path program;  // the running one
  std::filesystem::path kinesis_home;
  std::filesystem::path java_home;
  std::string search_path;  // as PATH
};

// Looks beside the running program: `kinesis/lib/*.jar` and `kinesis/weir-kinesis-bridge` in its
// folder, or `lib` and `weir-kinesis-bridge` in the folder that WEIR_KINESIS_HOME names; Java by
// JAVA_HOME, else on the PATH. The error is one sentence that names what is missing and how to get
// it. Starts nothing.
std::expected<Installation, std::string> find_installation();
std::expected<Installation, std::string> find_installation(const Places& places);

// All that a daemon gets of the engine's own environment: where programs and the user's files are,
// and proxies. Language and time zone are fixed.
std::map<std::string, std::string> inherited_environment();

}  // namespace weir::processors::kinesis
