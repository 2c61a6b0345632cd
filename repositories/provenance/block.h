#pragma once

#include <memory>

#include "repositories/provenance/key_filter.h"
#include "repositories/provenance/selection.h"
#include "repositories/storage/codec.h"

struct ZSTD_CCtx_s;

namespace weir::provenance {

// A block: batches of consecutive events, compressed together, behind a summary and a filter that
// tell which questions need not open it. README.md of this room describes the bytes.

// Names an event file: by its first event's id and, where a file of that id had to be given up, by
// how many were.
struct EventFileName {
  std::uint64_t first_event_id = 0;
  std::uint32_t generation = 0;

  auto operator<=>(const EventFileName&) const = default;
};

struct BlockSummary {
  std::uint64_t first_event_id = 0;
  std::uint32_t count = 0;
  std::uint64_t last_sequence = 0;
  std::int64_t from_ms = 0;
  std::int64_t to_ms = 0;
  std::uint32_t types = 0;  // bit n: there is an event of type n
  flowfile::Uuid least;     // of FlowFiles, parents and children
  flowfile::Uuid greatest;
  bool many_components = false;                                 // more than are listed
  std::vector<std::pair<std::string, std::string>> components;  // identifier and name
  std::vector<std::uint64_t> attributes;  // keys of the names whose values are filtered
  std::uint64_t durable_before = 0;       // the file was durable up to here when this was written
  std::uint32_t filter_bytes = 0;
  std::uint64_t filter_checksum = 0;
  std::uint32_t data_bytes = 0;
  std::uint64_t data_checksum = 0;
  std::uint32_t raw_bytes = 0;

  std::uint64_t last_event_id() const { return first_event_id + count - 1; }
  // Without the filter.
  bool may_match(const Selection& selection) const;
  void encode(storage::Encoder& out) const;
  static BlockSummary decode(storage::Decoder& in);  // throws storage::DecodeError
};

bool filter_may_match(const BlockSummary& summary, std::span<const std::byte> filter,
                      const Selection& selection);

// A block with its place in an event file.
struct BlockEntry {
  BlockSummary summary;
  EventFileName file;
  std::uint64_t offset = 0;  // of the record's payload
  std::uint32_t summary_bytes = 0;

  std::uint64_t filter_offset() const;
  std::uint64_t data_offset() const { return filter_offset() + summary.filter_bytes; }
  std::uint64_t end_offset() const { return data_offset() + summary.data_bytes; }
};

struct Batch {
  std::uint64_t sequence = 0;
  std::uint64_t first_event_id = 0;
  std::uint32_t count = 0;
  std::vector<std::byte> bytes;

  BatchView view() const { return {first_event_id, count, bytes}; }
};
using BatchPtr = std::shared_ptr<const Batch>;

// A block in memory: written or not, not yet found through the index.
struct Block {
  BlockSummary summary;
  std::vector<std::byte> filter;
  std::vector<std::byte> data;
};
using BlockPtr = std::shared_ptr<const Block>;

inline constexpr std::uint32_t kBlockMagic = 0x31425057;  // "WPB1"
inline constexpr std::size_t kBlockPrefixBytes = 16;      // magic, summary's length, checksum
inline constexpr std::uint32_t kMaximumSummaryBytes = 1u << 16;
inline constexpr std::uint32_t kMaximumBlockBytes = 1u << 30;

// The payload of the block's record. `durable_before` is a fact about the file written to.
std::vector<std::byte> block_payload(const Block& block, const EventFileName& file,
                                     std::uint64_t durable_before, std::uint32_t& summary_bytes);
// The summary at the front of `bytes`, which begin at `offset` of the file; nullopt where there
// is none. `bytes` may end early: then `needed` says how many there have to be.
std::optional<BlockEntry> parse_block(std::span<const std::byte> bytes, const EventFileName& file,
                                      std::uint64_t offset, std::size_t& needed);

// Throws storage::DecodeError where the bytes are not what was written.
std::vector<std::byte> decompress_block(const BlockSummary& summary,
                                        std::span<const std::byte> data);
// Visits the batches of a decompressed block in order. Throws storage::DecodeError.
void for_each_batch(const BlockSummary& summary, std::span<const std::byte> raw,
                    const std::function<void(const BatchView&)>& visit);

// Gathers batches and makes a block of them. One thread at a time.
class BlockBuilder {
 public:
  explicit BlockBuilder(std::vector<std::string> indexed_attributes);
  ~BlockBuilder();

  // Batches of consecutive events. A batch that cannot be read (its journal record was whole,
  // so this is a defect) is kept as it is, and questions always look into the block; false then.
  bool add(const Batch& batch);
  std::size_t raw_bytes() const { return raw_.size(); }
  BlockPtr finish();  // needs at least one batch; the builder is empty afterwards

 private:
  void add_component(ComponentRef component);
  void add_uuid(const flowfile::Uuid& uuid);
  void add_attributes(const Batch& batch);

  const std::vector<std::string> indexed_attributes_;
  ZSTD_CCtx_s* const compressor_;
  std::vector<std::byte> raw_;
  BlockSummary summary_;
  KeyFilterBuilder keys_;
  flowfile::Uuid last_uuid_;
  ComponentRef last_component_;
  bool opaque_ = false;
};

}  // namespace weir::provenance
