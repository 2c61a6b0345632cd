#pragma once

#include <functional>
#include <unordered_set>

#include "repositories/provenance/provenance_repository.h"

namespace weir::provenance {

// What the repositories of this room share to answer questions: conditions on events, and the
// walk that makes a lineage of them.

using UuidSet = std::unordered_set<flowfile::Uuid, flowfile::UuidHash>;

// A query with a set of FlowFiles, any of which an event has to name, in place of the one.
struct Selection {
  Selection() = default;
  explicit Selection(Query query);
  explicit Selection(UuidSet flow_files);

  Query query;
  UuidSet flow_files;  // empty: any

  bool matches(const StoredEvent& event) const;
  bool may_hold_ids(std::uint64_t first_id, std::uint64_t last_id) const;
};

// Called with events in the order asked for; false: enough.
using EventVisitor = std::function<bool(StoredEvent&&)>;

struct BatchView {
  std::uint64_t first_event_id = 0;
  std::uint32_t count = 0;
  std::span<const std::byte> bytes;
};

// Visits the matching events of a batch in the query's order. False where the visitor said so.
// Throws storage::DecodeError.
bool visit_batch(const Selection& selection, const BatchView& batch, const EventVisitor& visit);

// Gathers up to the query's limit. `scan` calls the visitor with matching events in order.
QueryResult gather(const Selection& selection,
                   const std::function<void(const Selection&, const EventVisitor&)>& scan);

// Walks from FlowFile to FlowFile by parents and children, one scan a generation.
Lineage build_lineage(const flowfile::Uuid& flow_file, std::size_t max_events,
                      const std::function<void(const Selection&, const EventVisitor&)>& scan);

}  // namespace weir::provenance
