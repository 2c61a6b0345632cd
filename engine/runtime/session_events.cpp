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
    entry.has_change_event = true;
    add(EventType::fetch, entry, transit_uri, details, duration_ms);
  }
  void send(const FlowFile& flow_file, std::string_view transit_uri, std::string_view details,
            std::int64_t duration_ms) override {
    auto& entry = session_.own(flow_file);
    entry.has_other_event = true;
    add(EventType::send, entry, transit_uri, details, duration_ms);
  }
  void route(const FlowFile& flow_file, const Relationship& relationship,
             std::string_view details) override {
    auto& entry = session_.own(flow_file);
    entry.has_other_event = true;
    add(EventType::route, entry, {}, details, -1).relationship = relationship.name;
  }
  void create(const FlowFile& flow_file, std::string_view details) override {
    auto& entry = session_.own(flow_file);
    entry.has_origin_event = true;
    add(EventType::create, entry, {}, details, -1);
  }
  void modify_content(const FlowFile& flow_file, std::string_view details,
                      std::int64_t duration_ms) override {
    auto& entry = session_.own(flow_file);
    entry.has_change_event = true;
    add(EventType::content_modified, entry, {}, details, duration_ms);
  }
  void modify_attributes(const FlowFile& flow_file, std::string_view details) override {
    auto& entry = session_.own(flow_file);
    entry.has_change_event = true;
    add(EventType::attributes_modified, entry, {}, details, -1);
  }
  void fork(const FlowFile& parent, std::span<const FlowFile> children,
            std::string_view details) override {
    auto& entry = session_.own(parent);
    // The children of `create(parent)` are reported already; an explicit FORK takes their place.
    for (auto& reported : session_.reported_) {
      if (reported.entry == &entry && reported.type == EventType::fork) reported.entry = nullptr;
    }
    auto& event = add(EventType::fork, entry, {}, details, -1);
    event.parents.push_back(&entry);
    for (const FlowFile& child : children) {
      auto& made = session_.own(child);
      made.has_origin_event = true;
      event.children.push_back(&made);
    }
  }
  void join(std::span<const FlowFile> parents, const FlowFile& child,
            std::string_view details) override {
    auto& entry = session_.own(child);
    for (auto& reported : session_.reported_) {
      if (reported.entry == &entry && reported.type == EventType::join) reported.entry = nullptr;
    }
    entry.has_origin_event = true;
    auto& event = add(EventType::join, entry, {}, details, -1);
    for (const FlowFile& parent : parents) event.parents.push_back(&session_.own(parent));
    event.children.push_back(&entry);
  }
  void add_info(const FlowFile& flow_file, std::string_view details) override {
    add(EventType::addinfo, session_.own(flow_file), {}, details, -1);
  }

 private:
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
  event.type = type;
  event.time_ms = owner_.services.clock.now_ms();
  return event;
}

void Session::encode_reported(const Reported& reported) {
  const Entry* entry = reported.entry;
  if (entry == nullptr || entry->discarded) return;
  // A FlowFile made and removed in one session leaves no trace.
  if (entry->original == nullptr && entry->removed) return;
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
  } else {
    event.attributes_before = event.attributes_after;
    event.content_before = event.content_after;
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
  } else if (!created && !entry.has_change_event && !entry.removed &&
             (entry.content_changed || (entry.attributes_changed && !entry.has_other_event))) {
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
                *record.attributes, record.claim, "FlowFile Expiration", queue);
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
