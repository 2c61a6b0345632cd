#include "repositories/flowfile/recovery.h"

namespace weir::flowfile {

RepositoryImage read_repository_image(storage::FileSystem& files, const storage::Path& directory,
                                      content::ContentRepository& contents) {
  const Layout layout(directory);
  if (!files.status(layout.version())) {
    throw storage::RefusedError(directory.string() + " holds no FlowFile repository.");
  }
  if (files.read_small(layout.version()) != format::kVersionText) {
    throw storage::RefusedError(directory.string() +
                                " holds a FlowFile repository of another version.");
  }
  // A running engine replaces its snapshot and removes segments and swap files meanwhile: what
  // was read is good when nothing of that happened, and is read again otherwise.
  constexpr int kAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    try {
      const auto before = files.status(layout.snapshot());
      RecoveryResult result = recover_directory(files, layout, contents, RecoveryMode::read_only);
      const auto after = files.status(layout.snapshot());
      const bool same = before.has_value() == after.has_value() &&
                        (!before || (before->modified_ns == after->modified_ns &&
                                     before->size_bytes == after->size_bytes));
      if (same || attempt == kAttempts) {
        return {.state = std::move(result.state),
                .last_sequence = result.last_sequence,
                .last_event_id = result.counters.next_event_id - 1,
                .durable_mark = result.durable_sequence};
      }
    } catch (const storage::StorageError&) {
      if (attempt == kAttempts) throw;
    }
  }
}

}  // namespace weir::flowfile
