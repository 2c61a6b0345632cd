#include "tools/weirctl/repo_check.h"

#include <fmt/format.h>

#include <tuple>

#include "repositories/content/layout.h"
#include "repositories/state/state_repository.h"
#include "repositories/storage/checksum.h"

namespace weir::tools {
namespace {

using Kind = RepositoryProblem::Kind;
using ClaimKey = std::tuple<std::string, std::uint32_t, std::uint64_t>;

class Checker {
 public:
  Checker(Repositories& repositories, const std::function<void(const RepositoryProblem&)>& report)
      : repositories_(repositories), report_(report) {}

  RepositoryTotals run() {
    const bool complete = check_flow_files();
    // Without knowing every FlowFile nobody can say which content is not referred to.
    if (complete) find_leaks();
    check_provenance();
    check_state();
    return totals_;
  }

 private:
  void found(Kind kind, storage::Finding finding) {
    ++totals_.problems;
    report_({.kind = kind, .finding = std::move(finding)});
  }

  void guarded(const storage::Path& directory, const std::function<void()>& work) {
    try {
      work();
    } catch (const storage::StorageError& error) {
      found(Kind::unreadable, {.file = directory, .offset = 0, .bytes = 0, .what = error.what()});
    }
  }

  // True where all FlowFiles are known.
  bool check_flow_files() {
    bool complete = false;
    guarded(repositories_.config().flow_files.directory, [&] {
      const auto image = repositories_.image();
      for (const auto& finding : image.state.findings) found(Kind::damaged, finding);
      totals_.queues = image.state.queues.size();
      complete = !image.state.unreadable_records;
      for (const auto& queue : image.state.queues) {
        for (const auto& one : queue.flow_files) check_content(*one, queue.connection);
        for (const auto& file : queue.swap_files) complete &= check_swap_file(*file);
      }
    });
    return complete;
  }

  bool check_swap_file(const flowfile::SwapFile& file) {
    for (const auto& claim : file.claims) {
      referred_.emplace(claim->container, claim->section, claim->identifier);
    }
    bool readable = false;
    const auto& directory = repositories_.config().flow_files.directory;
    guarded(directory / "swap" / file.name, [&] {
      for (const auto& one : repositories_.swapped(file)) check_content(*one, file.connection);
      readable = true;
    });
    return readable;
  }

  void check_content(const flowfile::FlowFileRecord& record, const std::string& connection) {
    ++totals_.flow_files;
    if (!record.claim) return;
    const content::ClaimLocation at = record.claim.location();
    referred_.emplace(at.container, at.section, at.identifier);
    const auto missing = [&](std::string_view why) {
      found(Kind::missing_content,
            {.file = path_of(at),
             .offset = at.offset,
             .bytes = at.length,
             .what = fmt::format("content of FlowFile {} in {}: {}", record.uuid.to_string(),
                                 repositories_.connection_name(connection), why)});
    };
    try {
      const auto reader = repositories_.contents().read_location(at);
      if (!reader) {
        missing("is gone");
      } else if (record.claim.has_checksum() && checksum_of(*reader) != record.claim.checksum()) {
        missing("is not what was written");
      }
    } catch (const storage::StorageError& error) {
      missing(error.what());
    }
  }

  static std::uint64_t checksum_of(content::ContentReader& reader) {
    storage::StreamingChecksum checksum;
    std::vector<std::byte> piece(1 << 18);
    for (std::uint64_t at = 0; at < reader.size();) {
      const std::size_t got = reader.read_at(at, piece);
      if (got == 0) break;
      checksum.update(std::span(piece).first(got));
      at += got;
    }
    return checksum.value();
  }

  void find_leaks() {
    const bool engine_runs = repositories_.engine_runs();
    content::list_content_files(
        storage::real_file_system(), repositories_.config().contents.containers,
        [&](const content::ContentFile& file) {
          const content::ClaimLocation& at = file.location;
          ++totals_.content_files;
          if (file.archived) {
            ++totals_.archived_files;
          } else if (!referred_.contains({at.container, at.section, at.identifier})) {
            // Sessions of a running engine hold content that no commit knows yet, and what they
            // let go stays until the next checkpoint.
            if (engine_runs) {
              ++totals_.waiting_files;
            } else {
              found(Kind::leaked_claim,
                    {.file = path_of(at),
                     .offset = 0,
                     .bytes = at.length,
                     .what = "no FlowFile refers to this content; the next start removes it"});
            }
          }
        });
  }

  void check_provenance() {
    const auto& config = repositories_.config();
    if (config.provenance_store != runtime::EngineConfig::ProvenanceStore::write_ahead) return;
    FindingList findings;
    guarded(config.provenance.directories.begin()->second, [&] {
      provenance::check_provenance(storage::real_file_system(), config.provenance, findings);
    });
    for (auto& finding : findings.findings) found(Kind::damaged, std::move(finding));
  }

  void check_state() {
    const auto& directory = repositories_.config().state_directory;
    if (!storage::real_file_system().status(directory)) return;
    guarded(directory, [&] {
      const auto state = state::open_state_read_only(storage::real_file_system(), directory);
      for (const std::string& component : state->components()) state->get(component);
    });
  }

  storage::Path path_of(const content::ClaimLocation& at) const {
    const auto& containers = repositories_.config().contents.containers;
    const auto container = containers.find(at.container);
    if (container == containers.end()) return at.container;
    return content::live_path(container->second, at.section, at.identifier);
  }

  Repositories& repositories_;
  const std::function<void(const RepositoryProblem&)>& report_;
  RepositoryTotals totals_;
  std::set<ClaimKey> referred_;
};

}  // namespace

std::string to_string(RepositoryProblem::Kind kind) {
  switch (kind) {
    case Kind::damaged:
      return "damaged";
    case Kind::missing_content:
      return "missing content";
    case Kind::leaked_claim:
      return "leaked claim";
    case Kind::unreadable:
      break;
  }
  return "unreadable";
}

RepositoryTotals check_repositories(Repositories& repositories,
                                    const std::function<void(const RepositoryProblem&)>& report) {
  return Checker(repositories, report).run();
}

}  // namespace weir::tools
