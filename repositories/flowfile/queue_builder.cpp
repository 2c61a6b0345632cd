#include "repositories/flowfile/queue_builder.h"

#include <algorithm>

namespace weir::flowfile {
namespace {

// The numbers are sorted beside the records, which lie all over the memory.
void sort_by_arrival(std::vector<FlowFilePtr>& flow_files) {
  std::vector<std::pair<std::uint64_t, FlowFilePtr>> keyed;
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  keyed.reserve(flow_files.size());
  for (FlowFilePtr& flow_file : flow_files) {
    const std::uint64_t arrival = flow_file->arrival();
    keyed.emplace_back(arrival, std::move(flow_file));
  }
  if (!std::is_sorted(keyed.begin(), keyed.end(), earlier)) {
    std::sort(keyed.begin(), keyed.end(), earlier);
  }
  for (std::size_t i = 0; i < keyed.size(); ++i) flow_files[i] = std::move(keyed[i].second);
}

}  // namespace

RecordMaker::RecordMaker(content::ContentRepository& contents,
                         std::span<const content::ResourceClaimPtr> known)
    : contents_(contents) {
  for (const content::ResourceClaimPtr& claim : known) {
    known_[{claim->container, claim->section, claim->identifier}] = claim;
  }
}

boost::intrusive_ptr<FlowFileRecord> RecordMaker::make(const PlainFlowFile& file) {
  boost::intrusive_ptr<FlowFileRecord> record(new FlowFileRecord());
  record->id = file.id;
  record->uuid = file.uuid;
  record->entry_ms = file.entry_ms;
  record->lineage_start_ms = file.lineage_start_ms;
  record->penalty_until_ms = file.penalty_until_ms;
  if (!file.attributes.empty()) {
    storage::Decoder in(file.attributes);
    record->attributes = Attributes::decode(file.uuid, in);
  }
  record->claim = claim(file.claim);
  record->set_arrival(file.order);
  return record;
}

content::ContentClaim RecordMaker::claim(const PlainClaim& plain) {
  if (plain.container.empty()) return {};
  if (!last_ || last_->identifier != plain.identifier || last_->section != plain.section ||
      last_->container != plain.container) {
    last_ = resource({.container = std::string(plain.container),
                      .section = plain.section,
                      .identifier = plain.identifier});
  }
  if (plain.has_checksum) return {last_, plain.offset, plain.length, plain.checksum};
  return {last_, plain.offset, plain.length};
}

content::ResourceClaimPtr RecordMaker::resource(const content::ClaimLocation& location) {
  const auto known = known_.find({location.container, location.section, location.identifier});
  if (known != known_.end()) return known->second;
  // Any length but zero, which would be the empty content of no resource.
  content::ClaimLocation whole = location;
  whole.length = std::max<std::uint64_t>(whole.length, 1);
  return contents_.resolve(whole).resource();
}

void QueueBuilder::flow_file(const PlainFlowFile& file, std::uint32_t connection) {
  if (connection >= queues_.size()) queues_.resize(connection + 1);
  try {
    queues_[connection].push_back(maker_.make(file));
  } catch (const storage::DecodeError&) {
    unreadable_.push_back(file.id);
  }
}

void QueueBuilder::swap_file(SwapSummary&& summary) {
  (summary.lost ? lost_names_ : swap_names_).insert(summary.name);
  summaries_.push_back(std::move(summary));
}

void QueueBuilder::finish(const Layout& layout, Recovered& recovered,
                          std::vector<content::ResourceClaimPtr>& kept_claims) {
  std::map<std::string, std::size_t> indexes;
  const auto queue_of = [&](const std::string& connection) -> RecoveredQueue& {
    const auto [it, added] = indexes.try_emplace(connection, recovered.queues.size());
    if (added) recovered.queues.emplace_back().connection = connection;
    return recovered.queues[it->second];
  };
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].empty()) continue;
    std::vector<FlowFilePtr>& flow_files = queues_[i];
    sort_by_arrival(flow_files);
    recovered.flow_file_count += flow_files.size();
    queue_of(names_.text(i)).flow_files = std::move(flow_files);
  }
  for (const SwapSummary& summary : summaries_) {
    auto swap_file = std::make_shared<SwapFile>();
    swap_file->connection = summary.connection;
    swap_file->name = summary.name;
    swap_file->count = summary.count;
    swap_file->bytes = summary.bytes;
    swap_file->first_order = summary.first_order;
    for (const content::ClaimLocation& location : summary.claims) {
      swap_file->claims.push_back(maker_.resource(location));
    }
    if (summary.lost) {
      kept_claims.insert(kept_claims.end(), swap_file->claims.begin(), swap_file->claims.end());
      recovered.findings.push_back({.file = layout.damaged() / summary.name,
                                    .what = std::to_string(summary.count) +
                                            " FlowFiles of connection " + summary.connection +
                                            " were in a swap file that could not be read"});
      continue;
    }
    recovered.flow_file_count += summary.count;
    queue_of(summary.connection).swap_files.push_back(std::move(swap_file));
  }
  for (RecoveredQueue& queue : recovered.queues) {
    std::stable_sort(queue.swap_files.begin(), queue.swap_files.end(),
                     [](const auto& a, const auto& b) { return a->first_order < b->first_order; });
  }
  const auto report = [&](const std::vector<std::uint64_t>& ids, const std::string& what) {
    if (ids.empty()) return;
    recovered.unreadable_records = true;
    recovered.findings.push_back({.file = layout.root, .what = describe_ids(ids) + what});
  };
  report(unknown_, " changed by the journal, though nothing tells what they were");
  report(unreadable_, " with attributes that cannot be decoded");
}

std::string describe_ids(const std::vector<std::uint64_t>& ids) {
  std::string text = std::to_string(ids.size()) + " FlowFiles (ids";
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(ids[i]);
  }
  if (ids.size() > kShown) text += ", ...";
  return text + ")";
}

}  // namespace weir::flowfile
