#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "repositories/content/claim.h"
#include "repositories/storage/error.h"
#include "repositories/storage/file_system.h"

namespace weir::content {

// Content of a FlowFile that is gone or too short. Rolls the session back; names the claim.
class ContentMissingError : public storage::StorageError {
 public:
  ContentMissingError(const ClaimLocation& location, std::string_view reason);
};

// Reads one content, from any position. Keeps the bytes readable for as long as it lives. Not
// thread safe. Holds little memory whatever the content's size.
class ContentReader {
 public:
  virtual ~ContentReader() = default;
  virtual std::uint64_t size() const = 0;
  // Fills `out` from `offset` of the content; fewer bytes only at its end. Throws
  // ContentMissingError where the file ends before the content does, IoError.
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) = 0;
  // For the kernel's copy: the file and where the content starts in it; file is null where the
  // content is in memory.
  struct Source {
    const storage::ReadableFile* file = nullptr;
    std::uint64_t offset = 0;
  };
  virtual Source source() const = 0;
};

// Writes contents for one session. One thread at a time. Small contents are gathered in memory
// and written together by `flush`, one after the other into the same resource claim.
//
// Contents whose session does not commit are just never referred to: the claim's handles go
// away with the session and the bytes with the next checkpoint.
//
// It must live until all its contents are committed or given up, also those that moved to
// another session: no range of a file is given back while a writer of it lives, since no
// snapshot knows of uncommitted contents. And it must go soon after: it pins its claims.
//
// Errors: IoError, most often a full disk. Where only the content being written is concerned
// (a large one, or a source that cannot be read), `abandon` it and go on. Where finished
// contents were lost, every later call but `abandon` throws: the session must roll back.
class ContentWriter {
 public:
  // Destroying it gives the resource claim back for other writers to append to.
  virtual ~ContentWriter() = default;

  // Between `begin` and `finish` or `abandon` one content is being written.
  virtual void begin() = 0;
  virtual void append(storage::Bytes data) = 0;
  // Appends a range of a file by the kernel's copy where possible. A content that was written
  // only so may have no checksum.
  virtual void append_from(const storage::ReadableFile& source, std::uint64_t offset,
                           std::uint64_t length) = 0;
  virtual std::uint64_t written() const = 0;  // bytes of the content being written
  virtual ContentClaim finish() = 0;          // no bytes written: the empty claim
  virtual void abandon() = 0;

  // After it returns every finished content is readable by others and survives the death of the
  // process. Called before a commit, and before a content of this session is read.
  virtual void flush() = 0;
  // flush, and survives the loss of power (nifi.flowfile.repository.always.sync).
  virtual void sync() = 0;
};

struct ContainerStatus {
  std::string name;
  storage::Path directory;
  std::uint64_t capacity_bytes = 0;
  std::uint64_t available_bytes = 0;
  std::uint64_t claims = 0;
  std::uint64_t archived_bytes = 0;
};

// Ranges of resource claims that FlowFiles hold, for hole punching: what a checkpoint collects
// from the FlowFiles of its snapshot for the claims that `sparse_candidates` named.
using LiveRanges =
    std::map<const ResourceClaim*, std::vector<std::pair<std::uint64_t, std::uint64_t>>>;

// Holds the bytes of FlowFiles. Bytes once written never change or move. Thread safe.
//
// Clean-up follows the FlowFile repository's checkpoints, so that a recovery never misses a
// byte. One checkpoint is, in this order:
//   1. `begin_checkpoint()` before the journal is cut off for the snapshot: remembers which
//      resource claims are without handles now, and which large ones look mostly dead;
//   2. the snapshot is written and made durable, the journal before it is dropped;
//   3. `finish_checkpoint(ranges)`: what was remembered in 1 is removed or archived, and dead
//      ranges of the candidates are given back to the file system.
class ContentRepository {
 public:
  virtual ~ContentRepository() = default;

  virtual std::unique_ptr<ContentWriter> writer() = 0;
  // Throws ContentMissingError where the file is gone or shorter than the claim.
  virtual std::unique_ptr<ContentReader> read(const ContentClaim& claim) = 0;
  // For provenance: content at a location nobody may hold any more. Null where it is gone (also
  // where its range was given back); looks into the archive as well. To replay, hold the reader
  // until `resolve` has made the handle: the bytes then stay.
  virtual std::unique_ptr<ContentReader> read_location(const ClaimLocation& location) = 0;

  // Recovery. `resolve` makes handles for the locations that recovered records name, without
  // touching the disk; `recovered` then starts the removal of files that nobody refers to. The
  // removal runs off the caller's thread and never delays a start (millions of archived files).
  // With `unreadable_records` no file of an earlier run is removed in this run: a record that
  // could not be read may refer to it. The reporter is called from that thread as well.
  virtual ContentClaim resolve(const ClaimLocation& location) = 0;
  virtual void recovered(bool unreadable_records) = 0;

  // Makes durable all content flushed before the call. The engine's flusher calls it every
  // second or so, before it syncs the journal.
  virtual void sync_all() = 0;

  virtual void begin_checkpoint() = 0;
  // Resource claims whose files are large and mostly dead, chosen by the last
  // `begin_checkpoint`; no session writes to them any more and all content in them is committed.
  virtual std::vector<ResourceClaimPtr> sparse_candidates() = 0;
  virtual void finish_checkpoint(const LiveRanges& live) = 0;

  // False while any container is below its free-space reserve or full: sources then wait.
  virtual bool has_room() = 0;
  virtual std::vector<ContainerStatus> status() = 0;
};

struct ContentRepositoryConfig {
  // nifi.content.repository.directory.<name>: name -> folder, at least one.
  std::map<std::string, storage::Path> containers;
  std::uint64_t max_appendable_bytes = 50 * 1024;  // nifi.content.claim.max.appendable.size
  bool archive_enabled = true;                     // nifi.content.repository.archive.enabled
  std::chrono::milliseconds archive_max_age = std::chrono::hours(24 * 7);
  double archive_max_usage = 0.5;  // share of the container's disk, archived and live
  bool always_sync = false;
};

// Creates folders as needed; refuses (RefusedError) directories that are in use, not writable,
// or of another version. `now_ms` gives the wall clock, for archive ages and identifiers.
std::unique_ptr<ContentRepository> open_file_system_content_repository(
    storage::FileSystem& files, ContentRepositoryConfig config,
    std::function<std::int64_t()> now_ms, storage::FindingReporter& reporter);

// Content in memory only (org.apache.nifi.controller.repository.VolatileContentRepository):
// gone when the process ends. Writes past `max_bytes` fail as a full disk does.
std::unique_ptr<ContentRepository> open_volatile_content_repository(std::uint64_t max_bytes);

// Opens the directories of a stopped or running engine for reading only: takes no lock, creates,
// removes and changes nothing. Only `resolve`, `read`, `read_location` and `status` work.
std::unique_ptr<ContentRepository> open_content_repository_read_only(
    storage::FileSystem& files, std::map<std::string, storage::Path> containers);

// For `weirctl repo check`: every content file with its size.
struct ContentFile {
  ClaimLocation location;  // offset 0, length = size of the file
  bool archived = false;
};
void list_content_files(storage::FileSystem& files,
                        const std::map<std::string, storage::Path>& containers,
                        const std::function<void(const ContentFile&)>& visit);

}  // namespace weir::content
