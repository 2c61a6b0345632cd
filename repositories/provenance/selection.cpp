#include "repositories/provenance/selection.h"

#include <algorithm>
#include <utility>

#include "repositories/provenance/batch.h"

namespace weir::provenance {

using flowfile::Uuid;

Selection::Selection(Query q) : query(std::move(q)) {
  if (query.flow_file) flow_files.insert(*query.flow_file);
}

Selection::Selection(UuidSet uuids) : flow_files(std::move(uuids)) {
  query.newest_first = false;
}

namespace {

bool names_any(const UuidSet& flow_files, const StoredEvent& event) {
  const auto in_set = [&](const Uuid& uuid) { return flow_files.contains(uuid); };
  return in_set(event.flow_file) || std::ranges::any_of(event.parents, in_set) ||
         std::ranges::any_of(event.children, in_set);
}

bool has_attribute(const StoredEvent& event, const std::string& name, const std::string& value) {
  if (name == "uuid") return event.flow_file.to_string() == value;
  const std::string* found = event.attributes_after ? event.attributes_after->find(name) : nullptr;
  return found != nullptr && *found == value;
}

// Cheap: without building the events.
bool may_match(const Selection& selection, const BatchView& batch) {
  const auto& query = selection.query;
  bool found = false;
  ComponentRef component;
  skim_event_batch(
      batch.bytes, query.component ? &component : nullptr, [&](const SkimmedEvent& event) {
        if (found || (query.type && event.type != *query.type) ||
            (query.from_ms && event.time_ms < *query.from_ms) ||
            (query.to_ms && event.time_ms > *query.to_ms)) {
          return;
        }
        const auto in_set = [&](const Uuid& uuid) { return selection.flow_files.contains(uuid); };
        found = selection.flow_files.empty() || in_set(event.flow_file) ||
                std::ranges::any_of(event.relatives, in_set);
      });
  return found && (!query.component || component.id == *query.component ||
                   component.name == *query.component);
}

}  // namespace

bool Selection::matches(const StoredEvent& event) const {
  if (query.after_event && event.id <= *query.after_event) return false;
  if (query.before_event && event.id >= *query.before_event) return false;
  if (query.type && event.type != *query.type) return false;
  if (query.from_ms && event.time_ms < *query.from_ms) return false;
  if (query.to_ms && event.time_ms > *query.to_ms) return false;
  if (query.relationship && event.relationship != *query.relationship) return false;
  if (query.component && event.component.id != *query.component &&
      event.component.name != *query.component) {
    return false;
  }
  if (!flow_files.empty() && !names_any(flow_files, event)) return false;
  return std::ranges::all_of(query.attributes, [&](const auto& wanted) {
    return has_attribute(event, wanted.first, wanted.second);
  });
}

bool Selection::may_hold_ids(std::uint64_t first_id, std::uint64_t last_id) const {
  return (!query.after_event || last_id > *query.after_event) &&
         (!query.before_event || first_id < *query.before_event);
}

bool visit_batch(const Selection& selection, const BatchView& batch, const EventVisitor& visit) {
  if (batch.count == 0 || batch.bytes.empty()) return true;
  if (!selection.may_hold_ids(batch.first_event_id, batch.first_event_id + batch.count - 1) ||
      !may_match(selection, batch)) {
    return true;
  }
  auto events = decode_event_batch(batch.first_event_id, batch.bytes);
  if (selection.query.newest_first) std::ranges::reverse(events);
  for (auto& event : events) {
    if (selection.matches(event) && !visit(std::move(event))) return false;
  }
  return true;
}

QueryResult gather(const Selection& selection,
                   const std::function<void(const Selection&, const EventVisitor&)>& scan) {
  QueryResult result;
  scan(selection, [&](StoredEvent&& event) {
    if (result.events.size() == selection.query.limit) {
      result.truncated = true;
      return false;
    }
    result.events.push_back(std::move(event));
    return true;
  });
  return result;
}

}  // namespace weir::provenance
