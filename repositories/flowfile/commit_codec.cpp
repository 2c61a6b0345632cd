#include "repositories/flowfile/commit_codec.h"

#include <cstring>

namespace weir::flowfile {
namespace {

// Head byte of an update.
constexpr std::uint8_t kKindMask = 0x03;
constexpr std::uint8_t kAttributes = 0x04;
constexpr std::uint8_t kContent = 0x08;
constexpr std::uint8_t kPenalty = 0x10;
constexpr std::uint8_t kSameConnection = 0x20;
constexpr std::uint8_t kNextId = 0x40;
constexpr std::uint8_t kNearUuid = 0x80;

// Flags of a claim.
constexpr std::uint8_t kHasContent = 0x01;
constexpr std::uint8_t kSameResource = 0x02;
constexpr std::uint8_t kFollows = 0x04;
constexpr std::uint8_t kChecksum = 0x08;
constexpr std::uint8_t kSameContainer = 0x10;

// Differences wrap around: any value can follow any other.
std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}
std::uint64_t sum(std::uint64_t a, std::int64_t b) {
  return a + static_cast<std::uint64_t>(b);
}
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return difference(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(sum(static_cast<std::uint64_t>(a), b));
}

void encode_claim(const PlainClaim& claim, PlainClaim& previous, storage::Encoder& out) {
  if (claim.container.empty()) {
    out.u8(0);
    return;
  }
  std::uint8_t flags = kHasContent;
  if (claim.container == previous.container) flags |= kSameContainer;
  if (claim.same_resource(previous)) flags |= kSameResource;
  if (claim.offset == previous.offset + previous.length) flags |= kFollows;
  if (claim.has_checksum) flags |= kChecksum;
  out.u8(flags);
  if (!(flags & kSameContainer)) out.string(claim.container);
  if (!(flags & kSameResource)) {
    out.varint(claim.section);
    out.varint(claim.identifier);
  }
  if (!(flags & kFollows)) out.varint(claim.offset);
  out.varint(claim.length);
  if (claim.has_checksum) out.u64(claim.checksum);
  previous = claim;
}

PlainClaim decode_claim(PlainClaim& previous, storage::Decoder& in) {
  const std::uint8_t flags = in.u8();
  if (flags == 0) return {};
  if (!(flags & kHasContent) || flags > 0x1F) throw storage::DecodeError("a claim has bad flags");
  PlainClaim claim;
  claim.container = flags & kSameContainer ? previous.container : in.string();
  if (claim.container.empty()) throw storage::DecodeError("a claim has no container");
  if (flags & kSameResource) {
    claim.section = previous.section;
    claim.identifier = previous.identifier;
  } else {
    const std::uint64_t section = in.varint();
    if (section > UINT32_MAX) throw storage::DecodeError("a section is out of range");
    claim.section = static_cast<std::uint32_t>(section);
    claim.identifier = in.varint();
  }
  claim.offset = flags & kFollows ? previous.offset + previous.length : in.varint();
  claim.length = in.varint();
  if (claim.length > UINT64_MAX - claim.offset) {
    throw storage::DecodeError("a claim's length is out of range");
  }
  claim.has_checksum = (flags & kChecksum) != 0;
  if (claim.has_checksum) claim.checksum = in.u64();
  previous = claim;
  return claim;
}

// The version and fixed bits of version 7 stay the same from one uuid to the next.
bool near(const Uuid& a, const Uuid& b) {
  return ((a.high ^ b.high) & 0xFFFF) == 0 && a.low - b.low + (1u << 20) < (1u << 21);
}

void encode_identity(const PlainFlowFile& file, UpdateContext& context, std::uint8_t head,
                     storage::Encoder& out) {
  if (head & kNearUuid) {
    out.signed_varint(difference(file.uuid.high >> 16, context.uuid.high >> 16));
    out.signed_varint(difference(file.uuid.low, context.uuid.low));
  } else {
    out.u64(file.uuid.high);
    out.u64(file.uuid.low);
  }
  out.signed_varint(difference(file.entry_ms, context.entry_ms));
  out.signed_varint(difference(file.entry_ms, file.lineage_start_ms));
  context.uuid = file.uuid;
  context.entry_ms = file.entry_ms;
}

void decode_identity(PlainFlowFile& file, UpdateContext& context, std::uint8_t head,
                     storage::Decoder& in) {
  if (head & kNearUuid) {
    const std::uint64_t front = sum(context.uuid.high >> 16, in.signed_varint());
    file.uuid.high = front << 16 | (context.uuid.high & 0xFFFF);
    file.uuid.low = sum(context.uuid.low, in.signed_varint());
  } else {
    file.uuid.high = in.u64();
    file.uuid.low = in.u64();
  }
  file.entry_ms = sum(context.entry_ms, in.signed_varint());
  // Entered as often as not together with the oldest ancestor: then the difference is zero.
  file.lineage_start_ms = difference(file.entry_ms, in.signed_varint());
  context.uuid = file.uuid;
  context.entry_ms = file.entry_ms;
}

// Neighbours (the pieces of a split) have most attributes in common: only what is behind the
// bytes that they share is written.
void encode_attributes(storage::Bytes attributes, std::vector<std::byte>& previous,
                       storage::Encoder& out) {
  const std::size_t shared = storage::common_prefix(attributes, previous);
  out.varint(shared);
  out.varint(attributes.size() - shared);
  out.raw(attributes.subspan(shared));
  previous.resize(shared);
  previous.insert(previous.end(), attributes.begin() + static_cast<std::ptrdiff_t>(shared),
                  attributes.end());
}

void decode_attributes(std::vector<std::byte>& previous, storage::Decoder& in) {
  const std::uint64_t shared = in.varint();
  if (shared > previous.size()) throw storage::DecodeError("attributes share more than there is");
  const storage::Bytes rest = in.raw(in.varint());
  previous.resize(shared);
  previous.insert(previous.end(), rest.begin(), rest.end());
}

}  // namespace

PlainClaim plain_claim(const content::ContentClaim& claim) {
  if (!claim) return {};
  const content::ResourceClaim& resource = *claim.resource();
  return {.container = resource.container,
          .section = resource.section,
          .identifier = resource.identifier,
          .offset = claim.offset(),
          .length = claim.length(),
          .checksum = claim.has_checksum() ? claim.checksum() : 0,
          .has_checksum = claim.has_checksum()};
}

void encode_update(const PlainUpdate& update, UpdateContext& context, storage::Encoder& out) {
  const PlainFlowFile& file = update.file;
  const bool drop = update.kind == FlowFileUpdate::Kind::drop;
  const bool create = update.kind == FlowFileUpdate::Kind::create;
  auto head = static_cast<std::uint8_t>(update.kind);
  if (file.id == context.id + 1) head |= kNextId;
  if (!drop) {
    if (update.has_attributes) head |= kAttributes;
    if (update.has_content) head |= kContent;
    if (file.penalty_until_ms != 0) head |= kPenalty;
    if (update.connection == context.connection) head |= kSameConnection;
    if (create && near(file.uuid, context.uuid)) head |= kNearUuid;
  }
  out.u8(head);
  if (!(head & kNextId)) out.signed_varint(difference(file.id, context.id));
  context.id = file.id;
  if (drop) return;
  if (!(head & kSameConnection)) out.varint(update.connection);
  context.connection = update.connection;
  if (create) encode_identity(file, context, head, out);
  if (head & kPenalty) out.signed_varint(file.penalty_until_ms);
  if (head & kContent) encode_claim(file.claim, context.claim, out);
  if (head & kAttributes) encode_attributes(file.attributes, context.attributes, out);
}

PlainUpdate decode_update(UpdateContext& context, storage::Decoder& in) {
  PlainUpdate update;
  PlainFlowFile& file = update.file;
  const std::uint8_t head = in.u8();
  if ((head & kKindMask) > 2) throw storage::DecodeError("an update is of unknown kind");
  update.kind = static_cast<FlowFileUpdate::Kind>(head & kKindMask);
  file.id = head & kNextId ? context.id + 1 : sum(context.id, in.signed_varint());
  context.id = file.id;
  if (update.kind == FlowFileUpdate::Kind::drop) return update;
  if (!(head & kSameConnection)) {
    const std::uint64_t connection = in.varint();
    if (connection > UINT32_MAX) throw storage::DecodeError("a connection is out of range");
    context.connection = static_cast<std::uint32_t>(connection);
  }
  update.connection = context.connection;
  update.has_attributes = (head & kAttributes) != 0;
  update.has_content = (head & kContent) != 0;
  if (update.kind == FlowFileUpdate::Kind::create) decode_identity(file, context, head, in);
  if (head & kPenalty) file.penalty_until_ms = in.signed_varint();
  if (head & kContent) file.claim = decode_claim(context.claim, in);
  if (head & kAttributes) {
    decode_attributes(context.attributes, in);
    file.attributes = context.attributes;
  }
  return update;
}

PlainFlowFile plain_flow_file(const FlowFileRecord& record, std::vector<std::byte>& scratch) {
  scratch.clear();
  storage::Encoder encoder(scratch);
  record.attributes->encode(record.uuid, encoder);
  return {.id = record.id,
          .uuid = record.uuid,
          .entry_ms = record.entry_ms,
          .lineage_start_ms = record.lineage_start_ms,
          .penalty_until_ms = record.penalty_until_ms,
          .claim = plain_claim(record.claim),
          .attributes = scratch,
          .order = record.arrival()};
}

void encode_connection(std::string_view connection, storage::Encoder& out) {
  const auto uuid = Uuid::parse(connection);
  if (uuid && uuid->to_string() == connection) {
    out.u8(0);
    out.u64(uuid->high);
    out.u64(uuid->low);
  } else {
    out.varint(connection.size() + 1);
    out.raw(std::as_bytes(std::span(connection)));
  }
}

storage::Bytes decode_connection(storage::Decoder& in) {
  storage::Decoder start = in;
  const std::size_t before = in.position();
  const std::uint64_t size = in.varint();
  in.raw(size == 0 ? 16 : size - 1);
  return start.raw(in.position() - before);
}

std::string connection_text(storage::Bytes encoded) {
  storage::Decoder in(encoded);
  const std::uint64_t size = in.varint();
  if (size == 0) {
    Uuid uuid;
    uuid.high = in.u64();
    uuid.low = in.u64();
    return uuid.to_string();
  }
  const auto raw = in.raw(size - 1);
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

void encode_commit(const Commit& commit, std::vector<std::byte>& out) {
  static thread_local std::vector<std::byte> attributes;
  storage::Encoder encoder(out);
  encoder.u8(static_cast<std::uint8_t>(format::RecordKind::commit));
  encoder.u64(0);
  encoder.varint(commit.event_count);
  encoder.varint(commit.connections.size());
  for (const std::string& connection : commit.connections) encode_connection(connection, encoder);
  encoder.varint(commit.updates.size());
  UpdateContext context;
  PlainUpdate plain;
  const Attributes* encoded = nullptr;  // whose encoding `attributes` holds
  std::size_t base_bytes = 0;
  for (const FlowFileUpdate& update : commit.updates) {
    const FlowFileRecord& record = *update.record;
    const bool create = update.kind == FlowFileUpdate::Kind::create;
    plain.kind = update.kind;
    plain.connection = update.connection;
    plain.has_attributes = create || update.attributes_changed;
    plain.has_content = create ? static_cast<bool>(record.claim) : update.content_changed;
    plain.file.id = record.id;
    plain.file.penalty_until_ms = record.penalty_until_ms;
    if (create) {
      plain.file.uuid = record.uuid;
      plain.file.entry_ms = record.entry_ms;
      plain.file.lineage_start_ms = record.lineage_start_ms;
    }
    if (plain.has_content) plain.file.claim = plain_claim(record.claim);
    if (plain.has_attributes) {
      storage::Encoder attribute_encoder(attributes);
      if (encoded != nullptr && record.attributes->same_shape(*encoded)) {
        attributes.resize(base_bytes);
        record.attributes->encode_changes(record.uuid, attribute_encoder);
      } else {
        attributes.clear();
        base_bytes = record.attributes->encode(record.uuid, attribute_encoder);
      }
      encoded = record.attributes.get();
      plain.file.attributes = attributes;
    }
    encode_update(plain, context, encoder);
  }
  encoder.raw(commit.events);
}

void patch_first_event_id(std::span<std::byte> payload, std::uint64_t first_event_id) {
  std::memcpy(payload.data() + 1, &first_event_id, sizeof first_event_id);
}

CommitDecoder::CommitDecoder(storage::Decoder in) : in_(in) {
  first_event_id_ = in_.u64();
  const std::uint64_t events = in_.varint();
  if (events > UINT32_MAX) throw storage::DecodeError("the count of events is out of range");
  event_count_ = static_cast<std::uint32_t>(events);
  const std::size_t connections = in_.count(1);
  connections_.reserve(connections);
  for (std::size_t i = 0; i < connections; ++i) connections_.push_back(decode_connection(in_));
  updates_left_ = in_.count(1);
}

bool CommitDecoder::next(PlainUpdate& update) {
  if (updates_left_ == 0) return false;
  --updates_left_;
  update = decode_update(context_, in_);
  if (update.kind != FlowFileUpdate::Kind::drop && update.connection >= connections_.size()) {
    throw storage::DecodeError("an update names a connection that the record has not");
  }
  return true;
}

storage::Bytes CommitDecoder::events() {
  return in_.raw(in_.remaining());
}

void take_events(std::uint64_t sequence, storage::Bytes payload, EventSink& sink) {
  storage::Decoder in(payload);
  if (in.u8() != static_cast<std::uint8_t>(format::RecordKind::commit)) return;
  CommitDecoder commit(in);
  if (commit.event_count() == 0) return;
  PlainUpdate update;
  while (commit.next(update)) continue;
  const storage::Bytes events = commit.events();
  sink.take(sequence, commit.first_event_id(), commit.event_count(),
            {events.begin(), events.end()});
}

void encode_open(const OpenRecord& record, std::vector<std::byte>& out) {
  storage::Encoder encoder(out);
  encoder.u8(static_cast<std::uint8_t>(format::RecordKind::open));
  encoder.string(record.boot_id);
  encoder.u8(record.always_sync ? 1 : 0);
  encoder.varint(record.next_order);
  encoder.varint(record.next_id);
  encoder.varint(record.next_event_id);
}

OpenRecord decode_open(storage::Decoder in) {
  OpenRecord record;
  record.boot_id = in.string();
  record.always_sync = in.u8() != 0;
  record.next_order = in.varint();
  record.next_id = in.varint();
  record.next_event_id = in.varint();
  return record;
}

void encode_mark(std::uint64_t durable_sequence, std::vector<std::byte>& out) {
  storage::Encoder encoder(out);
  encoder.u8(static_cast<std::uint8_t>(format::RecordKind::mark));
  encoder.varint(durable_sequence);
}

std::uint64_t decode_mark(storage::Decoder in) {
  return in.varint();
}

void encode_summary(const SwapSummary& summary, storage::Encoder& out) {
  encode_connection(summary.connection, out);
  out.string(summary.name);
  out.varint(summary.count);
  out.varint(summary.bytes);
  out.varint(summary.first_order);
  out.u8(summary.lost ? 1 : 0);
  out.varint(summary.claims.size());
  PlainClaim previous;
  for (const content::ClaimLocation& location : summary.claims) {
    encode_claim({.container = location.container,
                  .section = location.section,
                  .identifier = location.identifier},
                 previous, out);
  }
}

SwapSummary decode_summary(storage::Decoder& in) {
  SwapSummary summary;
  summary.connection = connection_text(decode_connection(in));
  summary.name = in.string();
  // The name becomes part of a path.
  if (summary.name.empty() || summary.name.front() == '.' ||
      summary.name.find('/') != std::string::npos) {
    throw storage::DecodeError("a swap file has a bad name");
  }
  summary.count = in.varint();
  summary.bytes = in.varint();
  summary.first_order = in.varint();
  summary.lost = in.u8() != 0;
  const std::size_t claims = in.count(1);
  summary.claims.reserve(claims);
  PlainClaim previous;
  for (std::size_t i = 0; i < claims; ++i) {
    const PlainClaim claim = decode_claim(previous, in);
    summary.claims.push_back({.container = std::string(claim.container),
                              .section = claim.section,
                              .identifier = claim.identifier});
  }
  return summary;
}

void encode_swap_out(const SwapSummary& summary, std::span<const FlowFilePtr> flow_files,
                     std::vector<std::byte>& out) {
  storage::Encoder encoder(out);
  encoder.u8(static_cast<std::uint8_t>(format::RecordKind::swap_out));
  encode_summary(summary, encoder);
  encoder.varint(flow_files.size());
  std::uint64_t previous = 0;
  for (const FlowFilePtr& flow_file : flow_files) {
    encoder.signed_varint(difference(flow_file->id, previous));
    previous = flow_file->id;
  }
}

void encode_swap_name(format::RecordKind kind, const std::string& name,
                      std::vector<std::byte>& out) {
  storage::Encoder encoder(out);
  encoder.u8(static_cast<std::uint8_t>(kind));
  encoder.string(name);
}

}  // namespace weir::flowfile
