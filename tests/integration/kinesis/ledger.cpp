#include "tests/integration/kinesis/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace weir::kinesis_testing {
namespace {

constexpr std::size_t kMostLines = 10;

void report(std::vector<std::string>& lines, std::string line) {
  if (lines.size() < kMostLines) lines.push_back(std::move(line));
}

}  // namespace

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Ledger::Ledger(std::vector<Delivery> deliveries, Sink& sink) {
  add(std::move(deliveries), sink);
}

Ledger Ledger::merged(std::vector<std::pair<std::vector<Delivery>, Sink*>> engines) {
  Ledger ledger;
  for (auto& [deliveries, sink] : engines) ledger.add(std::move(deliveries), *sink);
  std::ranges::stable_sort(ledger.entries_, {},
                           [](const Entry& entry) { return entry.delivery.time_ms; });
  return ledger;
}

void Ledger::add(std::vector<Delivery> deliveries, Sink& sink) {
  for (Delivery& delivery : deliveries) {
    const std::vector<RecordName>* const records = sink.find(delivery.uuid);
    if (records == nullptr) {
      report(not_written_,
             fmt::format("FlowFile {} of event {} was not written", delivery.uuid, delivery.event));
      continue;
    }
    entries_.push_back({.delivery = std::move(delivery), .records = *records});
  }
}

std::vector<std::string> Ledger::check_complete(const LaneCounts& sent) const {
  std::vector<std::string> wrong = not_written_;
  std::set<RecordName> seen;
  for (const Entry& entry : entries_) seen.insert(entry.records.begin(), entry.records.end());
  for (std::size_t lane = 0; lane < sent.size(); ++lane) {
    for (int number = 0; number < sent[lane]; ++number) {
      const RecordName name{.lane = static_cast<int>(lane), .number = number};
      if (!seen.contains(name)) report(wrong, to_text(name) + " is lost");
    }
  }
  return wrong;
}

std::vector<std::string> Ledger::check_order() const {
  std::vector<std::string> wrong;
  std::map<int, int> next;  // of each lane
  std::set<RecordName> seen;
  for (const Entry& entry : entries_) {
    for (const RecordName& name : entry.records) {
      if (!seen.insert(name).second) continue;
      if (name.number != next[name.lane]) {
        report(wrong,
               fmt::format("{} came where {}/{} was next (event {}, {})", to_text(name), name.lane,
                           next[name.lane], entry.delivery.event, entry.delivery.shard));
      }
      next[name.lane] = std::max(next[name.lane], name.number + 1);
    }
  }
  return wrong;
}

std::vector<std::string> Ledger::check_behind(const std::map<std::string, LeaseRow>& checkpoints,
                                              std::int64_t time_ms) const {
  std::vector<std::string> wrong;
  for (const Entry& entry : entries_) {
    if (entry.delivery.time_ms < time_ms) continue;
    const auto row = checkpoints.find(entry.delivery.shard);
    if (row == checkpoints.end() || !row->second.in_shard()) continue;
    if (entry.delivery.first > row->second.checkpoint) continue;
    report(wrong, fmt::format("{} of {} came again though {} was checkpointed (event {})",
                              entry.delivery.first.sequence_number, entry.delivery.shard,
                              row->second.checkpoint.sequence_number, entry.delivery.event));
  }
  return wrong;
}

std::size_t Ledger::records() const {
  std::size_t count = 0;
  for (const Entry& entry : entries_) count += entry.records.size();
  return count;
}

std::size_t Ledger::duplicates() const {
  std::set<RecordName> seen;
  for (const Entry& entry : entries_) seen.insert(entry.records.begin(), entry.records.end());
  return records() - seen.size();
}

}  // namespace weir::kinesis_testing
