#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repositories/flowfile/flow_file_repository.h"
#include "repositories/flowfile/format.h"
#include "repositories/storage/codec.h"

namespace weir::flowfile {

// The payloads of journal, snapshot and swap records (README.md, "Records"). Views point into
// whatever was decoded from or encoded.

struct PlainClaim {
  std::string_view container;  // empty: no content
  std::uint32_t section = 0;
  std::uint64_t identifier = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
  bool has_checksum = false;

  bool same_resource(const PlainClaim& other) const {
    return identifier == other.identifier && section == other.section &&
           container == other.container;
  }
};

// A FlowFile as it stands on disk: the attributes still encoded.
struct PlainFlowFile {
  std::uint64_t id = 0;
  Uuid uuid;
  std::int64_t entry_ms = 0;
  std::int64_t lineage_start_ms = 0;
  std::int64_t penalty_until_ms = 0;
  PlainClaim claim;
  storage::Bytes attributes;
  std::uint64_t order = 0;
};

struct PlainUpdate {
  FlowFileUpdate::Kind kind = FlowFileUpdate::Kind::create;
  bool has_attributes = false;
  bool has_content = false;
  std::uint32_t connection = 0;  // index into the record's table
  PlainFlowFile file;
};

PlainClaim plain_claim(const content::ContentClaim& claim);

// What the previous update of the same record was: neighbours are alike, so little is written.
struct UpdateContext {
  std::uint64_t id = 0;
  Uuid uuid;
  std::int64_t entry_ms = 0;
  std::uint32_t connection = 0;
  PlainClaim claim;
  std::uint64_t order = 0;
  std::vector<std::byte> attributes;
};

void encode_update(const PlainUpdate& update, UpdateContext& context, storage::Encoder& out);
// The attributes of the result lie in the context: good until its next use.
PlainUpdate decode_update(UpdateContext& context, storage::Decoder& in);

// The full state of `record` to encode; its attributes are encoded into `scratch`.
PlainFlowFile plain_flow_file(const FlowFileRecord& record, std::vector<std::byte>& scratch);

// Connection identifiers: 16 bytes where they are a uuid in its usual form.
void encode_connection(std::string_view connection, storage::Encoder& out);
// The encoded form, to be compared and kept; `connection_text` makes it readable.
storage::Bytes decode_connection(storage::Decoder& in);
std::string connection_text(storage::Bytes encoded);

// --- journal records ---

// Appends a commit's payload to `out`, with a first event id of zero.
void encode_commit(const Commit& commit, std::vector<std::byte>& out);
// Sets the first event id of a commit's payload.
void patch_first_event_id(std::span<std::byte> payload, std::uint64_t first_event_id);

class CommitDecoder {
 public:
  // `in` stands behind the kind byte.
  explicit CommitDecoder(storage::Decoder in);

  std::uint64_t first_event_id() const { return first_event_id_; }
  std::uint32_t event_count() const { return event_count_; }
  const std::vector<storage::Bytes>& connections() const { return connections_; }
  // False after the last one.
  bool next(PlainUpdate& update);
  // After the last update.
  storage::Bytes events();

 private:
  storage::Decoder in_;
  std::uint64_t first_event_id_ = 0;
  std::uint32_t event_count_ = 0;
  std::vector<storage::Bytes> connections_;
  std::uint64_t updates_left_ = 0;
  UpdateContext context_;
};

// Gives `sink` the events of a journal record, where it is a commit that has any.
void take_events(std::uint64_t sequence, storage::Bytes payload, EventSink& sink);

struct OpenRecord {
  std::string boot_id;
  bool always_sync = false;
  std::uint64_t next_order = 1;
  std::uint64_t next_id = 1;
  std::uint64_t next_event_id = 1;
};
void encode_open(const OpenRecord& record, std::vector<std::byte>& out);
OpenRecord decode_open(storage::Decoder in);

void encode_mark(std::uint64_t durable_sequence, std::vector<std::byte>& out);
std::uint64_t decode_mark(storage::Decoder in);

// A swap file's summary: all that must be known of it without opening it.
struct SwapSummary {
  std::string connection;
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t first_order = 0;
  bool lost = false;                           // could not be read; its content is kept
  std::vector<content::ClaimLocation> claims;  // offset and length are 0
};
void encode_summary(const SwapSummary& summary, storage::Encoder& out);
SwapSummary decode_summary(storage::Decoder& in);

// swap_out: the summary and the ids of the FlowFiles.
void encode_swap_out(const SwapSummary& summary, std::span<const FlowFilePtr> flow_files,
                     std::vector<std::byte>& out);
// swap_in and swap_lost: the name.
void encode_swap_name(format::RecordKind kind, const std::string& name,
                      std::vector<std::byte>& out);

}  // namespace weir::flowfile
