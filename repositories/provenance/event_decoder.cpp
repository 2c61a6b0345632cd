#include "repositories/provenance/batch.h"

namespace weir::provenance {

using content::ClaimLocation;
using flowfile::Attributes;
using flowfile::AttributesPtr;
using flowfile::Uuid;
using storage::DecodeError;
using storage::Decoder;

namespace {

// Sums of damaged deltas may wrap; they must not overflow.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

Uuid read_full_uuid(Decoder& in) {
  Uuid uuid;
  uuid.high = in.u64();
  uuid.low = in.u64();
  return uuid;
}

Uuid read_uuid(Decoder& in, Uuid& last) {
  const std::uint64_t head = in.varint();
  const std::uint64_t zigzag = head >> 2;
  const std::uint64_t delta = (zigzag >> 1) ^ (~(zigzag & 1) + 1);
  switch (head & 3) {
    case kUuidNear:
      last.low += delta;
      break;
    case kUuidNearLater:
      last.low += delta;
      last.high += static_cast<std::uint64_t>(in.signed_varint()) << 16;
      break;
    case kUuidFull:
      if (zigzag != 0) throw DecodeError("a uuid has an unknown form");
      last = read_full_uuid(in);
      break;
    default:
      throw DecodeError("a uuid has an unknown form");
  }
  return last;
}

void read_repeated(Decoder& in, std::string& last) {
  const std::uint64_t head = in.varint();
  if (head == kStringSame) return;
  if (head == kStringUuid) {
    last = read_full_uuid(in).to_string();
    return;
  }
  const auto bytes = in.raw(head - kStringLengthBase);
  last.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

ClaimLocation read_claim(Decoder& in, ClaimLocation& last) {
  const std::uint8_t flags = in.u8();
  if (flags == 0) return {};
  if ((flags & kClaimPresent) == 0 || (flags & ~kClaimKnownFlags) != 0) {
    throw DecodeError("a content claim has unknown flags");
  }
  if ((flags & kClaimSameContainer) == 0) last.container = in.string();
  if (last.container.empty()) throw DecodeError("a content claim has no container");
  if ((flags & kClaimSameResource) == 0) {
    const std::uint64_t section = in.varint();
    if (section > UINT32_MAX) throw DecodeError("a content claim has an impossible section");
    last.section = static_cast<std::uint32_t>(section);
    last.identifier += static_cast<std::uint64_t>(in.signed_varint());
  }
  if ((flags & kClaimFollows) != 0) {
    last.offset += last.length;
  } else if ((flags & kClaimSameOffset) == 0) {
    last.offset = in.varint();
  }
  if ((flags & kClaimSameLength) == 0) last.length = in.varint();
  return last;
}

struct BatchHead {
  ComponentRef component;
  std::int64_t base_time_ms = 0;
  std::uint32_t count = 0;
};

BatchHead read_head(Decoder& in, bool component) {
  BatchHead head;
  const std::uint8_t first = in.u8();
  if ((first & kBatchVersionMask) != kBatchVersion ||
      (first & ~(kBatchVersionMask | kComponentIdIsUuid)) != 0) {
    throw DecodeError("a batch of events has an unknown version");
  }
  if ((first & kComponentIdIsUuid) != 0) {
    const Uuid id = read_full_uuid(in);
    if (component) head.component.id = id.to_string();
  } else {
    const auto id = in.string();
    if (component) head.component.id = id;
  }
  const auto name = in.string();
  const auto type = in.string();
  if (component) {
    head.component.name = name;
    head.component.type = type;
  }
  head.base_time_ms = in.signed_varint();
  head.count = in.u32();
  if (head.count > in.remaining() / kLeastEventBytes) {
    throw DecodeError("a batch's count exceeds its bytes");
  }
  return head;
}

// The part of an event that indexing reads, up to the rest.
struct EventHead {
  std::uint8_t first = 0;
  std::uint8_t second = 0;
  std::uint8_t more = 0;
  EventType type = EventType::create;
  Uuid flow_file;
};

EventHead read_event_head(Decoder& in, Uuid& last_uuid, std::int64_t& last_time_ms) {
  EventHead head;
  head.first = in.u8();
  head.second = in.u8();
  const std::uint8_t type = head.first & kTypeMask;
  if (type < static_cast<std::uint8_t>(EventType::create) ||
      type > static_cast<std::uint8_t>(EventType::replay)) {
    throw DecodeError("an event has an unknown type");
  }
  head.type = static_cast<EventType>(type);
  if ((head.first & kMoreFlags) != 0) {
    head.more = in.u8();
    if ((head.more & ~kKnownMoreFlags) != 0) throw DecodeError("an event has unknown flags");
  }
  head.flow_file = read_uuid(in, last_uuid);
  if ((head.second & kHasTime) != 0) last_time_ms = plus(last_time_ms, in.signed_varint());
  return head;
}

std::size_t read_relatives(Decoder& in, Uuid& last_uuid, std::vector<Uuid>& out) {
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count; ++i) out.push_back(read_uuid(in, last_uuid));
  return count;
}

class BatchReader {
 public:
  BatchReader(std::uint64_t first_event_id, std::span<const std::byte> batch)
      : in_(batch), head_(read_head(in_, true)), next_id_(first_event_id) {
    time_ms_ = entry_ms_ = head_.base_time_ms;
  }

  std::vector<StoredEvent> read() {
    std::vector<StoredEvent> events;
    events.reserve(head_.count);
    for (std::uint32_t i = 0; i < head_.count; ++i) events.push_back(read_event());
    if (!in_.at_end()) throw DecodeError("a batch of events has bytes behind its end");
    return events;
  }

 private:
  StoredEvent read_event() {
    StoredEvent event;
    const EventHead head = read_event_head(in_, uuid_, time_ms_);
    event.id = next_id_++;
    event.component = head_.component;
    event.type = head.type;
    event.flow_file = head.flow_file;
    event.time_ms = time_ms_;
    if ((head.more & kHasParents) != 0) read_relatives(in_, uuid_, event.parents);
    if ((head.more & kHasChildren) != 0) read_relatives(in_, uuid_, event.children);
    Decoder rest(in_.raw(in_.varint()));
    read_rest(rest, head, event);
    if (!rest.at_end()) throw DecodeError("an event is shorter than its length");
    return event;
  }

  void read_rest(Decoder& in, const EventHead& head, StoredEvent& event) {
    if ((head.second & kHasEntry) != 0) entry_ms_ = plus(entry_ms_, in.signed_varint());
    event.entry_ms = event.lineage_start_ms = entry_ms_;
    if ((head.second & kHasLineageStart) != 0) {
      event.lineage_start_ms = static_cast<std::int64_t>(
          static_cast<std::uint64_t>(entry_ms_) - static_cast<std::uint64_t>(in.signed_varint()));
    }
    const auto repeated = [&](std::uint8_t flag, std::string& last, std::string& to) {
      if ((head.second & flag) == 0) return;
      read_repeated(in, last);
      to = last;
    };
    repeated(kHasDetails, details_, event.details);
    repeated(kHasSourceQueue, source_queue_, event.source_queue);
    repeated(kHasRelationship, relationship_, event.relationship);
    if ((head.first & kHasContent) != 0) event.content_after = read_claim(in, claim_);
    if ((head.first & kContentBefore) != 0) {
      event.content_before = read_claim(in, claim_);
    } else if (!expects_no_content_before(event.type)) {
      event.content_before = event.content_after;
    }
    if ((head.more & kHasDuration) != 0) event.duration_ms = in.signed_varint();
    if ((head.more & kHasTransitUri) != 0) event.transit_uri = in.string();
    if ((head.more & kHasAlternateIdentifier) != 0) event.alternate_identifier = in.string();
    read_attributes(in, head, event);
  }

  void read_attributes(Decoder& in, const EventHead& head, StoredEvent& event) {
    if ((head.second & kNoAttributes) != 0) {
      event.attributes_after = Attributes::empty();
    } else if ((head.second & kSameAttributes) != 0) {
      // Decoded again: a value may stand for the uuid of the event's own FlowFile.
      decode_kept(event);
    } else if ((head.more & kSharedAttributes) != 0) {
      const std::uint64_t shared = in.varint();
      if (shared > attributes_.size()) throw DecodeError("attributes share more than there is");
      const auto rest = in.raw(in.varint());
      attributes_.resize(shared);
      attributes_.insert(attributes_.end(), rest.begin(), rest.end());
      decode_kept(event);
    } else {
      const auto all = in;
      event.attributes_after = Attributes::decode(event.flow_file, in);
      Decoder again = all;
      const auto raw = again.raw(in.position() - all.position());
      attributes_.assign(raw.begin(), raw.end());
    }
    event.attributes_before = event.attributes_after;
    if ((head.more & kHasAttributesBefore) != 0) {
      event.attributes_before = Attributes::decode(event.flow_file, in);
    }
  }

  void decode_kept(StoredEvent& event) const {
    Decoder kept(attributes_);
    event.attributes_after = Attributes::decode(event.flow_file, kept);
    if (!kept.at_end()) throw DecodeError("attributes are shorter than their length");
  }

  Decoder in_;
  BatchHead head_;
  std::uint64_t next_id_;
  Uuid uuid_;
  std::int64_t time_ms_ = 0;
  std::int64_t entry_ms_ = 0;
  std::string details_;
  std::string source_queue_;
  std::string relationship_;
  ClaimLocation claim_;
  std::vector<std::byte> attributes_;  // the last encoded ones
};

}  // namespace

std::vector<StoredEvent> decode_event_batch(std::uint64_t first_event_id,
                                            std::span<const std::byte> batch) {
  return BatchReader(first_event_id, batch).read();
}

std::uint32_t skim_event_batch(std::span<const std::byte> batch, ComponentRef* component,
                               const std::function<void(const SkimmedEvent&)>& visit) {
  Decoder in(batch);
  BatchHead head = read_head(in, component != nullptr);
  if (component != nullptr) *component = std::move(head.component);
  Uuid uuid;
  std::int64_t time_ms = head.base_time_ms;
  std::vector<Uuid> relatives;
  for (std::uint32_t i = 0; i < head.count; ++i) {
    const EventHead event = read_event_head(in, uuid, time_ms);
    relatives.clear();
    if ((event.more & kHasParents) != 0) read_relatives(in, uuid, relatives);
    if ((event.more & kHasChildren) != 0) read_relatives(in, uuid, relatives);
    in.raw(in.varint());
    visit({event.type, event.flow_file, time_ms, relatives});
  }
  if (!in.at_end()) throw DecodeError("a batch of events has bytes behind its end");
  return head.count;
}

}  // namespace weir::provenance
