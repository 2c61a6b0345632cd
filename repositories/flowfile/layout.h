#pragma once

#include <string>

#include "repositories/storage/file_system.h"

namespace weir::flowfile {

// The names in a write-ahead repository's directory.
struct Layout {
  explicit Layout(storage::Path directory) : root(std::move(directory)) {}

  storage::Path root;
  storage::Path lock() const { return root / "lock"; }
  storage::Path version() const { return root / "version"; }
  storage::Path snapshot() const { return root / "snapshot"; }
  storage::Path partial(std::uint64_t position) const;
  storage::Path journal() const { return root / "journal"; }
  storage::Path swap() const { return root / "swap"; }
  storage::Path swap(const std::string& name) const { return swap() / name; }
  storage::Path damaged() const { return root / "damaged"; }
};

inline constexpr char kPartialSuffix[] = ".partial";
inline constexpr char kRepairSuffix[] = ".repair";
inline constexpr char kSwapSuffix[] = ".swap";

// Moves a file to `damaged/` under a name not taken yet; returns where it is now.
storage::Path set_aside(storage::FileSystem& files, const Layout& layout,
                        const storage::Path& path);

// Writes the first `bytes` of `from` to a new file and syncs it.
void copy_prefix(storage::FileSystem& files, const storage::Path& from, std::uint64_t bytes,
                 const storage::Path& to);

}  // namespace weir::flowfile
