#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <random>

#include "repositories/flowfile/flow_file_repository.h"
#include "repositories/flowfile/format.h"
#include "repositories/storage/record_log.h"

namespace weir::flowfile {

// One file of the journal, named by the sequence number of its first record.
struct Segment {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // 0: not known
  storage::Path path;
  std::uint64_t bytes = 0;
  // Of the last record with events; where that is not known, of the last record.
  std::uint64_t last_with_events = 0;
  // Syncs the file from another thread than the one that appends; null once all is durable.
  std::shared_ptr<storage::WritableFile> unsynced;
};

std::string segment_name(std::uint64_t first);
// Twenty digits and `suffix`; nullopt for any other name.
std::optional<std::uint64_t> parse_position(std::string_view name, std::string_view suffix);
// The segments of a journal folder by rising sequence. Other names go to `other`.
std::vector<Segment> list_segments(storage::FileSystem& files, const storage::Path& directory,
                                   const std::function<void(const std::string& name)>& other);

// Where a walk through the journal ended.
struct JournalEnd {
  std::uint64_t last_sequence = 0;
  std::uint64_t records = 0;  // visited
  // Set where records could not be used: damage, a hole, or the visitor's cut. `offset` is the
  // length of the good part of segments[segment]; later segments are not used either.
  bool cut = false;
  std::size_t segment = 0;
  std::uint64_t offset = 0;
  storage::Finding finding;
  // The journal ends with an unfinished record, as after a crash: `finding` tells where.
  bool torn = false;
};

// Visits the records from `first` on, in order, across segments. Records of a segment that the
// next one repeats are void: they belong to commits that failed. Stops before the first record
// that is damaged or missing, and before one for which `visit` returns false (with the reason
// in `why`). Throws IoError.
using RecordVisitor =
    std::function<bool(const storage::RecordView& record, std::size_t segment, std::string& why)>;
JournalEnd walk_journal(storage::FileSystem& files, const std::vector<Segment>& segments,
                        std::uint64_t first, const RecordVisitor& visit);

// The end of the journal that is written. Methods marked "writer" are for one thread at a time,
// the leader of the group commit; the others are for any thread.
class Journal {
 public:
  Journal(storage::FileSystem& files, storage::Path directory, std::uint64_t random_seed);

  // Before anything else: the segments of earlier runs.
  void adopt(std::vector<Segment> segments);

  // Writer: true where records need a new segment (none is open, or it has `limit` bytes).
  bool wants_segment(std::uint64_t limit) const;
  // Writer: seals the open segment, if any, and creates the next one.
  void open_segment(std::uint64_t first_sequence);
  // Writer: frames a record for the open segment.
  void frame(std::uint64_t sequence, storage::Bytes payload, std::vector<std::byte>& out) const;
  // Writer: appends frames. On IoError nothing of them is in the file.
  void append(storage::Bytes frames);
  // Writer: tells what the appended records were.
  void appended(std::uint64_t last_sequence, std::uint64_t last_with_events);
  // Writer: syncs the open segment. On IoError the frames appended last are cut off if possible.
  void sync_open(std::uint64_t good_size);
  // Writer: the next record opens a new segment.
  void seal();
  std::uint64_t open_size() const { return writer_ ? writer_->size() : 0; }

  // Makes durable all that was appended before the call.
  void sync_all();
  // The sealed segments.
  std::vector<Segment> sealed() const;
  // Removes sealed segments up to `position` whose events are all up to `durable_events`.
  void remove_finished(std::uint64_t position, std::uint64_t durable_events);

 private:
  void create(std::uint64_t first_sequence);
  void sync_earlier_names();

  storage::FileSystem& files_;
  const storage::Path directory_;

  // Of the writer.
  std::mt19937_64 random_;
  std::unique_ptr<storage::RecordLogWriter> writer_;
  std::unique_ptr<storage::RecordFramer> framer_;
  storage::Path leftover_;  // a segment that was not created whole and could not be removed

  mutable std::mutex mutex_;
  std::vector<Segment> segments_;  // the last one is open while `open_`
  bool open_ = false;
  std::uint64_t names_created_ = 0;
  std::uint64_t names_synced_ = 0;  // how many of them survive the loss of power
};

}  // namespace weir::flowfile
