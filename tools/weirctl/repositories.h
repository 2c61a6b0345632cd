#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/runtime/engine_config.h"
#include "tools/weirctl/command.h"

namespace weir::tools {

// Collects what readers could go on without.
class FindingList : public storage::FindingReporter {
 public:
  void report(const storage::Finding& finding) override { findings.push_back(finding); }
  std::vector<storage::Finding> findings;
};

// "file:offset: sentence".
std::string to_line(const storage::Finding& finding);

// The repositories of an engine, opened for reading only. Throws UsageError where the command
// line names none, or none that is on disk; StorageError.
class Repositories {
 public:
  explicit Repositories(const CommandLine& line);

  const runtime::EngineConfig& config() const { return config_; }
  content::ContentRepository& contents();
  // Snapshot and journal as they are now.
  flowfile::RepositoryImage image();
  // With the events that only the journal holds yet.
  provenance::ProvenanceRepository& provenance();
  std::vector<flowfile::FlowFilePtr> swapped(const flowfile::SwapFile& file);

  struct Connection {
    std::string id;
    std::string name;
  };
  // In the order of the flow that the engine saved; empty without one.
  const std::vector<Connection>& connections();
  std::string connection_name(const std::string& id);  // the identifier where it has no name

  // Whether an engine has the repositories open at the moment.
  bool engine_runs() const;
  // What the readers above had to pass over.
  const std::vector<storage::Finding>& findings() const { return findings_.findings; }

 private:
  void open_provenance();
  void hide_lost_events();

  runtime::EngineConfig config_;
  FindingList findings_;
  std::unique_ptr<content::ContentRepository> contents_;
  std::unique_ptr<provenance::ProvenanceRepository> provenance_;
  std::optional<std::vector<Connection>> connections_;
};

std::int64_t now_ms();

// Copies a content to standard output, or to a file that must not exist yet.
void write_content(content::ContentReader& content, const std::string& output_file);

}  // namespace weir::tools
