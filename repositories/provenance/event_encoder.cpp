#include <cstring>

#include "repositories/provenance/batch.h"

namespace weir::provenance {

using content::ClaimLocation;
using flowfile::Attributes;
using flowfile::Uuid;

namespace {

struct ClaimView {
  std::string_view container;
  std::uint32_t section = 0;
  std::uint64_t identifier = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  bool operator==(const ClaimView&) const = default;
};

ClaimView view(const ClaimLocation& location) {
  if (location.container.empty()) return {};
  return {location.container, location.section, location.identifier, location.offset,
          location.length};
}

ClaimView view(const content::ContentClaim& claim) {
  if (!claim) return {};
  const auto& resource = *claim.resource();
  return {resource.container, resource.section, resource.identifier, claim.offset(),
          claim.length()};
}

// Fewer bytes are not worth the two numbers that say how many are shared.
constexpr std::size_t kLeastShared = 8;

// Bytes that one event takes at most beside its strings, relatives and attributes.
constexpr std::size_t kFixedBytes = 256;
constexpr std::size_t kUuidBytes = 22;

// Differences of impossible times wrap, and so does the decoder's sum.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

constexpr std::int64_t kNearest = std::int64_t{1} << 40;

// Writes into memory that is known to be large enough: one growth of the buffer an event.
class Cursor {
 public:
  explicit Cursor(std::byte* at) : at_(at) {}

  void u8(std::uint8_t value) { *at_++ = std::byte{value}; }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      *at_++ = std::byte(value | 0x80);
      value >>= 7;
    }
    *at_++ = std::byte(value);
  }
  void signed_varint(std::int64_t value) { varint(zigzag(value)); }
  void raw(const void* data, std::size_t size) {
    if (size > 0) std::memcpy(at_, data, size);
    at_ += size;
  }
  void string(std::string_view text) {
    varint(text.size());
    raw(text.data(), text.size());
  }
  // One of a field that often repeats the value it had in the event before.
  void repeated(std::string_view text, std::string& last) {
    if (text == last) return varint(kStringSame);
    last.assign(text);
    if (text.size() == 36) {
      const auto uuid = Uuid::parse(text);
      if (uuid && uuid->to_string() == text) {
        varint(kStringUuid);
        raw(&uuid->high, 8);
        return raw(&uuid->low, 8);
      }
    }
    varint(text.size() + kStringLengthBase);
    raw(text.data(), text.size());
  }
  void uuid(const Uuid& uuid, Uuid& last) {
    const auto delta = static_cast<std::int64_t>(uuid.low - last.low);
    const bool near = delta > -kNearest && delta < kNearest;
    if (near && uuid.high == last.high) {
      varint(zigzag(delta) << 2 | kUuidNear);
    } else if (near && ((uuid.high ^ last.high) & 0xFFFF) == 0) {
      varint(zigzag(delta) << 2 | kUuidNearLater);
      signed_varint(static_cast<std::int64_t>(uuid.high >> 16) -
                    static_cast<std::int64_t>(last.high >> 16));
    } else {
      varint(kUuidFull);
      raw(&uuid.high, 8);
      raw(&uuid.low, 8);
    }
    last = uuid;
  }
  void claim(const ClaimView& claim, ClaimLocation& last) {
    if (claim.container.empty()) return u8(0);
    const bool same_container = claim.container == last.container;
    const bool same_resource =
        same_container && claim.section == last.section && claim.identifier == last.identifier;
    const bool follows = claim.offset == last.offset + last.length;
    const bool same_offset = !follows && claim.offset == last.offset;
    const bool same_length = claim.length == last.length;
    u8(static_cast<std::uint8_t>(
        kClaimPresent | (same_resource ? kClaimSameResource : 0) |
        (same_container ? kClaimSameContainer : 0) | (follows ? kClaimFollows : 0) |
        (same_offset ? kClaimSameOffset : 0) | (same_length ? kClaimSameLength : 0)));
    if (!same_container) {
      string(claim.container);
      last.container.assign(claim.container);
    }
    if (!same_resource) {
      varint(claim.section);
      signed_varint(static_cast<std::int64_t>(claim.identifier - last.identifier));
      last.section = claim.section;
      last.identifier = claim.identifier;
    }
    if (!follows && !same_offset) varint(claim.offset);
    if (!same_length) varint(claim.length);
    last.offset = claim.offset;
    last.length = claim.length;
  }

  std::byte* at() const { return at_; }

 private:
  static std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  }
  std::byte* at_;
};

}  // namespace

struct EventBatchEncoder::Fields {
  EventType type;
  const Uuid& flow_file;
  std::int64_t time_ms;
  std::int64_t entry_ms;
  std::int64_t lineage_start_ms;
  const Attributes* after = nullptr;
  const Attributes* before = nullptr;  // null: not changed
  ClaimView content_after;
  ClaimView content_before;
  std::string_view relationship;
  std::string_view details;
  std::string_view source_queue;
  std::string_view transit_uri;
  std::string_view alternate_identifier;
  std::int64_t duration_ms = -1;
  std::span<const Uuid> parents;
  std::span<const Uuid> children;

  std::uint8_t more_flags() const {
    return static_cast<std::uint8_t>(
        (duration_ms != -1 ? kHasDuration : 0) | (!transit_uri.empty() ? kHasTransitUri : 0) |
        (!alternate_identifier.empty() ? kHasAlternateIdentifier : 0) |
        (!parents.empty() ? kHasParents : 0) | (!children.empty() ? kHasChildren : 0) |
        (before != nullptr ? kHasAttributesBefore : 0));
  }
  bool writes_content_before() const {
    return content_before != (expects_no_content_before(type) ? ClaimView{} : content_after);
  }
  std::size_t most_bytes() const {
    return kFixedBytes + content_after.container.size() + content_before.container.size() +
           relationship.size() + details.size() + source_queue.size() + transit_uri.size() +
           alternate_identifier.size() + (parents.size() + children.size()) * kUuidBytes;
  }
};

void EventBatchEncoder::begin(const ComponentRef& component, std::int64_t base_time_ms) {
  buffer_.clear();
  count_ = 0;
  last_.uuid = {};
  last_.time_ms = base_time_ms;
  last_.entry_ms = base_time_ms;
  last_.claim.container.clear();
  last_.claim.section = 0;
  last_.claim.identifier = 0;
  last_.claim.offset = 0;
  last_.claim.length = 0;
  last_.relationship.clear();
  last_.details.clear();
  last_.source_queue.clear();
  last_.attributes.clear();
  encoded_.reset();

  storage::Encoder out(buffer_);
  auto id = component.id.size() == 36 ? Uuid::parse(component.id) : std::nullopt;
  if (id && id->to_string() != component.id) id.reset();
  out.u8(static_cast<std::uint8_t>(kBatchVersion | (id ? kComponentIdIsUuid : 0)));
  if (id) {
    out.u64(id->high);
    out.u64(id->low);
  } else {
    out.string(component.id);
  }
  out.string(component.name);
  out.string(component.type);
  out.signed_varint(base_time_ms);
  count_at_ = buffer_.size();
  out.u32(0);
}

void EventBatchEncoder::add(const Event& event) {
  const Attributes* after = event.attributes_after.get();
  const Attributes* before = event.attributes_before.get();
  if (before == after || (before != nullptr && after != nullptr && *before == *after) ||
      (before != nullptr && after == nullptr && before->is_empty())) {
    before = nullptr;
  }
  write({.type = event.type,
         .flow_file = event.flow_file,
         .time_ms = event.time_ms,
         .entry_ms = event.entry_ms,
         .lineage_start_ms = event.lineage_start_ms,
         .after = after,
         .before = before,
         .content_after = view(event.content_after),
         .content_before = view(event.content_before),
         .relationship = event.relationship,
         .details = event.details,
         .source_queue = event.source_queue,
         .transit_uri = event.transit_uri,
         .alternate_identifier = event.alternate_identifier,
         .duration_ms = event.duration_ms,
         .parents = event.parents,
         .children = event.children});
}

void EventBatchEncoder::add(EventType type, const Uuid& flow_file, std::int64_t time_ms,
                            std::int64_t entry_ms, std::int64_t lineage_start_ms,
                            const Attributes& attributes, const content::ContentClaim& content,
                            std::string_view details, std::string_view source_queue) {
  const ClaimView claim = view(content);
  write({.type = type,
         .flow_file = flow_file,
         .time_ms = time_ms,
         .entry_ms = entry_ms,
         .lineage_start_ms = lineage_start_ms,
         .after = &attributes,
         .content_after = claim,
         .content_before = expects_no_content_before(type) ? ClaimView{} : claim,
         .relationship = {},
         .details = details,
         .source_queue = source_queue,
         .transit_uri = {},
         .alternate_identifier = {},
         .parents = {},
         .children = {}});
}

void EventBatchEncoder::write(const Fields& fields) {
  const std::size_t start = buffer_.size();
  buffer_.resize(start + fields.most_bytes());
  std::uint8_t more = fields.more_flags();
  std::uint8_t second = 0;
  std::size_t shared = 0;
  if (fields.after == nullptr || fields.after->is_empty()) {
    second |= kNoAttributes;
  } else {
    encode_attributes(fields);
    shared = storage::common_prefix(attributes_, last_.attributes);
    if (shared == attributes_.size() && shared == last_.attributes.size()) {
      second |= kSameAttributes;
    } else if (shared >= kLeastShared) {
      more |= kSharedAttributes;
    }
  }

  // What indexing reads.
  Cursor out(buffer_.data() + start);
  const bool has_content = !fields.content_after.container.empty();
  const bool has_before = fields.writes_content_before();
  out.u8(static_cast<std::uint8_t>(static_cast<std::uint8_t>(fields.type) |
                                   (more != 0 ? kMoreFlags : 0) | (has_content ? kHasContent : 0) |
                                   (has_before ? kContentBefore : 0)));
  std::byte* const second_at = out.at();
  out.u8(0);
  if (more != 0) out.u8(more);
  out.uuid(fields.flow_file, last_.uuid);
  if (fields.time_ms != last_.time_ms) {
    second |= kHasTime;
    out.signed_varint(minus(fields.time_ms, last_.time_ms));
    last_.time_ms = fields.time_ms;
  }
  for (const auto relatives : {fields.parents, fields.children}) {
    if (relatives.empty()) continue;
    out.varint(relatives.size());
    for (const auto& relative : relatives) out.uuid(relative, last_.uuid);
  }
  std::byte* const rest_length_at = out.at();
  out.u8(0);

  // The rest.
  if (fields.entry_ms != last_.entry_ms) {
    second |= kHasEntry;
    out.signed_varint(minus(fields.entry_ms, last_.entry_ms));
    last_.entry_ms = fields.entry_ms;
  }
  if (fields.lineage_start_ms != fields.entry_ms) {
    second |= kHasLineageStart;
    out.signed_varint(minus(fields.entry_ms, fields.lineage_start_ms));
  }
  const auto repeated = [&](std::string_view text, std::string& last, std::uint8_t flag) {
    if (text.empty()) return;
    second |= flag;
    out.repeated(text, last);
  };
  repeated(fields.details, last_.details, kHasDetails);
  repeated(fields.source_queue, last_.source_queue, kHasSourceQueue);
  repeated(fields.relationship, last_.relationship, kHasRelationship);
  if (has_content) out.claim(fields.content_after, last_.claim);
  if (has_before) out.claim(fields.content_before, last_.claim);
  if ((more & kHasDuration) != 0) out.signed_varint(fields.duration_ms);
  if ((more & kHasTransitUri) != 0) out.string(fields.transit_uri);
  if ((more & kHasAlternateIdentifier) != 0) out.string(fields.alternate_identifier);

  const auto rest_at = static_cast<std::size_t>(rest_length_at - buffer_.data());
  const auto flags_at = static_cast<std::size_t>(second_at - buffer_.data());
  buffer_.resize(static_cast<std::size_t>(out.at() - buffer_.data()));
  storage::Encoder encoder(buffer_);
  if ((second & (kNoAttributes | kSameAttributes)) == 0) {
    const std::size_t from = (more & kSharedAttributes) != 0 ? shared : 0;
    if (from != 0) {
      encoder.varint(from);
      encoder.varint(attributes_.size() - from);
    }
    encoder.raw(std::span(attributes_).subspan(from));
    last_.attributes.assign(attributes_.begin(), attributes_.end());
  }
  if (fields.before != nullptr) fields.before->encode(fields.flow_file, encoder);
  buffer_[flags_at] = std::byte{second};
  close_rest(rest_at);
  ++count_;
}

// The length of the rest is known now: one byte was left for it, more are made room for.
void EventBatchEncoder::close_rest(std::size_t length_at) {
  const std::size_t rest_bytes = buffer_.size() - length_at - 1;
  if (rest_bytes < 0x80) {
    buffer_[length_at] = std::byte(rest_bytes);
    return;
  }
  std::byte length[10];
  Cursor cursor(length);
  cursor.varint(rest_bytes);
  const auto more_bytes = static_cast<std::size_t>(cursor.at() - length) - 1;
  buffer_[length_at] = length[0];
  buffer_.insert(buffer_.begin() + static_cast<std::ptrdiff_t>(length_at) + 1, length + 1,
                 length + 1 + more_bytes);
}

// Into `attributes_`, which may hold the shared part already.
void EventBatchEncoder::encode_attributes(const Fields& fields) {
  const Attributes& after = *fields.after;
  storage::Encoder encoder(attributes_);
  if (encoded_ && after.same_shape(*encoded_)) {
    attributes_.resize(base_bytes_);
    after.encode_changes(fields.flow_file, encoder);
  } else {
    attributes_.clear();
    base_bytes_ = after.encode(fields.flow_file, encoder);
    encoded_.reset();
  }
  if (base_bytes_ != 0) encoded_.reset(&after);
}

std::vector<std::byte> EventBatchEncoder::take() {
  std::vector<std::byte> batch;
  if (count_ > 0) {
    std::memcpy(buffer_.data() + count_at_, &count_, sizeof count_);
    batch.assign(buffer_.begin(), buffer_.end());
  }
  buffer_.clear();
  count_ = 0;
  return batch;
}

}  // namespace weir::provenance
