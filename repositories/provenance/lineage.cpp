#include <algorithm>
#include <map>
#include <unordered_map>

#include "repositories/provenance/selection.h"

namespace weir::provenance {

using flowfile::Uuid;

namespace {

using Scan = std::function<void(const Selection&, const EventVisitor&)>;

bool holds(const std::vector<Uuid>& uuids, const Uuid& uuid) {
  return std::ranges::find(uuids, uuid) != uuids.end();
}

// Ancestors are walked up only and descendants down only: siblings that merely share an ancestor
// are no part of a FlowFile's lineage.
class Walk {
 public:
  Walk(const Scan& scan, std::size_t max_events) : scan_(scan), max_events_(max_events) {}

  void run(const Uuid& flow_file) {
    Generation next{{flow_file}, {flow_file}};
    up_.insert(flow_file);
    down_.insert(flow_file);
    while (!truncated_ && !(next.up.empty() && next.down.empty())) {
      UuidSet both = next.up;
      both.insert(next.down.begin(), next.down.end());
      Generation found;
      scan_(Selection(std::move(both)),
            [&](StoredEvent&& event) { return take(std::move(event), next, found); });
      next = std::move(found);
    }
  }

  std::map<std::uint64_t, StoredEvent>& events() { return events_; }
  bool truncated() const { return truncated_; }

 private:
  struct Generation {
    UuidSet up;
    UuidSet down;
  };

  bool take(StoredEvent&& event, const Generation& of, Generation& next) {
    const auto any = [](const std::vector<Uuid>& uuids, const UuidSet& set) {
      return std::ranges::any_of(uuids, [&](const Uuid& uuid) { return set.contains(uuid); });
    };
    const bool made_here = any(event.children, of.up);
    const bool used_here = any(event.parents, of.down);
    const bool own = of.up.contains(event.flow_file) || of.down.contains(event.flow_file);
    if (!made_here && !used_here && !own) return true;
    if (!events_.contains(event.id) && events_.size() == max_events_) {
      truncated_ = true;
      return false;
    }
    // A JOIN's FlowFile is its child, though writers may leave the list of children out.
    const bool own_made = of.up.contains(event.flow_file) && !event.parents.empty() &&
                          !holds(event.parents, event.flow_file);
    if (made_here || own_made) {
      for (const auto& parent : event.parents) {
        if (up_.insert(parent).second) next.up.insert(parent);
      }
    }
    if (used_here) {
      const auto walk_down = [&](const Uuid& child) {
        if (down_.insert(child).second) next.down.insert(child);
      };
      std::ranges::for_each(event.children, walk_down);
      if (!holds(event.parents, event.flow_file)) walk_down(event.flow_file);
    }
    events_.try_emplace(event.id, std::move(event));
    return true;
  }

  const Scan& scan_;
  const std::size_t max_events_;
  UuidSet up_;
  UuidSet down_;
  std::map<std::uint64_t, StoredEvent> events_;
  bool truncated_ = false;
};

// An edge leads from the last event of a FlowFile to its next one; an event that makes FlowFiles
// of others is the next one of its parents and the first one of its children.
void draw_edges(Lineage& lineage) {
  std::unordered_map<Uuid, std::size_t, flowfile::UuidHash> last;
  for (std::size_t i = 0; i < lineage.events.size(); ++i) {
    const auto& event = lineage.events[i];
    std::vector<Uuid> sources = event.parents;
    if (!holds(sources, event.flow_file) && !holds(event.children, event.flow_file)) {
      sources.push_back(event.flow_file);
    }
    for (const auto& source : sources) {
      const auto known = last.find(source);
      if (known != last.end() && known->second != i) {
        lineage.edges.push_back({known->second, i, source});
      }
      last[source] = i;
    }
    for (const auto& child : event.children) last[child] = i;
    last[event.flow_file] = i;
  }
}

}  // namespace

Lineage build_lineage(const Uuid& flow_file, std::size_t max_events, const Scan& scan) {
  Walk walk(scan, max_events);
  walk.run(flow_file);
  Lineage lineage;
  lineage.truncated = walk.truncated();
  for (auto& [id, event] : walk.events()) lineage.events.push_back(std::move(event));
  draw_edges(lineage);
  return lineage;
}

}  // namespace weir::provenance
