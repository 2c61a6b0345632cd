#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/engine_config.h"

namespace weir::runtime {

// One key that means something here.
struct ConfigKey {
  std::string_view name;
  std::string_view default_value;  // NiFi's, in NiFi's spelling
  struct Target {
    EngineConfig& config;
    const storage::Path& base;
    std::string warning;  // set where the value is taken with a remark
  };
  // Puts the value in place. Returns what is wrong with it, as a sentence.
  std::optional<std::string> (*apply)(Target& target, std::string_view value);
};
std::span<const ConfigKey> config_keys();

// Keys of folders with a name of the user's behind them.
inline constexpr std::string_view kContentDirectoryPrefix = "nifi.content.repository.directory.";
inline constexpr std::string_view kProvenanceDirectoryPrefix =
    "nifi.provenance.repository.directory.";

// NiFi's keys, of 1.x and 2.x, that mean nothing here: why, or nullopt for any other key.
std::optional<std::string_view> why_ignored(std::string_view key);
// Those of them that are listed by name, for suggestions.
std::vector<std::string_view> ignored_keys();

}  // namespace weir::runtime
