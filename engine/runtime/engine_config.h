#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "repositories/content/content_repository.h"
#include "repositories/flowfile/flow_file_repository.h"
#include "repositories/provenance/provenance_repository.h"

namespace weir::runtime {

// What conf/weir.properties says, with NiFi's defaults where it says nothing. Relative paths are
// relative to the working directory, or to `--data DIR` where that is given.
struct EngineConfig {
  enum class FlowFileStore { write_ahead, rocksdb, volatile_memory };
  enum class ContentStore { file_system, volatile_memory };
  enum class ProvenanceStore { write_ahead, volatile_memory, none };

  FlowFileStore flow_file_store = FlowFileStore::write_ahead;
  flowfile::FlowFileRepositoryConfig flow_files;
  std::uint64_t swap_threshold = 20000;  // nifi.queue.swap.threshold

  ContentStore content_store = ContentStore::file_system;
  content::ContentRepositoryConfig contents;
  std::uint64_t volatile_content_bytes = 100u << 20;

  ProvenanceStore provenance_store = ProvenanceStore::write_ahead;
  provenance::ProvenanceRepositoryConfig provenance;
  std::uint64_t volatile_provenance_events = 100000;

  storage::Path state_directory = "state/local";
  storage::Path flow_copy;  // nifi.flow.configuration.file: where the running flow is saved
  storage::Path flow_archive_directory;
  bool flow_archive_enabled = true;

  std::string sensitive_key;          // nifi.sensitive.props.key; empty: none
  bool sensitive_key_is_128 = false;  // bits; else 256

  std::uint64_t backpressure_count = 10000;  // of connections the flow says nothing about
  std::string backpressure_size = "1 GB";
  std::chrono::milliseconds administrative_yield = std::chrono::seconds(30);
  std::chrono::milliseconds bored_yield = std::chrono::milliseconds(10);
  std::chrono::milliseconds graceful_shutdown = std::chrono::seconds(10);
  bool auto_resume = true;  // nifi.flowcontroller.autoResumeState
};

struct PropertyProblem {
  bool error = true;  // else a warning
  std::string file;
  std::uint32_t line = 0;
  std::string key;
  std::string message;
  std::string nearest;  // the key that may have been meant

  std::string to_string() const;
};

struct LoadedConfig {
  EngineConfig config;
  std::vector<PropertyProblem> problems;  // only warnings where loading succeeded
};

// Reads a properties file in Java's syntax (comments, continuation lines, escapes). NiFi's keys
// that mean nothing here are taken with one warning each; an unknown key or a bad value is an
// error. `text` empty: the defaults. `base` is put before relative paths. `overrides` win over
// the text (what a command line sets); their problems have line 0 and no file.
std::expected<LoadedConfig, std::vector<PropertyProblem>> load_config(
    std::string_view text, const std::string& file, const storage::Path& base,
    const std::vector<std::pair<std::string, std::string>>& overrides = {});

}  // namespace weir::runtime
