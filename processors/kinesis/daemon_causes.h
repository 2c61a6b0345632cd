#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/api/component.h"

namespace weir::processors::kinesis {

// One statement of the KCL's log.
struct DaemonEvent {
  LogLevel level = LogLevel::info;
  // A class's full name. Empty: a line that Java itself or a bridge wrote.
  std::string_view logger = {};
  std::string_view message = {};    // one line
  std::string_view exception = {};  // the root cause first, what wraps it behind; empty: none
};

// What sentences to a user name. Empty: not known, left away.
struct DaemonNames {
  std::string stream = {};
  std::string application = {};  // also the lease table's name
  std::string region = {};
  std::string endpoint = {};
  std::string java = {};
  std::string jars = {};
  std::uint64_t heap_bytes = 0;
};

// Something that keeps the KCL from its work and that a user can act upon.
struct DaemonCause {
  std::string key;       // of the same cause: the same
  std::string sentence;  // what is wrong, where, and what to do
  LogLevel level = LogLevel::error;
};

// Finds the cause that a warning or an error of the KCL speaks of.
std::optional<DaemonCause> find_cause(const DaemonEvent& event, const DaemonNames& names);

}  // namespace weir::processors::kinesis
