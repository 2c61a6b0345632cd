#pragma once

#include <condition_variable>
#include <deque>
#include <limits>
#include <thread>

#include "repositories/content/archive.h"
#include "repositories/content/claim_reader.h"
#include "repositories/content/claim_table.h"
#include "repositories/content/content_repository.h"
#include "repositories/content/file_claim.h"
#include "repositories/content/identifiers.h"
#include "repositories/content/open_files.h"

namespace weir::content {

// Contents gathered by one writer before they are written; larger ones stream through.
inline constexpr std::size_t kWriteBufferBytes = 256 * 1024;

// The content repository on disk. What it keeps true:
//   - a file is removed or archived only by `finish_checkpoint` (and by the scan after a
//     recovery, for files of earlier runs): its claim had no handles, no writer and no sync at
//     work from `begin_checkpoint` on without interruption;
//   - a claim has one writer at a time, and only that writer touches its WritableFile;
//   - no I/O happens under the claims mutex, but for the removal of single files that must
//     exclude `resolve`, and for moving the mark of identifiers when it was not moved in time;
//   - file descriptors: those of writable claims (bounded), and of OpenFiles.
class FileSystemContentRepository final : public ContentRepository, public ClaimOwner {
 public:
  FileSystemContentRepository(storage::FileSystem& files, ContentRepositoryConfig config,
                              std::function<std::int64_t()> now_ms,
                              storage::FindingReporter& reporter);
  // All handles, readers and writers are gone by then.
  ~FileSystemContentRepository() override;

  std::unique_ptr<ContentWriter> writer() override;
  std::unique_ptr<ContentReader> read(const ContentClaim& claim) override;
  std::unique_ptr<ContentReader> read_location(const ClaimLocation& location) override;
  ContentClaim resolve(const ClaimLocation& location) override;
  void recovered(bool unreadable_records) override;
  void sync_all() override;
  void begin_checkpoint() override;
  std::vector<ResourceClaimPtr> sparse_candidates() override;
  void finish_checkpoint(const LiveRanges& live) override;
  bool has_room() override;
  std::vector<ContainerStatus> status() override;

  // Returns when the scan that `recovered` or a checkpoint started is done.
  void wait_for_scan();

  // For the writer.
  FileClaim& acquire();
  // The writer appends no more to it; `closed`: nobody may.
  void give_back(FileClaim& claim, bool closed);
  // The contents written to these claims are committed or given up.
  void writer_ends(const std::vector<FileClaim*>& claims);
  void open_for_append(FileClaim& claim);
  void appended(FileClaim& claim);
  void append_failed(FileClaim& claim, const storage::IoError& error);
  // Makes data and names durable. The caller keeps the claims from being removed.
  void sync_claims(const std::vector<FileClaim*>& claims);
  std::uint64_t max_appendable_bytes() const { return config_.max_appendable_bytes; }
  std::unique_ptr<std::byte[]> take_buffer();
  void give_buffer(std::unique_ptr<std::byte[]> buffer);

 private:
  void open_container(const std::string& name, const storage::Path& directory);
  void start_identifiers();
  void move_identifier_mark(std::int64_t to_ms);
  void move_identifier_mark_if_near();
  Container* container_named(std::string_view name) const;
  Container& next_container(std::int64_t now_ms);
  void ensure_section(Container& container, std::uint32_t section);

  void unreferenced(ResourceClaim& claim) noexcept override;
  void list_zero(FileClaim& claim);
  void list_large(FileClaim& claim);

  void list_dirty(FileClaim& claim);
  std::vector<FileClaim*> next_to_sync(std::uint64_t round);
  std::uint64_t sync_file(FileClaim& claim);
  void sync_names(const std::vector<FileClaim*>& claims);

  void choose_removable();
  void choose_sparse();
  void remove_remembered();
  std::vector<FileClaim*> next_doomed();
  void dispose_of(FileClaim& claim);
  // Moves the file into the archive, or removes it. True where there was one.
  bool archive_or_remove(Container& container, std::uint32_t section, std::uint64_t identifier);
  bool remove_archived(Container& container, std::uint32_t section, std::uint64_t identifier);
  void punch_dead_ranges(const LiveRanges& live);
  void punch(FileClaim& claim, std::vector<std::pair<std::uint64_t, std::uint64_t>> live);

  bool given_back(const Container& container, const ClaimLocation& location);

  void start_scan(bool clean_up);
  void scan(bool clean_up);
  void scan_section(Container& container, std::uint32_t section);
  void scan_file(Container& container, std::uint32_t section, std::uint64_t identifier);

  storage::FileSystem& files_;
  const ContentRepositoryConfig config_;
  const std::function<std::int64_t()> now_ms_;
  storage::FindingReporter& reporter_;
  std::vector<std::unique_ptr<Container>> containers_;
  std::uint64_t first_identifier_ = 0;  // of this run

  OpenFiles open_files_;
  Archive archive_;

  // Guarded by ClaimOwner's claims_mutex_.
  ClaimTable table_;
  Identifiers identifiers_{0};
  std::int64_t identifier_mark_ms_ = 0;  // as in the marker files
  std::size_t next_container_ = 0;
  std::vector<FileClaim*> writable_;    // open for append, not in use
  std::deque<FileClaim*> dirty_;        // in the order of their rounds
  std::uint64_t sync_round_ = 1;        // rises with each sync_all
  std::vector<FileClaim*> zero_;        // fell to zero handles since they were looked at last
  std::vector<FileClaim*> remembered_;  // chosen by begin_checkpoint
  std::vector<FileClaim*> large_;       // closed, of a size worth punching holes into
  std::vector<std::pair<ResourceClaimPtr, std::uint32_t>> sparse_;  // and handles when chosen
  std::condition_variable disposed_;                                // of doomed claims
  std::uint64_t keep_before_ = 0;  // files below this identifier are not touched in this run
  bool recovering_ = true;

  std::mutex checkpoint_mutex_;  // one begin or finish at a time
  bool holes_supported_ = true;  // guarded by it
  std::mutex sync_mutex_;        // one sync_all at a time
  std::mutex punch_mutex_;       // excludes punching from looking for holes

  std::mutex buffers_mutex_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;

  std::mutex room_mutex_;
  std::int64_t room_known_until_ms_ = std::numeric_limits<std::int64_t>::min();
  bool room_ = true;

  std::mutex scan_mutex_;
  std::condition_variable scan_done_;
  bool scan_running_ = false;
  std::atomic<bool> stop_{false};
  std::thread scan_thread_;
};

}  // namespace weir::content
