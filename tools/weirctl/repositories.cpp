#include "tools/weirctl/repositories.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "engine/api/environment.h"
#include "engine/flow/read.h"
#include "repositories/content/layout.h"
#include "repositories/flowfile/layout.h"

namespace weir::tools {
namespace {

using runtime::EngineConfig;

runtime::EngineConfig load(const CommandLine& line) {
  auto config = load_config_option(line.config, false);
  if (!config) throw UsageError("the configuration cannot be used");
  return std::move(*config);
}

void need_directory(const storage::Path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return;
  throw UsageError(fmt::format(
      "there is no repository in {}: name the engine's --data DIR or -c FILE", path.string()));
}

void collect_names(const flow::Group& group, std::map<std::string, std::string>& names) {
  for (const auto& one : group.processors) names[one.id] = one.name;
  for (const auto& one : group.ports) names[one.id] = one.name;
  for (const auto& one : group.funnels) names[one.id] = one.name.empty() ? "funnel" : one.name;
  for (const auto& child : group.groups) collect_names(child, names);
}

void collect_connections(const flow::Group& group, const std::map<std::string, std::string>& names,
                         std::vector<Repositories::Connection>& connections) {
  const auto end = [&](const flow::Endpoint& endpoint) {
    const auto found = names.find(endpoint.id);
    return found == names.end() ? endpoint.id : found->second;
  };
  for (const auto& one : group.connections) {
    connections.push_back(
        {one.id, one.name.empty() ? end(one.from) + " -> " + end(one.to) : one.name});
  }
  for (const auto& child : group.groups) collect_connections(child, names, connections);
}

// Whether anybody holds a lock on the file. Asks the kernel's list, so that looking takes none.
bool is_locked(const storage::Path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  const std::string wanted =
      fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string word; locks >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

}  // namespace

std::string to_line(const storage::Finding& finding) {
  std::string text = finding.file.string();
  if (finding.offset != 0) text += fmt::format(":{}", finding.offset);
  text += ": " + finding.what;
  if (finding.bytes != 0) text += fmt::format(" ({} bytes)", finding.bytes);
  return text;
}

Repositories::Repositories(const CommandLine& line) : config_(load(line)) {}

content::ContentRepository& Repositories::contents() {
  if (!contents_) {
    if (config_.content_store != EngineConfig::ContentStore::file_system) {
      throw UsageError("the content repository is kept in the engine's memory only");
    }
    for (const auto& [name, directory] : config_.contents.containers) need_directory(directory);
    contents_ = content::open_content_repository_read_only(storage::real_file_system(),
                                                           config_.contents.containers);
  }
  return *contents_;
}

flowfile::RepositoryImage Repositories::image() {
  switch (config_.flow_file_store) {
    case EngineConfig::FlowFileStore::write_ahead:
      break;
    case EngineConfig::FlowFileStore::rocksdb:
      throw UsageError("queues in a RocksDB FlowFile repository cannot be read from outside");
    case EngineConfig::FlowFileStore::volatile_memory:
      throw UsageError("the FlowFile repository is kept in the engine's memory only");
  }
  need_directory(config_.flow_files.directory);
  auto image = flowfile::read_repository_image(storage::real_file_system(),
                                               config_.flow_files.directory, contents());
  for (const auto& finding : image.state.findings) findings_.report(finding);
  return image;
}

std::vector<flowfile::FlowFilePtr> Repositories::swapped(const flowfile::SwapFile& file) {
  return flowfile::read_swapped_flow_files(storage::real_file_system(),
                                           config_.flow_files.directory, contents(), file);
}

// A running engine drops journal that provenance has made durable, so the store that was opened
// first may miss what the journal read later does not hold any more: then both are read again.
void Repositories::open_provenance() {
  constexpr int kMostTries = 5;
  storage::FileSystem& files = storage::real_file_system();
  const auto& journal = config_.flow_files.directory;
  const bool has_journal =
      config_.flow_file_store == EngineConfig::FlowFileStore::write_ahead && files.status(journal);
  for (int tries = 1;; ++tries) {
    provenance_ = provenance::open_provenance_read_only(files, config_.provenance, findings_);
    if (!has_journal) return;
    // After a loss of power the store may be ahead of what the next start makes of the journal.
    if (!engine_runs()) hide_lost_events();
    const std::uint64_t durable = provenance_->durable_sequence();
    try {
      const std::uint64_t first =
          flowfile::read_journal_events(files, journal, durable, *provenance_, findings_);
      if (first <= durable + 1 || tries == kMostTries) return;
    } catch (const storage::IoError& error) {
      if (error.error_number() != ENOENT || tries == kMostTries) throw;
    }
  }
}

void Repositories::hide_lost_events() {
  if (config_.content_store != EngineConfig::ContentStore::file_system) return;
  try {
    const auto known = flowfile::read_repository_image(storage::real_file_system(),
                                                       config_.flow_files.directory, contents());
    provenance_->discard_after(known.last_event_id, known.last_sequence);
  } catch (const storage::RefusedError& error) {
    findings_.report({config_.flow_files.directory, 0, 0, error.what()});
  }
}

provenance::ProvenanceRepository& Repositories::provenance() {
  if (!provenance_) {
    if (config_.provenance_store != EngineConfig::ProvenanceStore::write_ahead) {
      throw UsageError("the provenance repository is kept in the engine's memory only");
    }
    for (const auto& [name, directory] : config_.provenance.directories) {
      need_directory(directory);
    }
    open_provenance();
  }
  return *provenance_;
}

const std::vector<Repositories::Connection>& Repositories::connections() {
  if (connections_) return *connections_;
  connections_.emplace();
  const auto text = storage::real_file_system().read_small(config_.flow_copy);
  if (!text) return *connections_;
  const auto read = flow::read_flow(*text, config_.flow_copy.string());
  if (!read) return *connections_;
  std::map<std::string, std::string> names;
  collect_names(read->flow.root, names);
  collect_connections(read->flow.root, names, *connections_);
  return *connections_;
}

std::string Repositories::connection_name(const std::string& id) {
  for (const Connection& one : connections()) {
    if (one.id == id) return one.name;
  }
  return id;
}

bool Repositories::engine_runs() const {
  for (const auto& [name, directory] : config_.contents.containers) {
    if (is_locked(content::lock_path(directory))) return true;
  }
  return is_locked(flowfile::Layout(config_.flow_files.directory).lock());
}

std::int64_t now_ms() {
  return system_clock().now_ms();
}

void write_content(content::ContentReader& content, const std::string& output_file) {
  std::FILE* const out = output_file.empty() ? stdout : std::fopen(output_file.c_str(), "wbx");
  if (out == nullptr) throw storage::IoError("create", output_file, errno);
  std::vector<std::byte> piece(1 << 18);
  bool failed = false;
  for (std::uint64_t at = 0; at < content.size() && !failed;) {
    const std::size_t got = content.read_at(at, piece);
    if (got == 0) break;
    failed = std::fwrite(piece.data(), 1, got, out) != got;
    at += got;
  }
  failed |= (output_file.empty() ? std::fflush(out) : std::fclose(out)) != 0;
  if (failed) {
    throw storage::IoError("write", output_file.empty() ? "standard output" : output_file, errno);
  }
}

}  // namespace weir::tools
