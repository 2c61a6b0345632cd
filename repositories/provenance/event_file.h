#pragma once

#include <map>

#include "repositories/provenance/block.h"
#include "repositories/storage/record_log.h"

namespace weir::provenance {

inline constexpr std::array<char, 8> kEventFileFormat{'w', 'e', 'i', 'r', 'p', 'r', 'o', 'v'};
inline constexpr std::uint32_t kEventFileVersion = 1;
inline constexpr const char* kEventsFolder = "events";

std::string to_string(const EventFileName& name);
std::optional<EventFileName> parse_event_file_name(std::string_view text);

struct EventFile {
  storage::Path path;
  std::uint64_t size_bytes = 0;
};
using EventFiles = std::map<EventFileName, EventFile>;

// The event files of all directories, oldest first. Directories that are absent hold none.
EventFiles list_event_files(storage::FileSystem& files,
                            const std::map<std::string, storage::Path>& directories);
// Blocks of `file` with events from this id on are void: they were written anew behind it.
std::uint64_t valid_before(const EventFiles& files, const EventFileName& file);

// Goes from block to block of one file and reads the summaries only. Where bytes are no block it
// looks for the next one behind them.
class BlockScanner {
 public:
  BlockScanner(storage::FileSystem& files, const storage::Path& path, const EventFileName& name,
               std::uint64_t from = storage::kRecordLogHeaderBytes);

  // The next block that lies in the file as a whole; nullopt at the end.
  std::optional<BlockEntry> next();
  // Where the block of the last `next` was expected; before its frame if nothing was skipped.
  std::uint64_t expected_at() const { return expected_at_; }
  std::uint64_t frame_offset(const BlockEntry& entry) const {
    return entry.offset - storage::kRecordFrameBytes;
  }
  // After the last block: what is behind it.
  enum class End {
    whole,       // nothing
    cut_short,   // the beginning of a block that was never finished
    unreadable,  // bytes that are no such thing
  };
  End end() const;
  const storage::ReadableFile& file() const { return *file_; }
  std::uint64_t file_size() const { return size_; }

 private:
  std::optional<BlockEntry> block_at(std::uint64_t payload_offset);
  std::optional<BlockEntry> search(std::uint64_t from);

  const EventFileName name_;
  std::unique_ptr<storage::ReadableFile> file_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;  // where the next frame should start
  std::uint64_t expected_at_ = 0;
  std::vector<std::byte> buffer_;
};

std::vector<std::byte> read_range(const storage::ReadableFile& file, std::uint64_t offset,
                                  std::size_t size);
// Throws storage::DecodeError where the bytes are not what was written.
std::vector<std::byte> read_filter(const storage::ReadableFile& file, const BlockEntry& entry);
std::vector<std::byte> read_block(const storage::ReadableFile& file, const BlockEntry& entry);

// Bytes of an event file that hold no readable block, between blocks that do.
struct BadRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// What the end of the newest file tells after a crash: which blocks of it count.
struct TailScan {
  std::vector<BlockEntry> blocks;  // all readable ones, without those from `cut_at` on
  std::uint64_t cut_at = 0;        // the good length; behind it nothing was ever durable
  std::vector<BadRange> bad;       // before `cut_at`: damage
  bool unreadable = false;         // behind `cut_at` is more than a block cut short
};
// Blocks that were durable when a later block was written count whatever lies between; of the
// others, those before the first that is not whole, data included.
TailScan scan_tail(storage::FileSystem& files, const storage::Path& path,
                   const EventFileName& name);

}  // namespace weir::provenance
