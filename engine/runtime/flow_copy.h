#pragma once

#include <string_view>

#include "engine/api/environment.h"
#include "repositories/storage/file_system.h"

namespace weir::runtime {

// Keeps the flow that runs on disk (nifi.flow.configuration.file), for weirctl and for people. A
// crash at any moment leaves the old or the new flow; never an empty or half one. Where there is
// an archive folder, each former flow is kept there as `<UTC time>_<file name>`, the newest
// `kept`. One thread at a time.
class FlowCopy {
 public:
  FlowCopy(storage::FileSystem& files, Clock& clock, storage::Path file,
           storage::Path archive_directory);  // empty: no archive

  // Writes nothing where `text` is what the file holds. Throws IoError: the file is as before.
  void save(std::string_view text);

  static constexpr std::size_t kept = 100;

 private:
  void archive(std::string_view former);

  storage::FileSystem& files_;
  Clock& clock_;
  const storage::Path file_;
  const storage::Path archive_directory_;
};

}  // namespace weir::runtime
