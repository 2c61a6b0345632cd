#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "repositories/provenance/event.h"
#include "repositories/storage/codec.h"

namespace weir::provenance {

// The bytes of a batch, described in README.md of this room. Shared by encoder and decoder, and
// of no interest to anybody outside the room.

inline constexpr std::uint8_t kBatchVersion = 1;
inline constexpr std::uint8_t kBatchVersionMask = 0x0F;
inline constexpr std::uint8_t kComponentIdIsUuid = 0x10;
inline constexpr std::size_t kLeastEventBytes = 4;

// First byte of an event: its type and these.
inline constexpr std::uint8_t kTypeMask = 0x1F;
inline constexpr std::uint8_t kMoreFlags = 0x20;
inline constexpr std::uint8_t kHasContent = 0x40;     // after the event
inline constexpr std::uint8_t kContentBefore = 0x80;  // written: it is not the expected one
// Second byte.
inline constexpr std::uint8_t kHasTime = 0x01;          // another than the last event's
inline constexpr std::uint8_t kHasEntry = 0x02;         // another than the last event's
inline constexpr std::uint8_t kHasLineageStart = 0x04;  // another than its own entry time
inline constexpr std::uint8_t kHasDetails = 0x08;
inline constexpr std::uint8_t kHasSourceQueue = 0x10;
inline constexpr std::uint8_t kHasRelationship = 0x20;
inline constexpr std::uint8_t kSameAttributes = 0x40;  // same bytes as the last encoded ones
inline constexpr std::uint8_t kNoAttributes = 0x80;
// Third byte, where kMoreFlags is set.
inline constexpr std::uint8_t kHasDuration = 0x01;
inline constexpr std::uint8_t kHasTransitUri = 0x02;
inline constexpr std::uint8_t kHasAlternateIdentifier = 0x04;
inline constexpr std::uint8_t kHasParents = 0x08;
inline constexpr std::uint8_t kHasChildren = 0x10;
inline constexpr std::uint8_t kHasAttributesBefore = 0x20;
inline constexpr std::uint8_t kSharedAttributes = 0x40;  // begin as the last encoded ones
inline constexpr std::uint8_t kKnownMoreFlags = 0x7F;

// First byte of a claim.
inline constexpr std::uint8_t kClaimPresent = 0x01;  // 0: no content
inline constexpr std::uint8_t kClaimSameResource = 0x02;
inline constexpr std::uint8_t kClaimSameContainer = 0x04;
inline constexpr std::uint8_t kClaimFollows = 0x08;  // starts where the last one ends
inline constexpr std::uint8_t kClaimSameOffset = 0x10;
inline constexpr std::uint8_t kClaimSameLength = 0x20;
inline constexpr std::uint8_t kClaimKnownFlags = 0x3F;

// Low two bits of the varint that begins a uuid.
inline constexpr std::uint64_t kUuidNear = 0;       // delta of the low half follows in the rest
inline constexpr std::uint64_t kUuidNearLater = 1;  // and a delta of the millisecond behind it
inline constexpr std::uint64_t kUuidFull = 2;       // 16 bytes follow
// A string that has a predecessor in its field: 0 same, 1 a uuid in 16 bytes, else length + 2.
inline constexpr std::uint64_t kStringSame = 0;
inline constexpr std::uint64_t kStringUuid = 1;
inline constexpr std::uint64_t kStringLengthBase = 2;

// Content before an event that is not written: what the event's type lets expect.
inline bool expects_no_content_before(EventType type) {
  return type == EventType::create;
}

// What indexing needs of one event, without building it.
struct SkimmedEvent {
  EventType type = EventType::create;
  flowfile::Uuid flow_file;
  std::int64_t time_ms = 0;
  std::span<const flowfile::Uuid> relatives;  // parents, then children; valid during the visit
};

// Walks a batch without touching strings, claims and attributes. Throws storage::DecodeError.
// `component` gets the batch's component where it is not null. Returns the number of events.
std::uint32_t skim_event_batch(std::span<const std::byte> batch, ComponentRef* component,
                               const std::function<void(const SkimmedEvent&)>& visit);

}  // namespace weir::provenance
