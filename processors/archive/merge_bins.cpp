#include "processors/archive/merge_bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace weir::processors {
namespace {

// A bin that is full enough goes once this many FlowFiles in a row did not fit.
constexpr std::uint64_t most_failed_offers = 5;

std::optional<std::uint64_t> number(const std::string* text) {
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Bin::Bin(std::shared_ptr<ProcessSession> bin_session, const BinLimits& limits,
         std::int64_t created_ms)
    : session_(std::move(bin_session)), limits_(limits), created_ms_(created_ms) {}

bool Bin::offer(const FlowFile& flow_file) {
  const std::uint64_t size = flow_file.size();
  const bool fits =
      limits_.defragment || (contents_.size() < limits_.most_entries &&
                             size <= limits_.most_bytes && bytes_ <= limits_.most_bytes - size);
  if (closed_ || !fits) {
    ++failed_offers_;
    return false;
  }
  take(flow_file);
  failed_offers_ = 0;
  return true;
}

void Bin::take(const FlowFile& flow_file) {
  if (limits_.defragment) {
    if (const auto count = number(flow_file.find_attribute(attribute::fragment_count))) {
      fragment_count_ = std::max(fragment_count_, *count);
    }
    fragment_indexes_.insert(flow_file.attribute(attribute::fragment_index).value_or(""));
  }
  contents_.push_back(flow_file);
  bytes_ += flow_file.size();
}

void Bin::migrate_from(ProcessSession& session) {
  if (migrated_ == contents_.size()) return;
  session.migrate(*session_, std::span<const FlowFile>(contents_).subspan(migrated_));
  migrated_ = contents_.size();
}

void Bin::close(std::string reason) {
  closed_ = true;
  reason_ = std::move(reason);
}

bool Bin::is_complete() const {
  return fragment_count_ > 0 && fragment_indexes_.size() >= fragment_count_;
}

bool Bin::is_full() {
  if (closed_) return true;
  if (limits_.defragment) {
    if (is_complete()) reason_ = "MAX_ENTRIES_THRESHOLD_REACHED";
    return is_complete();
  }
  if (contents_.size() >= limits_.most_entries) {
    reason_ = "MAX_ENTRIES_THRESHOLD_REACHED";
    return true;
  }
  if (bytes_ >= limits_.most_bytes) {
    reason_ = "MAX_BYTES_THRESHOLD_REACHED";
    return true;
  }
  return failed_offers_ > most_failed_offers && is_full_enough();
}

bool Bin::is_full_enough() {
  if (closed_) return true;
  if (limits_.defragment) {
    // Without any count nobody can tell when it is complete: it fails instead of waiting.
    return is_full() || fragment_count_ == 0;
  }
  if (bytes_ < limits_.least_bytes || contents_.size() < limits_.least_entries) return false;
  reason_ = "MIN_THRESHOLDS_REACHED";
  return true;
}

bool Bin::is_expired(std::int64_t now_ms) const {
  return limits_.most_age_ms && now_ms - created_ms_ >= *limits_.most_age_ms;
}

Bin& BinStore::open(const std::string& group, ProcessSessionFactory& sessions,
                    std::int64_t now_ms) {
  bins_.push_back({group, Bin(sessions.create_session(), limits_, now_ms)});
  return bins_.back().bin;
}

Bin* BinStore::offer(const std::string& group, const FlowFile& flow_file,
                     ProcessSessionFactory& sessions, std::int64_t now_ms) {
  for (Entry& entry : bins_) {
    if (entry.group == group && entry.bin.offer(flow_file)) return &entry.bin;
  }
  if (!limits_.defragment && flow_file.size() > limits_.most_bytes) return nullptr;
  Bin& bin = open(group, sessions, now_ms);
  bin.offer(flow_file);
  return &bin;
}

void BinStore::migrate_from(ProcessSession& session) {
  for (Entry& entry : bins_) entry.bin.migrate_from(session);
}

void BinStore::close_group(const std::string& group, const std::string& reason) {
  for (Entry& entry : bins_) {
    if (entry.group == group && !entry.bin.is_full()) entry.bin.close(reason);
  }
}

std::list<Bin> BinStore::take_ready(bool relaxed, std::int64_t now_ms) {
  std::list<Bin> ready;
  for (auto entry = bins_.begin(); entry != bins_.end();) {
    Bin& bin = entry->bin;
    bool goes = bin.is_full() || (relaxed && bin.is_full_enough());
    if (!goes && bin.is_expired(now_ms)) {
      bin.close("TIMEOUT");
      goes = true;
    }
    if (goes) {
      ready.push_back(std::move(bin));
      entry = bins_.erase(entry);
    } else {
      ++entry;
    }
  }
  return ready;
}

bool BinStore::has_full() {
  return std::ranges::any_of(bins_, [](Entry& entry) { return entry.bin.is_full(); });
}

std::optional<Bin> BinStore::take_oldest(const std::string& reason) {
  if (bins_.empty()) return std::nullopt;
  std::optional<Bin> oldest(std::move(bins_.front().bin));
  bins_.pop_front();
  oldest->close(reason);
  return oldest;
}

void BinStore::roll_back() {
  for (Entry& entry : bins_) entry.bin.session().rollback();
  bins_.clear();
}

std::optional<std::string> check_fragments(std::vector<FlowFile>& fragments) {
  std::vector<std::pair<std::uint64_t, FlowFile>> indexed;
  std::optional<std::uint64_t> count;
  for (const FlowFile& fragment : fragments) {
    const auto index = number(fragment.find_attribute(attribute::fragment_index));
    if (!index) return "a fragment has no fragment.index that is a number";
    indexed.emplace_back(*index, fragment);
    const std::string* text = fragment.find_attribute(attribute::fragment_count);
    if (!text) continue;
    const auto own = number(text);
    if (!own) return fmt::format("fragment.count is \"{}\", which is no number", *text);
    if (count && *own != *count) {
      return fmt::format("the fragments disagree on fragment.count: {} and {}", *count, *own);
    }
    count = own;
  }
  if (!count) return "no fragment has a fragment.count";
  std::ranges::stable_sort(indexed, {}, [](const auto& entry) { return entry.first; });
  const std::uint64_t first = indexed.front().first;
  for (std::size_t i = 1; i < indexed.size(); ++i) {
    if (indexed[i].first == indexed[i - 1].first) {
      return fmt::format("two fragments have the index {}", indexed[i].first);
    }
  }
  if (indexed.size() != *count || first > 1 || indexed.back().first != first + *count - 1) {
    return fmt::format("only {} of {} fragments are there", indexed.size(), *count);
  }
  for (std::size_t i = 0; i < indexed.size(); ++i) fragments[i] = indexed[i].second;
  return std::nullopt;
}

}  // namespace weir::processors
