#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/runtime/session.h"

namespace weir::runtime {

using flowfile::Attributes;
using flowfile::Commit;
using flowfile::FlowFilePtr;
using flowfile::FlowFileRecord;
using flowfile::FlowFileUpdate;

namespace {

constexpr std::string_view kRetryAttribute = "retryCount.";

int retries_so_far(const FlowFileRecord& record, const std::string& name) {
  const std::string* text = record.attributes->find(name);
  int count = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), count);
  return count;
}

}  // namespace

void Session::require_settled(std::size_t from) const {
  for (std::size_t i = from; i < entries_.size(); ++i) {
    const Entry& entry = *entries_[i];
    if (!entry.settled()) misuse(entry, "was neither transferred nor removed");
  }
}

// A relationship that is retried: the FlowFile goes back to its queue as it came, with a counter,
// until the count is reached; what the trigger made from it is taken back.
void Session::retry_or_keep(Entry& entry) {
  if (entry.route == nullptr || !entry.route->retried || entry.source == nullptr) return;
  const std::string name = std::string(kRetryAttribute) + owner_.component.id;
  const int before = retries_so_far(*entry.original, name);
  if (before >= owner_.retry_count) {
    if (before > 0) {
      const std::string names[] = {name};
      FlowFileRecord& record = writable(entry);
      record.attributes = record.attributes->with({}, names);
      entry.attributes_changed = true;
    }
    return;
  }
  auto again = std::make_unique<FlowFileRecord>(*entry.original);
  const Attributes::Entry counter[] = {{name, std::to_string(before + 1)}};
  again->attributes = again->attributes->with(counter);
  const std::int64_t backoff_ms =
      std::min(owner_.penalty_ms << std::min(before, 20), owner_.max_backoff_ms);
  if (owner_.retry_yields) {
    owner_.yield(backoff_ms);
  } else {
    again->penalty_until_ms = owner_.services.clock.now_ms() + backoff_ms;
  }
  entry.working = again.get();
  entry.current = FlowFilePtr(again.release());
  entry.route = nullptr;
  entry.to_source = true;
  entry.attributes_changed = true;
  entry.content_changed = false;
  entry.penalized = true;
  for (std::size_t i = checkpointed_; i < entries_.size(); ++i) {
    const Entry* ancestor = entries_[i]->parent;
    while (ancestor != nullptr && ancestor != &entry) ancestor = ancestor->parent;
    if (ancestor != nullptr) entries_[i]->discarded = true;
  }
  for (std::size_t i = reported_checkpoint_; i < reported_.size(); ++i) {
    if (reported_[i].entry == &entry) reported_[i].entry = nullptr;
  }
}

void Session::checkpoint() {
  check_open();
  if (std::any_of(writers_.begin(), writers_.end(), [](const auto& slot) { return slot.busy; })) {
    throw FlowFileHandlingError("The session is to be committed while an output stream is open");
  }
  require_settled(checkpointed_);
  for (std::size_t i = checkpointed_; i < entries_.size(); ++i) retry_or_keep(*entries_[i]);
  checkpointed_ = entries_.size();
  reported_checkpoint_ = reported_.size();
  after_checkpoint_ = after_commit_.size();
  counted_checkpoint_ = counted_.size();
  touched_ = false;
}

// Almost always the order in which they came or were made: then nothing moves.
void Session::order_by_transfer() {
  const auto earlier = [](const std::unique_ptr<Entry>& a, const std::unique_ptr<Entry>& b) {
    return a->transferred < b->transferred;
  };
  if (!std::is_sorted(entries_.begin(), entries_.end(), earlier)) {
    std::stable_sort(entries_.begin(), entries_.end(), earlier);
  }
}

// A relationship with several connections: the FlowFile goes to the first, clones to the others.
void Session::route_clones() {
  const std::size_t count = entries_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Entry* entry = entries_[i].get();
    if (entry->discarded || entry->route == nullptr || entry->route->queues.size() < 2) continue;
    for (std::size_t q = 1; q < entry->route->queues.size(); ++q) {
      Entry& copy = add_created(entry->current->attributes, entry->current->lineage_start_ms);
      writable(copy).claim = entry->current->claim;
      copy.working->penalty_until_ms = entry->current->penalty_until_ms;
      copy.route = entry->route;
      copy.clone_queue = entry->route->queues[q];
      Reported& event = report(provenance::EventType::clone, *entry);
      event.add_parent(*entry);
      event.add_child(copy);
    }
  }
}

std::uint32_t Session::connection_index(Commit& commit, FlowFileQueue* queue) {
  for (std::size_t i = 0; i < deliveries_.size(); ++i) {
    if (deliveries_[i].queue == queue) return static_cast<std::uint32_t>(i);
  }
  deliveries_.push_back({queue, {}});
  commit.connections.push_back(queue->id());
  return static_cast<std::uint32_t>(deliveries_.size() - 1);
}

Commit Session::build_commit() {
  Commit commit;
  deliveries_.clear();
  commit.updates.reserve(entries_.size());
  for (const auto& pointer : entries_) {
    Entry& entry = *pointer;
    if (entry.discarded) continue;
    FlowFileQueue* target = entry.target();
    FlowFileUpdate update;
    if (target == nullptr) {
      if (entry.original == nullptr) continue;  // made and gone in one commit
      update.kind = FlowFileUpdate::Kind::drop;
      update.record = entry.original;
    } else {
      update.connection = connection_index(commit, target);
      update.record = entry.current;
      update.kind = entry.original ? FlowFileUpdate::Kind::change : FlowFileUpdate::Kind::create;
      update.attributes_changed = entry.attributes_changed;
      update.content_changed = entry.content_changed;
      deliveries_[update.connection].flow_files.push_back(entry.current);
    }
    commit.updates.push_back(std::move(update));
  }
  commit.event_count = events_.count();
  commit.events = events_.take();
  return commit;
}

void Session::acknowledge_sources() {
  struct Sum {
    FlowFileQueue* queue;
    std::uint64_t count;
    std::uint64_t bytes;
  };
  std::vector<Sum> sums;
  for (const auto& entry : entries_) {
    if (entry->source == nullptr) continue;
    auto place = std::find_if(sums.begin(), sums.end(),
                              [&](const Sum& sum) { return sum.queue == entry->source; });
    if (place == sums.end()) place = sums.insert(sums.end(), Sum{entry->source, 0, 0});
    ++place->count;
    place->bytes += entry->original->size();
  }
  for (const Sum& sum : sums) sum.queue->acknowledge(sum.count, sum.bytes);
}

void Session::count_statistics() {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  for (const auto& entry : entries_) {
    if (entry->original) {
      ++in;
      bytes_in += entry->original->size();
    }
    if (entry->target() != nullptr) {
      ++out;
      bytes_out += entry->current->size();
    }
  }
  owner_.flow_files_in.fetch_add(in, std::memory_order_relaxed);
  owner_.flow_files_out.fetch_add(out, std::memory_order_relaxed);
  owner_.bytes_in.fetch_add(bytes_in, std::memory_order_relaxed);
  owner_.bytes_out.fetch_add(bytes_out, std::memory_order_relaxed);
  owner_.services.hops.fetch_add(std::max(in, out), std::memory_order_relaxed);
}

void Session::tell_observer() const {
  for (const auto& entry : entries_) {
    if (entry->discarded || entry->route == nullptr || entry->clone_queue != nullptr) continue;
    owner_.services.routes->routed(owner_.component.id, entry->route->relationship, entry->current);
  }
}

void Session::deliver() {
  for (Delivery& delivery : deliveries_) delivery.queue->put(std::move(delivery.flow_files));
  deliveries_.clear();
}

void Session::commit() {
  checkpoint();
  std::vector<std::function<void()>> actions;
  {
    const std::lock_guard lock(mutex_);
    check_open();
    if (!entries_.empty()) {
      // Whatever fails below: the FlowFiles are back in their queues, nothing has happened.
      struct Undo {
        Session& session;
        bool armed = true;
        ~Undo() {
          if (!armed) return;
          session.events_.take();
          session.checkpointed_ = session.reported_checkpoint_ = session.after_checkpoint_ = 0;
          session.reported_.clear();
          session.after_commit_.clear();
          session.counted_.clear();
          session.counted_checkpoint_ = 0;
          session.writers_.clear();
          session.return_to_queues(0, false);
        }
      } undo{*this};
      order_by_transfer();
      route_clones();
      encode_events();
      for (WriterSlot& slot : writers_) {
        if (owner_.services.config.flow_files.always_sync) {
          slot.writer->sync();
        } else {
          slot.writer->flush();
        }
      }
      owner_.services.flow_files->commit(build_commit());
      undo.armed = false;
      count_statistics();
      if (owner_.services.routes != nullptr) tell_observer();
      deliver();
      acknowledge_sources();
    }
    writers_.clear();
    recycle(0);
    checkpointed_ = reported_checkpoint_ = after_checkpoint_ = counted_checkpoint_ = 0;
    reported_.clear();
    for (const auto& [name, delta] : counted_) owner_.count(name, delta);
    counted_.clear();
    actions.swap(after_commit_);
  }
  for (const auto& action : actions) {
    try {
      action();
    } catch (const std::exception& error) {
      owner_.log->error("An action after the commit failed: {}", error.what());
    }
  }
}

}  // namespace weir::runtime
