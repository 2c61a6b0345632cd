#include "engine/runtime/session.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::runtime {

using flowfile::Attributes;
using flowfile::AttributesPtr;
using flowfile::FlowFilePtr;
using flowfile::FlowFileRecord;

namespace {

constexpr std::uint32_t kIdBlock = 256;
constexpr std::size_t kSpareEntries = 4096;
// FlowFiles that a component takes of one connection before it looks at its next one.
constexpr std::uint64_t kPollsInARow = 64;

// What all parents agree on, as NiFi's JOIN gives the child.
AttributesPtr common_attributes(std::span<const FlowFile> parents) {
  std::vector<Attributes::Entry> common;
  for (const auto& entry : parents.front().attributes()) {
    const bool everywhere = std::all_of(parents.begin() + 1, parents.end(), [&](const FlowFile& p) {
      const std::string* value = p.find_attribute(entry.first);
      return value != nullptr && *value == entry.second;
    });
    if (everywhere) common.push_back(entry);
  }
  return Attributes::make(std::move(common));
}

// What a child gets from its parent: not what is said of the parent alone.
AttributesPtr inherited_attributes(AttributesPtr attributes) {
  const bool own = attributes->find(attribute::discard_reason) != nullptr ||
                   attributes->find(attribute::alternate_identifier) != nullptr;
  if (!own) return attributes;
  const std::string names[] = {std::string(attribute::discard_reason),
                               std::string(attribute::alternate_identifier)};
  return attributes->with({}, names);
}

}  // namespace

const Route* SessionOwner::find_route(std::string_view relationship) const {
  for (const Route& route : routes) {
    if (route.relationship == relationship) return &route;
  }
  return nullptr;
}

void SessionOwner::count(std::string_view counter, std::int64_t delta) {
  const std::lock_guard lock(counters_mutex_);
  const auto place = counters_.find(counter);
  if (place == counters_.end()) {
    counters_.emplace(counter, delta);
  } else {
    place->second += delta;
  }
}

std::map<std::string, std::int64_t> SessionOwner::counters() const {
  const std::lock_guard lock(counters_mutex_);
  return {counters_.begin(), counters_.end()};
}

Session::Session(SessionOwner& owner)
    : owner_(owner), uuids_(owner.services.random.next(), owner.services.random.next()) {}

Session::~Session() {
  if (!terminated_.load() && !entries_.empty()) return_to_queues(0, false);
}

void Session::check_open() const {
  if (terminated_.load(std::memory_order_relaxed)) {
    throw ProcessException("The session was terminated; nothing of it can be committed");
  }
}

void Session::misuse(const Entry& entry, std::string_view what) const {
  const std::string* filename = entry.current->attributes->find(attribute::filename);
  throw FlowFileHandlingError(fmt::format("FlowFile {} (filename {}) {}",
                                          entry.current->uuid.to_string(),
                                          filename != nullptr ? *filename : "-", what));
}

Session::Entry& Session::own(const FlowFile& flow_file) {
  check_open();
  if (!flow_file) throw FlowFileHandlingError("A FlowFile handle that refers to nothing was used");
  auto& entry = static_cast<Entry&>(*flow_file.entry());
  if (entry.session != this) {
    throw FlowFileHandlingError("A FlowFile was used in a session that it does not belong to");
  }
  return entry;
}

Session::Entry& Session::add_entry() {
  std::unique_ptr<Entry> entry;
  if (spare_.empty()) {
    entry = std::make_unique<Entry>();
  } else {
    entry = std::move(spare_.back());
    spare_.pop_back();
  }
  entry->session = this;
  entries_.push_back(std::move(entry));
  touched_ = true;
  return *entries_.back();
}

Session::Entry& Session::add_polled(FlowFilePtr record, FlowFileQueue* queue) {
  Entry& entry = add_entry();
  entry.current = record;
  entry.original = std::move(record);
  entry.source = queue;
  owner_.polls.fetch_add(1, std::memory_order_relaxed);
  return entry;
}

void Session::drop_expired(FlowFileQueue& queue, std::vector<FlowFilePtr> expired) {
  for (FlowFilePtr& record : expired) {
    Entry& entry = add_polled(std::move(record), &queue);
    entry.removed = true;
    entry.expired = true;
  }
}

FlowFile Session::get() {
  const std::lock_guard lock(mutex_);
  check_open();
  const std::size_t sources = owner_.incoming.size();
  for (std::size_t i = 0; i < sources; ++i) {
    FlowFileQueue* queue = owner_.incoming[(next_source_ + i) % sources];
    if (queue->count() == 0) continue;
    FlowFileQueue::Polled polled;
    queue->poll(1, polled);
    drop_expired(*queue, std::move(polled.expired));
    if (polled.flow_files.empty()) continue;
    // Stays with a connection for a while: fewer locks. Not for ever: the others have work too.
    const bool move_on = owner_.polls.load(std::memory_order_relaxed) % kPollsInARow == 0;
    next_source_ = (next_source_ + i + (move_on ? 1 : 0)) % sources;
    return FlowFile(&add_polled(std::move(polled.flow_files.front()), queue));
  }
  if (sources != 0) next_source_ = (next_source_ + 1) % sources;
  return {};
}

std::vector<FlowFile> Session::get(std::size_t most) {
  const std::lock_guard lock(mutex_);
  check_open();
  std::vector<FlowFile> found;
  const std::size_t sources = owner_.incoming.size();
  for (std::size_t i = 0; i < sources && found.size() < most; ++i) {
    FlowFileQueue* queue = owner_.incoming[(next_source_ + i) % sources];
    if (queue->count() == 0) continue;
    FlowFileQueue::Polled polled;
    queue->poll(most - found.size(), polled);
    drop_expired(*queue, std::move(polled.expired));
    for (FlowFilePtr& record : polled.flow_files) {
      found.emplace_back(&add_polled(std::move(record), queue));
    }
  }
  if (sources != 0) next_source_ = (next_source_ + 1) % sources;
  return found;
}

std::vector<FlowFile> Session::get(
    const std::function<FilterDecision(const FlowFileRecord&)>& filter) {
  const std::lock_guard lock(mutex_);
  check_open();
  std::vector<FlowFile> found;
  bool stop = false;
  for (FlowFileQueue* queue : owner_.incoming) {
    if (stop) break;
    FlowFileQueue::Polled polled;
    queue->poll(
        [&](const FlowFileRecord& record) {
          const FilterDecision decision = filter(record);
          stop = decision == FilterDecision::accept_and_stop ||
                 decision == FilterDecision::reject_and_stop;
          return decision;
        },
        polled);
    drop_expired(*queue, std::move(polled.expired));
    for (FlowFilePtr& record : polled.flow_files) {
      found.emplace_back(&add_polled(std::move(record), queue));
    }
  }
  return found;
}

std::size_t Session::queued() const {
  std::size_t total = 0;
  for (FlowFileQueue* queue : owner_.incoming) total += queue->available();
  return total;
}

std::uint64_t Session::take_id() {
  if (ids_left_ == 0) {
    next_id_ = owner_.services.flow_files->next_ids(kIdBlock);
    ids_left_ = kIdBlock;
  }
  --ids_left_;
  return next_id_++;
}

Session::Entry& Session::add_created(const AttributesPtr& attributes,
                                     std::int64_t lineage_start_ms) {
  check_open();
  const std::int64_t now_ms = owner_.services.clock.now_ms();
  auto record = std::make_unique<FlowFileRecord>();
  record->id = take_id();
  record->uuid = uuids_.next(now_ms);
  record->entry_ms = now_ms;
  record->lineage_start_ms = lineage_start_ms == 0 ? now_ms : lineage_start_ms;
  if (attributes) {
    record->attributes = attributes;
  } else {
    record->attributes = Attributes::make({{"filename", record->uuid.to_string()}, {"path", "./"}});
  }
  Entry& entry = add_entry();
  entry.working = record.get();
  entry.current = FlowFilePtr(record.release());
  return entry;
}

FlowFile Session::create() {
  const std::lock_guard lock(mutex_);
  return FlowFile(&add_created(nullptr, 0));
}

FlowFile Session::create(const FlowFile& parent) {
  const std::lock_guard lock(mutex_);
  Entry& from = own(parent);
  Entry& entry =
      add_created(inherited_attributes(from.current->attributes), from.current->lineage_start_ms);
  entry.parent = &from;
  fork_of(from).add_child(entry);
  return FlowFile(&entry);
}

FlowFile Session::create(std::span<const FlowFile> parents) {
  if (parents.empty()) return create();
  const std::lock_guard lock(mutex_);
  std::int64_t lineage_start_ms = INT64_MAX;
  for (const FlowFile& parent : parents) {
    lineage_start_ms = std::min(lineage_start_ms, own(parent).current->lineage_start_ms);
  }
  const AttributesPtr common = inherited_attributes(common_attributes(parents));
  Entry& entry = add_created(common, lineage_start_ms);
  if (common->find(attribute::filename) == nullptr) {
    writable(entry).attributes =
        common->with(std::vector<Attributes::Entry>{{"filename", entry.current->uuid.to_string()}});
  }
  Reported& join = report(provenance::EventType::join, entry);
  entry.join_event = reported_.size() - 1;
  for (const FlowFile& parent : parents) join.add_parent(own(parent));
  join.add_child(entry);
  return FlowFile(&entry);
}

FlowFile Session::clone(const FlowFile& original) {
  return clone(original, 0, original.size());
}

FlowFile Session::clone(const FlowFile& original, std::uint64_t offset, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  Entry& from = own(original);
  const bool whole = offset == 0 && size == from.current->size();
  if (!whole && (offset > from.current->size() || size > from.current->size() - offset)) {
    misuse(from, "was to be cloned past the end of its content");
  }
  Entry& entry = add_created(from.current->attributes, from.current->lineage_start_ms);
  entry.parent = &from;
  writable(entry).claim = from.current->claim.part(offset, size);
  if (whole) {
    Reported& event = report(provenance::EventType::clone, from);
    event.add_parent(from);
    event.add_child(entry);
  } else {
    fork_of(from).add_child(entry);
  }
  return FlowFile(&entry);
}

FlowFileRecord& Session::writable(Entry& entry) {
  if (entry.working == nullptr) {
    auto copy = std::make_unique<FlowFileRecord>(*entry.current);
    entry.working = copy.get();
    entry.current = FlowFilePtr(copy.release());
  }
  return *entry.working;
}

AttributesPtr Session::changed(const AttributesPtr& from, std::span<const Attributes::Entry> set) {
  if (from == last_change_.from && std::ranges::equal(set, last_change_.set)) {
    if (!last_change_.repeated) last_change_.result = last_change_.result->flattened();
    last_change_.repeated = true;
    return last_change_.result;
  }
  AttributesPtr result = from->with(set);
  // What is changed further for one FlowFile alone leaves what all have in common remembered.
  if (from != last_change_.result) {
    last_change_ = {from, {set.begin(), set.end()}, result, false};
  }
  return result;
}

void Session::put_attribute(FlowFile flow_file, std::string_view name, std::string_view value) {
  const Attributes::Entry one{std::string(name), std::string(value)};
  put_attributes(flow_file, std::span(&one, 1));
}

void Session::put_attributes(FlowFile flow_file, std::span<const Attributes::Entry> attributes) {
  Entry& entry = own(flow_file);
  for (const auto& [name, value] : attributes) {
    if (name == attribute::uuid) misuse(entry, "cannot get another uuid");
  }
  FlowFileRecord& record = writable(entry);
  record.attributes = changed(record.attributes, attributes);
  entry.attributes_changed = true;
}

void Session::remove_attributes(FlowFile flow_file, std::span<const std::string> names) {
  Entry& entry = own(flow_file);
  for (const std::string& name : names) {
    if (name == attribute::uuid) misuse(entry, "cannot be without uuid");
  }
  FlowFileRecord& record = writable(entry);
  record.attributes = record.attributes->with({}, names);
  entry.attributes_changed = true;
}

void Session::transfer(FlowFile flow_file, const Relationship& relationship) {
  transfer(flow_file, std::string_view(relationship.name));
}

void Session::transfer(FlowFile flow_file, std::string_view relationship) {
  Entry& entry = own(flow_file);
  if (entry.removed) misuse(entry, "was removed and cannot be transferred");
  const Route* route = owner_.find_route(relationship);
  if (route == nullptr) {
    misuse(entry, fmt::format("was transferred to '{}', which is no relationship of the component",
                              relationship));
  }
  entry.route = route;
  entry.transferred = ++transfers_;
  entry.to_source = false;
}

void Session::transfer_to_source(FlowFile flow_file) {
  Entry& entry = own(flow_file);
  if (entry.removed) misuse(entry, "was removed and cannot be transferred");
  if (entry.source == nullptr) misuse(entry, "was created here and has no queue to go back to");
  entry.to_source = true;
  entry.route = nullptr;
}

void Session::penalize(FlowFile flow_file) {
  Entry& entry = own(flow_file);
  writable(entry).penalty_until_ms = owner_.services.clock.now_ms() + owner_.penalty_ms;
  entry.penalized = true;
}

void Session::remove(FlowFile flow_file) {
  Entry& entry = own(flow_file);
  entry.removed = true;
  entry.route = nullptr;
  entry.to_source = false;
}

void Session::after_commit(std::function<void()> action) {
  check_open();
  touched_ = true;
  after_commit_.push_back(std::move(action));
}

void Session::adjust_counter(std::string_view name, std::int64_t delta) {
  check_open();
  touched_ = true;
  counted_.emplace_back(name, delta);
}

void Session::migrate(ProcessSession& to, std::span<const FlowFile> flow_files) {
  auto& target = static_cast<Session&>(to);
  if (&target == this) return;
  const std::scoped_lock lock(mutex_, target.mutex_);
  target.check_open();
  std::vector<Entry*> moving;
  for (const FlowFile& flow_file : flow_files) moving.push_back(&own(flow_file));
  const auto moves = [&](const Entry* entry) {
    return std::find(moving.begin(), moving.end(), entry) != moving.end();
  };
  // An event that names several FlowFiles is committed by one session, together with them.
  for (const Reported& reported : reported_) {
    if (reported.entry == nullptr) continue;
    const bool first = moves(reported.entry);
    for (const auto* group : {&reported.parents, &reported.children}) {
      for (const Entry* other : *group) {
        if (moves(other) != first) {
          misuse(*other, "is parent or child of a FlowFile that stays in another session");
        }
      }
    }
  }
  // FlowFiles mostly move in the order in which they came: the search goes on behind the last.
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(checkpointed_);
  auto next = first;
  for (Entry* entry : moving) {
    const auto is_it = [&](const std::unique_ptr<Entry>& e) { return e.get() == entry; };
    auto place = std::find_if(next, entries_.end(), is_it);
    if (place == entries_.end()) {
      place = std::find_if(first, next, is_it);
      if (place == next) {
        std::erase(entries_, nullptr);
        misuse(*entry, "belongs to a finished trigger and cannot migrate");
      }
    }
    next = place;
    migrate_events(target, *entry);
    entry->session = &target;
    target.entries_.push_back(std::move(*place));
    target.touched_ = true;
  }
  entries_.erase(std::remove(first, entries_.end(), nullptr), entries_.end());
}

void Session::recycle(std::size_t from) {
  while (entries_.size() > from) {
    std::unique_ptr<Entry> entry = std::move(entries_.back());
    entries_.pop_back();
    if (spare_.size() >= kSpareEntries) continue;
    *entry = Entry();
    spare_.push_back(std::move(entry));
  }
}

// FlowFiles go back as they were polled; created ones and written contents just vanish.
void Session::return_to_queues(std::size_t from, bool penalize) {
  const std::int64_t until_ms = owner_.services.clock.now_ms() + owner_.penalty_ms;
  const auto earlier = [](const FlowFilePtr& a, const FlowFilePtr& b) {
    return a->arrival() < b->arrival();
  };
  std::vector<Delivery> back;
  for (std::size_t i = from; i < entries_.size(); ++i) {
    Entry& entry = *entries_[i];
    if (entry.source == nullptr) continue;
    auto place = std::find_if(back.begin(), back.end(),
                              [&](const Delivery& d) { return d.queue == entry.source; });
    if (place == back.end()) place = back.insert(back.end(), Delivery{entry.source, {}});
    FlowFilePtr record = std::move(entry.original);
    if (penalize && !entry.expired) {
      auto copy = std::make_unique<FlowFileRecord>(*record);
      copy->set_arrival(record->arrival());
      copy->penalty_until_ms = until_ms;
      record = FlowFilePtr(copy.release());
    }
    place->flow_files.push_back(std::move(record));
  }
  recycle(from);
  for (Delivery& delivery : back) {
    // A commit that failed may have put them into another order.
    std::stable_sort(delivery.flow_files.begin(), delivery.flow_files.end(), earlier);
    delivery.queue->put_back(std::move(delivery.flow_files));
  }
}

void Session::rollback(bool penalize) {
  const std::lock_guard lock(mutex_);
  if (terminated_.load()) return;
  return_to_queues(checkpointed_, penalize);
  reported_.resize(reported_checkpoint_);
  after_commit_.resize(after_checkpoint_);
  counted_.resize(counted_checkpoint_);
  touched_ = false;
}

void Session::terminate() {
  const std::lock_guard lock(mutex_);
  if (terminated_.exchange(true)) return;
  // Entries stay allocated: the hanging trigger may still look at its handles.
  std::vector<Delivery> back;
  for (const auto& entry : entries_) {
    if (entry->source == nullptr) continue;
    back.push_back({entry->source, {entry->original}});
  }
  for (auto delivery = back.rbegin(); delivery != back.rend(); ++delivery) {
    delivery->queue->put_back(std::move(delivery->flow_files));
  }
}

}  // namespace weir::runtime
