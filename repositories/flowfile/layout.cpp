#include "repositories/flowfile/layout.h"

#include <vector>

#include "repositories/flowfile/journal.h"

namespace weir::flowfile {

storage::Path Layout::partial(std::uint64_t position) const {
  return root / (segment_name(position) + kPartialSuffix);
}

storage::Path set_aside(storage::FileSystem& files, const Layout& layout,
                        const storage::Path& path) {
  files.create_directories(layout.damaged());
  storage::Path to = layout.damaged() / path.filename();
  for (int i = 1; files.status(to); ++i) {
    to = layout.damaged() / (path.filename().string() + "." + std::to_string(i));
  }
  files.rename(path, to);
  files.sync_directory(layout.damaged());
  files.sync_directory(path.parent_path());
  return to;
}

void copy_prefix(storage::FileSystem& files, const storage::Path& from, std::uint64_t bytes,
                 const storage::Path& to) {
  const auto in = files.open_read(from);
  const auto out = files.open_append(to, storage::FileSystem::Create::truncate);
  std::vector<std::byte> piece(256 * 1024);
  for (std::uint64_t done = 0; done < bytes;) {
    const auto wanted = std::min<std::uint64_t>(piece.size(), bytes - done);
    const std::size_t got = in->read_at(done, std::span(piece).first(wanted));
    if (got == 0) throw storage::DamagedError(from, done, "the file ends while it is copied");
    out->append(std::span(piece).first(got));
    done += got;
  }
  out->sync();
}

}  // namespace weir::flowfile
