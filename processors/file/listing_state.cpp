#include "processors/file/listing_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace weir::processors {
namespace {

const std::string newest_key = "listing.timestamp";
const std::string file_prefix = "file:";

std::int64_t number(const std::string& text) {
  return std::strtoll(text.c_str(), nullptr, 10);
}

// A time that far ahead is no file being written: its clock was wrong. It is listed at once.
constexpr std::int64_t future_ms = 60'000;

}  // namespace

TimestampState::TimestampState(const Map& stored, std::int64_t precision_ms)
    : precision_ms_(precision_ms) {
  for (const auto& [key, value] : stored) {
    if (key == newest_key) newest_ms_ = number(value);
    if (key.starts_with(file_prefix)) listed_[key.substr(file_prefix.size())] = number(value);
  }
}

std::vector<WalkedFile> TimestampState::choose(std::vector<WalkedFile> files, std::int64_t start_ms,
                                               bool) {
  std::int64_t precision_ms = precision_ms_;
  if (precision_ms == 0) {
    precision_ms =
        std::ranges::any_of(
            files, [](const WalkedFile& file) { return file.facts.modified_ms() % 1000 != 0; })
            ? 1
            : 1000;
  }
  const std::int64_t settled_ms = start_ms - start_ms % precision_ms;
  std::vector<WalkedFile> chosen;
  std::int64_t newest_ms = newest_ms_;
  for (WalkedFile& file : files) {
    const std::int64_t time_ms = file.facts.modified_ms();
    if (time_ms < newest_ms_ || (time_ms >= settled_ms && time_ms < start_ms + future_ms)) continue;
    const std::string key = key_of(file);
    const auto known = listed_.find(key);
    if (known != listed_.end() && known->second == time_ms) continue;
    listed_[key] = time_ms;
    if (time_ms < settled_ms) newest_ms = std::max(newest_ms, time_ms);
    chosen.push_back(std::move(file));
  }
  newest_ms_ = newest_ms;
  std::erase_if(listed_, [&](const auto& entry) { return entry.second < newest_ms_; });
  return chosen;
}

ListingState::Map TimestampState::to_map() const {
  Map map;
  if (newest_ms_ != INT64_MIN) map[newest_key] = std::to_string(newest_ms_);
  for (const auto& [key, time_ms] : listed_) map[file_prefix + key] = std::to_string(time_ms);
  return map;
}

EntityState::EntityState(const Map& stored, std::int64_t window_ms, bool initially_all)
    : window_ms_(window_ms), initially_all_(initially_all), is_first_(stored.empty()) {
  for (const auto& [key, value] : stored) {
    if (key.starts_with(file_prefix)) known_[key.substr(file_prefix.size())] = value;
  }
}

std::vector<WalkedFile> EntityState::choose(std::vector<WalkedFile> files, std::int64_t start_ms,
                                            bool complete) {
  std::vector<WalkedFile> chosen;
  std::map<std::string, std::string> seen;
  const bool takes_all = is_first_ && initially_all_;
  is_first_ = false;
  for (WalkedFile& file : files) {
    const std::string key = key_of(file);
    std::string mark = fmt::format("{}:{}", file.facts.modified_ms(), file.facts.size_bytes);
    const auto known = known_.find(key);
    const bool is_news = known == known_.end() || known->second != mark;
    seen[key] = std::move(mark);
    // The time of the name counts as well: a file may be moved in with an old time.
    const std::int64_t time_ms = std::max(file.facts.modified_ms(), file.facts.changed_ms);
    if (is_news && (takes_all || time_ms >= start_ms - window_ms_)) {
      chosen.push_back(std::move(file));
    }
  }
  // What an incomplete walk did not see may still be there.
  if (!complete) seen.merge(known_);
  known_ = std::move(seen);
  return chosen;
}

ListingState::Map EntityState::to_map() const {
  Map map;
  for (const auto& [key, mark] : known_) map[file_prefix + key] = mark;
  return map;
}

}  // namespace weir::processors
