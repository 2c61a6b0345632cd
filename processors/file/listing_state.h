#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "processors/file/directory_walk.h"

namespace weir::processors {

// What ListFile remembers between listings, and the choice of new files behind it. Values, no
// I/O. The state carries the settings it was made with: a restart finds the same and goes on,
// other settings start anew.
class ListingState {
 public:
  using Map = std::map<std::string, std::string>;

  virtual ~ListingState() = default;
  // The files of one walk that are to be listed. `start_ms` is when the walk began, `complete`
  // whether all of the folder could be read.
  virtual std::vector<WalkedFile> choose(std::vector<WalkedFile> files, std::int64_t start_ms,
                                         bool complete) = 0;
  virtual Map to_map() const = 0;

  static std::string key_of(const WalkedFile& file) {
    return file.folder.empty() ? file.name : file.folder + "/" + file.name;
  }
};

// Tracking Timestamps: the newest time of modification listed, and the files at it. A file that
// was modified while the walk ran waits for the next one, as others of that time may have been
// missed in folders already read.
class TimestampState : public ListingState {
 public:
  // `precision_ms` 0: found out from the files.
  TimestampState(const Map& stored, std::int64_t precision_ms);
  std::vector<WalkedFile> choose(std::vector<WalkedFile> files, std::int64_t start_ms,
                                 bool complete) override;
  Map to_map() const override;

 private:
  std::int64_t precision_ms_;
  std::int64_t newest_ms_ = INT64_MIN;
  std::map<std::string, std::int64_t> listed_;  // at or after `newest_ms_`
};

// Tracking Entities: each file with its time and size. Also finds files that came with old times.
class EntityState : public ListingState {
 public:
  EntityState(const Map& stored, std::int64_t window_ms, bool initially_all);
  std::vector<WalkedFile> choose(std::vector<WalkedFile> files, std::int64_t start_ms,
                                 bool complete) override;
  Map to_map() const override;

 private:
  std::int64_t window_ms_;
  bool initially_all_;
  bool is_first_;
  std::map<std::string, std::string> known_;  // path -> "time:size"
};

}  // namespace weir::processors
