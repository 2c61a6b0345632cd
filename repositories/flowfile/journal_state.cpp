#include "repositories/flowfile/journal_state.h"

#include <algorithm>

namespace weir::flowfile {

void JournalState::apply(storage::Bytes payload) {
  storage::Decoder in(payload);
  switch (static_cast<format::RecordKind>(in.u8())) {
    case format::RecordKind::commit:
      apply_commit(in);
      break;
    case format::RecordKind::swap_out:
      apply_swap_out(in);
      break;
    case format::RecordKind::swap_in:
      apply_swap_in(std::string(in.string()));
      break;
    case format::RecordKind::swap_lost:
      apply_lost(std::string(in.string()));
      break;
    case format::RecordKind::open: {
      const OpenRecord record = decode_open(in);
      counters_.next_order = std::max(counters_.next_order, record.next_order);
      counters_.next_id = std::max(counters_.next_id, record.next_id);
      counters_.next_event_id = std::max(counters_.next_event_id, record.next_event_id);
      break;
    }
    case format::RecordKind::mark:
      break;
    default:
      throw storage::DecodeError("a record is of unknown kind");
  }
}

void JournalState::apply_commit(storage::Decoder in) {
  CommitDecoder commit(in);
  counters_.next_event_id =
      std::max(counters_.next_event_id, commit.first_event_id() + commit.event_count());
  static thread_local std::vector<std::uint32_t> connections;
  connections.clear();
  for (const storage::Bytes connection : commit.connections()) {
    connections.push_back(names_.connection(connection));
  }
  PlainUpdate update;
  while (commit.next(update)) {
    counters_.next_id = std::max(counters_.next_id, update.file.id + 1);
    if (update.kind == FlowFileUpdate::Kind::drop) {
      remove(update.file.id);
      continue;
    }
    update.file.order = counters_.next_order++;
    bool added;
    Touched& touched = touch(update.file.id, added);
    if (update.kind == FlowFileUpdate::Kind::create) {
      if (!added) touched.maybe_in_base = true;
      set_whole(touched, update.file);
    } else {
      if (added) touched.maybe_in_base = true;
      touched.dropped = false;
      touched.penalty_until_ms = update.file.penalty_until_ms;
      touched.order = update.file.order;
      if (update.has_content) {
        touched.claim = update.file.claim;
        touched.claim.container = names_.container(touched.claim.container);
        touched.has_content = true;
      }
      if (update.has_attributes) {
        touched.attributes.assign(reinterpret_cast<const char*>(update.file.attributes.data()),
                                  update.file.attributes.size());
        touched.has_attributes = true;
      }
    }
    touched.connection = connections[update.connection];
  }
}

JournalState::Touched& JournalState::touch(std::uint64_t id, bool& added) {
  const auto [it, inserted] = slots_.try_emplace(id, 0);
  added = inserted;
  if (!inserted) return touched_[it->second];
  if (free_.empty()) {
    it->second = static_cast<std::uint32_t>(touched_.size());
    touched_.emplace_back();
  } else {
    it->second = free_.back();
    free_.pop_back();
    std::string attributes = std::move(touched_[it->second].attributes);
    attributes.clear();
    touched_[it->second] = {};
    touched_[it->second].attributes = std::move(attributes);
  }
  Touched& touched = touched_[it->second];
  touched.id = id;
  return touched;
}

void JournalState::set_whole(Touched& touched, const PlainFlowFile& file) {
  touched.uuid = file.uuid;
  touched.entry_ms = file.entry_ms;
  touched.lineage_start_ms = file.lineage_start_ms;
  touched.penalty_until_ms = file.penalty_until_ms;
  touched.claim = file.claim;
  touched.claim.container = names_.container(file.claim.container);
  touched.attributes.assign(reinterpret_cast<const char*>(file.attributes.data()),
                            file.attributes.size());
  touched.order = file.order;
  touched.whole = touched.has_attributes = touched.has_content = true;
  touched.dropped = false;
}

void JournalState::remove(std::uint64_t id) {
  bool added;
  Touched& touched = touch(id, added);
  if (added || touched.maybe_in_base) {
    touched.maybe_in_base = true;
    touched.dropped = true;
    touched.whole = touched.has_attributes = touched.has_content = false;
    return;
  }
  const auto it = slots_.find(id);
  free_.push_back(it->second);
  slots_.erase(it);
}

void JournalState::apply_swap_out(storage::Decoder in) {
  SwapSummary summary = decode_summary(in);
  const std::size_t count = in.count(1);
  std::uint64_t id = 0;
  for (std::size_t i = 0; i < count; ++i) {
    id += static_cast<std::uint64_t>(in.signed_varint());
    remove(id);
  }
  const std::string name = summary.name;
  swapped_out_[name] = std::move(summary);
}

void JournalState::apply_swap_in(const std::string& name) {
  const bool readable = read_swap_(name, [&](const PlainFlowFile& file, storage::Bytes connection) {
    bool added;
    Touched& touched = touch(file.id, added);
    touched.maybe_in_base = true;
    set_whole(touched, file);
    touched.connection = names_.connection(connection);
  });
  if (!readable) {
    apply_lost(name);
    return;
  }
  finished_.push_back(name);
  if (swapped_out_.erase(name) == 0) swapped_in_.insert(name);
}

void JournalState::apply_lost(const std::string& name) {
  if (const auto out = swapped_out_.find(name); out != swapped_out_.end()) {
    out->second.lost = true;
  } else {
    lost_.insert(name);
  }
}

void JournalState::emit(const Touched& touched, Visitor& visitor) const {
  visitor.flow_file({.id = touched.id,
                     .uuid = touched.uuid,
                     .entry_ms = touched.entry_ms,
                     .lineage_start_ms = touched.lineage_start_ms,
                     .penalty_until_ms = touched.penalty_until_ms,
                     .claim = touched.claim,
                     .attributes = std::as_bytes(std::span(touched.attributes)),
                     .order = touched.order},
                    touched.connection);
}

void JournalState::emit(const Touched& touched, const PlainFlowFile& base, Visitor& visitor) {
  PlainFlowFile file = base;
  file.penalty_until_ms = touched.penalty_until_ms;
  file.order = touched.order;
  if (touched.has_content) {
    file.claim = touched.claim;
  } else {
    file.claim.container = names_.container(file.claim.container);
  }
  if (touched.has_attributes) file.attributes = std::as_bytes(std::span(touched.attributes));
  visitor.flow_file(file, touched.connection);
}

void JournalState::emit_base_summary(SwapSummary&& summary, Visitor& visitor) const {
  if (swapped_in_.contains(summary.name)) return;
  if (lost_.contains(summary.name)) summary.lost = true;
  visitor.swap_file(std::move(summary));
}

void JournalState::merge(SnapshotReader* base, Visitor& visitor) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> live;
  live.reserve(slots_.size());
  for (const auto& [id, slot] : slots_) {
    if (!touched_[slot].dropped) live.emplace_back(id, slot);
  }
  std::sort(live.begin(), live.end());
  std::size_t next = 0;
  const auto emit_below = [&](std::uint64_t id) {
    for (; next < live.size() && live[next].first < id; ++next) {
      const Touched& touched = touched_[live[next].second];
      touched.whole ? emit(touched, visitor) : visitor.unknown(touched.id);
    }
  };
  if (base != nullptr) {
    base->read(
        [&](const PlainFlowFile& file, storage::Bytes connection) {
          emit_below(file.id);
          if (next < live.size() && live[next].first == file.id) {
            const Touched& touched = touched_[live[next++].second];
            touched.whole ? emit(touched, visitor) : emit(touched, file, visitor);
          } else if (!slots_.contains(file.id)) {
            PlainFlowFile kept = file;
            kept.claim.container = names_.container(file.claim.container);
            visitor.flow_file(kept, names_.connection(connection));
          }
        },
        [&](SwapSummary&& summary) { emit_base_summary(std::move(summary), visitor); });
  }
  emit_below(UINT64_MAX);
  for (auto& [name, summary] : swapped_out_) visitor.swap_file(std::move(summary));
}

}  // namespace weir::flowfile
