#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/weirctl/repositories.h"

namespace weir::tools {

struct RepositoryProblem {
  enum class Kind {
    damaged,          // bytes that are not what was written
    missing_content,  // a FlowFile whose content is gone, too short or changed
    leaked_claim,     // a content file that no FlowFile refers to and that is not archived
    unreadable,       // a repository that cannot be read at all
  };
  Kind kind = Kind::damaged;
  storage::Finding finding;
};
std::string to_string(RepositoryProblem::Kind kind);

struct RepositoryTotals {
  std::uint64_t flow_files = 0;
  std::uint64_t queues = 0;
  std::uint64_t content_files = 0;
  std::uint64_t archived_files = 0;
  std::uint64_t waiting_files = 0;  // of a running engine: to go at its next checkpoint
  std::uint64_t problems = 0;
};

// Reads everything in the repositories and names all that is wrong.
RepositoryTotals check_repositories(Repositories& repositories,
                                    const std::function<void(const RepositoryProblem&)>& report);

}  // namespace weir::tools
