#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repositories/content/claim.h"
#include "repositories/flowfile/attributes.h"
#include "repositories/flowfile/uuid.h"

namespace weir::provenance {

// NiFi's event types, with their numbers on disk.
enum class EventType : std::uint8_t {
  create = 1,
  receive = 2,
  fetch = 3,
  send = 4,
  upload = 5,
  remote_invocation = 6,
  download = 7,
  drop = 8,
  expire = 9,
  fork = 10,
  join = 11,
  clone = 12,
  content_modified = 13,
  attributes_modified = 14,
  route = 15,
  addinfo = 16,
  replay = 17,
};

std::string_view to_string(EventType type);  // "CONTENT_MODIFIED"
std::optional<EventType> parse_event_type(std::string_view name);

// The component whose session made the events.
struct ComponentRef {
  std::string id;
  std::string name;
  std::string type;  // short type name: "PutFile", "Input Port", "Connection"

  bool operator==(const ComponentRef&) const = default;
};

// One event as a session reports it. Times are milliseconds since the epoch.
struct Event {
  EventType type = EventType::create;
  flowfile::Uuid flow_file;
  std::int64_t time_ms = 0;
  std::int64_t duration_ms = -1;  // -1: not given
  std::int64_t lineage_start_ms = 0;
  std::int64_t entry_ms = 0;
  std::string relationship;  // of ROUTE, and of a DROP by auto-termination
  std::string details;       // of a DROP: the reason
  std::string transit_uri;   // of RECEIVE, SEND, FETCH, ...
  std::string alternate_identifier;
  std::string source_queue;  // identifier of the connection the FlowFile came from
  std::vector<flowfile::Uuid> parents;
  std::vector<flowfile::Uuid> children;
  // Equal pointers (or null `before`): not changed by the event. Null `after`: no attributes.
  // Events read back have neither null; both are the same object where nothing changed.
  flowfile::AttributesPtr attributes_before;
  flowfile::AttributesPtr attributes_after;
  content::ClaimLocation content_before;
  content::ClaimLocation content_after;
};

// An event read back from the store.
struct StoredEvent : Event {
  std::uint64_t id = 0;  // rises with the order of commits, without gaps
  ComponentRef component;
};

// Encodes the events of one session for its commit record: the provenance store keeps the same
// bytes, so each event is encoded once. Reuse one object for many sessions. Not thread safe.
class EventBatchEncoder {
 public:
  // All events of a batch are of one component.
  void begin(const ComponentRef& component, std::int64_t base_time_ms);
  void add(const Event& event);
  // The common case without building an Event: nothing but type, FlowFile and its state.
  // The content before the event is the content after it; a CREATE has none before.
  void add(EventType type, const flowfile::Uuid& flow_file, std::int64_t time_ms,
           std::int64_t entry_ms, std::int64_t lineage_start_ms,
           const flowfile::Attributes& attributes, const content::ContentClaim& content,
           std::string_view details, std::string_view source_queue);
  std::uint32_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  // The encoded batch; the encoder is empty afterwards. Empty where no event was added.
  std::vector<std::byte> take();

 private:
  struct Fields;
  // What a decoder knows as well while it reads, so that only differences are written.
  struct Last {
    flowfile::Uuid uuid;
    std::int64_t time_ms = 0;
    std::int64_t entry_ms = 0;
    content::ClaimLocation claim;
    std::string relationship;
    std::string details;
    std::string source_queue;
    std::vector<std::byte> attributes;  // the last encoded ones
  };

  void write(const Fields& fields);
  void close_rest(std::size_t length_at);
  void encode_attributes(const Fields& fields);

  std::vector<std::byte> buffer_;
  std::uint32_t count_ = 0;
  std::size_t count_at_ = 0;  // where the buffer holds the number of events
  Last last_;
  std::vector<std::byte> attributes_;  // of the event being written
  flowfile::AttributesPtr encoded_;    // whose encoding `attributes_` held last
  std::size_t base_bytes_ = 0;         // of it
};

// Reads a batch back. Throws storage::DecodeError on bytes that are no batch.
std::vector<StoredEvent> decode_event_batch(std::uint64_t first_event_id,
                                            std::span<const std::byte> batch);

}  // namespace weir::provenance
