#include "processors/aws/surroundings.h"

#include <cstdlib>
#include <fstream>

namespace weir::processors::aws {
namespace {

constexpr std::size_t kMostFileBytes = 1 << 20;

std::optional<std::string> variable_of_process(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<std::string> read_small_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::string text(kMostFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || !in.eof()) return std::nullopt;
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

Surroundings process_surroundings() {
  return {.variable = &variable_of_process, .read_file = &read_small_file};
}

}  // namespace weir::processors::aws
