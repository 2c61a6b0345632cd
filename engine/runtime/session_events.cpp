#include <fmt/format.h>

#include "engine/runtime/session.h"

namespace weir::runtime {

using provenance::Event;
using provenance::EventType;

// What a processor reports by itself. Everything else about the FlowFile is added at the commit.
class SessionReporter : public ProvenanceReporter {
 public:
  explicit SessionReporter(Session& session) : session_(session) {}

  void receive(const FlowFile& flow_file, std::string_view transit_uri, std::string_view details,
               std::int64_t duration_ms) override {
    auto& entry = session_.own(flow_file);
    entry.has_origin_event = true;
    add(EventType::receive, entry, transit_uri, details, duration_ms);
  }
  void fetch(const FlowFile& flow_file, std::string_view transit_uri, std::string_view details,
             std::int64_t duration_ms) override {
    auto& entry = session_.own(flow_file);
    entry.has_origin_event = true;
    add(EventType::fetch, entry, transit_uri, details, duration_ms);
  }
  void send(const FlowFile& flow_file, std::string_view transit_uri, std::string_view details,
            std::int64_t duration_ms) override {
    add(EventType::send, session_.own(flow_file), transit_uri, details, duration_ms);
  }
  void route(const FlowFile& flow_file, const Relationship& relationship,
             std::string_view details) override {
    add(EventType::route, session_.own(flow_file), {}, details, -1).relationship =
        relationship.name;
  }
  void create(const FlowFile& flow_file, std::string_view details) override {
    auto& entry = session_.own(flow_file);
    entry.has_origin_event = true;
    add(EventType::create, entry, {}, details, -1);
  }
  void modify_content(const FlowFile& flow_file, std::string_view details,
                      std::int64_t duration_ms) override {
    auto& entry = session_.own(flow_file);
    entry.has_content_event = true;
    add(EventType::content_modified, entry, {}, details, duration_ms);
  }
  void modify_attributes(const FlowFile& flow_file, std::string_view details) override {
    add(EventType::attributes_modified, session_.own(flow_file), {}, details, -1);
  }
  void fork(const FlowFile& parent, std::span<const FlowFile> children,
            std::string_view details) override {
    auto& entry = session_.own(parent);
    // The children of `create(parent)` are reported already; an explicit FORK takes their place.
    withdraw(entry.fork_event);
    auto& event = add(EventType::fork, entry, {}, details, -1);
    entry.fork_event = session_.reported_.size() - 1;
    event.add_parent(entry);
    for (const FlowFile& child : children) event.add_child(session_.own(child));
  }
  void join(std::span<const FlowFile> parents, const FlowFile& child,
            std::string_view details) override {
    auto& entry = session_.own(child);
    withdraw(entry.join_event);
    auto& event = add(EventType::join, entry, {}, details, -1);
    entry.join_event = session_.reported_.size() - 1;
    for (const FlowFile& parent : parents) event.add_parent(session_.own(parent));
    event.add_child(entry);
  }
  void add_info(const FlowFile& flow_file, std::string_view details) override {
    add(EventType::addinfo, session_.own(flow_file), {}, details, -1);
  }

 private:
  void withdraw(std::size_t event) {
    if (event != Session::kNone) session_.reported_[event].entry = nullptr;
  }
  Session::Reported& add(EventType type, Session::Entry& entry, std::string_view transit_uri,
                         std::string_view details, std::int64_t duration_ms) {
    auto& event = session_.report(type, entry);
    event.transit_uri = transit_uri;
    event.details = details;
    event.duration_ms = duration_ms;
    return event;
  }

  Session& session_;
};

ProvenanceReporter& Session::provenance() {
  if (!reporter_) reporter_ = std::make_unique<SessionReporter>(*this);
  return *reporter_;
}

Session::Reported& Session::report(EventType type, Entry& entry) {
  touched_ = true;
  Reported& event = reported_.emplace_back();
  event.entry = &entry;
  entry.has_any_event = true;
  event.type = type;
  event.time_ms = owner_.services.clock.now_ms();
  return event;
}

Session::Reported& Session::fork_of(Entry& parent) {
  if (parent.fork_event != kNone) return reported_[parent.fork_event];
  Reported& event = report(EventType::fork, parent);
  parent.fork_event = reported_.size() - 1;
  event.add_parent(parent);
  return event;
}

// The events go where their FlowFile goes; the indexes stay valid.
void Session::migrate_events(Session& target, const Entry& entry) {
  for (Reported& reported : reported_) {
    if (reported.entry != &entry) continue;
    Entry& owner = *reported.entry;
    const std::size_t index = target.reported_.size();
    if (reported.type == EventType::fork && owner.fork_event != kNone) owner.fork_event = index;
    if (reported.type == EventType::join && owner.join_event != kNone) owner.join_event = index;
    target.reported_.push_back(std::move(reported));
    reported = Reported();
  }
}

// A ROUTE into the queue that the FlowFile came from, and nowhere else, tells nothing.
bool Session::routed_nowhere(const Reported& reported) const {
  if (reported.type != EventType::route || reported.entry->source == nullptr) return false;
  const Route* route = owner_.find_route(reported.relationship);
  return route != nullptr && route->queues.size() == 1 &&
         route->queues.front() == reported.entry->source;
}

void Session::encode_reported(const Reported& reported) {
  const Entry* entry = reported.entry;
  if (entry == nullptr || entry->discarded) return;
  // A FlowFile made and removed in one session leaves no trace.
  if (entry->original == nullptr && entry->removed) return;
  if (routed_nowhere(reported)) return;
  Event event;
  event.type = reported.type;
  event.flow_file = entry->current->uuid;
  event.time_ms = reported.time_ms;
  event.duration_ms = reported.duration_ms;
  event.entry_ms = entry->current->entry_ms;
  event.lineage_start_ms = entry->current->lineage_start_ms;
  event.relationship = reported.relationship;
  event.details = reported.details;
  event.transit_uri = reported.transit_uri;
  if (entry->source != nullptr) event.source_queue = entry->source->id();
  for (const Entry* parent : reported.parents) event.parents.push_back(parent->current->uuid);
  for (const Entry* child : reported.children) {
    if (!child->discarded && !child->removed) event.children.push_back(child->current->uuid);
  }
  const bool parenting = event.type == EventType::fork || event.type == EventType::clone;
  if (parenting && event.children.empty()) return;
  event.attributes_after = entry->current->attributes;
  event.content_after = entry->current->claim.location();
  if (entry->original) {
    event.attributes_before = entry->original->attributes;
    event.content_before = entry->original->claim.location();
  }
  events_.add(event);
}

void Session::encode_automatic(const Entry& entry, std::int64_t now_ms) {
  if (entry.discarded) return;
  const bool created = entry.original == nullptr;
  if (created && entry.removed) return;
  const flowfile::FlowFileRecord& record = *entry.current;
  const std::string_view queue =
      entry.source != nullptr ? std::string_view(entry.source->id()) : std::string_view();
  if (created && !entry.has_origin_event) {
    events_.add(EventType::create, record.uuid, now_ms, record.entry_ms, record.lineage_start_ms,
                *record.attributes, record.claim, {}, queue);
  } else if (!created && !entry.removed &&
             ((entry.content_changed && !entry.has_content_event) ||
              (entry.attributes_changed && !entry.has_any_event))) {
    Event event;
    event.type =
        entry.content_changed ? EventType::content_modified : EventType::attributes_modified;
    event.flow_file = record.uuid;
    event.time_ms = now_ms;
    event.entry_ms = record.entry_ms;
    event.lineage_start_ms = record.lineage_start_ms;
    event.source_queue = queue;
    event.attributes_before = entry.original->attributes;
    event.attributes_after = record.attributes;
    event.content_before = entry.original->claim.location();
    event.content_after = record.claim.location();
    events_.add(event);
  }
  if (entry.target() != nullptr) return;
  if (entry.expired) {
    events_.add(EventType::expire, record.uuid, now_ms, record.entry_ms, record.lineage_start_ms,
                *record.attributes, record.claim,
                fmt::format("Expiration Threshold = {}", entry.source->expiration()), queue);
  } else if (entry.removed) {
    const std::string* reason = record.attributes->find(attribute::discard_reason);
    events_.add(EventType::drop, record.uuid, now_ms, record.entry_ms, record.lineage_start_ms,
                *record.attributes, record.claim,
                reason != nullptr ? std::string_view(*reason) : std::string_view(), queue);
  } else {
    events_.add(EventType::drop, record.uuid, now_ms, record.entry_ms, record.lineage_start_ms,
                *record.attributes, record.claim,
                fmt::format("Auto-Terminated by {} Relationship", entry.route->relationship),
                queue);
  }
}

void Session::encode_events() {
  if (owner_.services.config.provenance_store == EngineConfig::ProvenanceStore::none) return;
  const std::int64_t now_ms = owner_.services.clock.now_ms();
  events_.begin(owner_.component, now_ms);
  for (const Reported& reported : reported_) encode_reported(reported);
  for (const auto& entry : entries_) encode_automatic(*entry, now_ms);
}

}  // namespace weir::runtime
