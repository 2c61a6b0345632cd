#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "repositories/content/claim.h"
#include "repositories/content/content_repository.h"
#include "repositories/content/layout.h"

namespace weir::content {

// One configured directory.
struct Container {
  Container(std::string its_name, storage::Path its_directory)
      : name(std::move(its_name)), directory(std::move(its_directory)) {}

  const std::string name;
  const storage::Path directory;
  std::unique_ptr<storage::FileLock> lock;

  // A container that had no room for a claim is passed over until then.
  std::atomic<std::int64_t> full_until_ms{0};
  std::atomic<std::uint64_t> archived_bytes{0};

  // Which section folders this run knows to exist, and to survive the loss of power.
  std::mutex sections_mutex;  // taken to create a folder, not to look
  std::array<std::atomic<bool>, kSections> section_exists{};
  std::array<std::atomic<bool>, kSections> section_durable{};
  std::array<std::atomic<bool>, kSections> archive_exists{};
};

// A resource claim with what the repository knows of its file. Owned by the ClaimTable.
struct FileClaim final : ResourceClaim {
  FileClaim(ClaimOwner& owner, Container* its_place, std::string container_name,
            std::uint32_t its_section, std::uint64_t its_identifier)
      : ResourceClaim(owner, std::move(container_name), its_section, its_identifier),
        place(its_place) {}

  storage::Path path() const { return live_path(place->directory, section, identifier); }

  bool dirty() const { return appends != synced_appends; }

  // Null where the container is not configured (any more): reading fails, nothing else does.
  Container* const place;

  // Bytes in the file, as far as this run wrote them or looked.
  std::atomic<std::uint64_t> size_bytes{0};
  std::atomic<std::uint32_t> readers{0};  // open ContentReaders: their ranges are not given back

  // Touched only by the writer that has the claim in use.
  std::unique_ptr<storage::WritableFile> file;

  // Guarded by the owner's claims mutex.
  std::uint32_t open_writers = 0;  // sessions that may hold uncommitted content in it
  bool in_use = false;             // a writer appends to it now
  bool closed = true;              // nobody appends to it again
  bool has_file = false;           // the file was created, or may have been by an earlier run
  bool name_durable = false;       // the folder was synced after the file was created
  std::uint64_t appends = 0;
  std::uint64_t synced_appends = 0;  // as many of them are durable, and the name
  bool dirty_listed = false;
  std::uint64_t dirty_round = 0;  // of the sync_all that must sync it
  bool syncing = false;           // sync_all works on the file: it must not be removed meanwhile
  bool sync_failed = false;       // never sync it again: nobody knows what the kernel still holds
  bool zero_listed = false;
  bool remembered = false;  // had no handles at begin_checkpoint, and none since
  bool doomed = false;      // its file is being removed or archived just now
  bool large_listed = false;
  bool never_sparse = false;           // a replay may hold ranges that no snapshot knows of
  std::uint32_t handles_at_visit = 0;  // when holes were last punched; 0: never
};

}  // namespace weir::content
