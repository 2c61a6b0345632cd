#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

namespace weir::processors::kinesis {

// Where the KCL and what it needs are on this machine.
struct Installation {
  std::filesystem::path java;    // the program
  std::filesystem::path jars;    // the folder of the KCL's jars
  std::filesystem::path bridge;  // the program weir-kinesis-bridge
};

// Looks beside the running program: `kinesis/lib/*.jar` and `kinesis/weir-kinesis-bridge` in its
// folder, or in the folder that WEIR_KINESIS_HOME names; Java by JAVA_HOME, else on the PATH. The
// error is one sentence that names what is missing and how to get it.
std::expected<Installation, std::string> find_installation();

}  // namespace weir::processors::kinesis
