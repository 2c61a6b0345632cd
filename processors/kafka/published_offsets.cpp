#include "processors/kafka/published_offsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace weir::processors::kafka {
namespace {

constexpr std::string_view kMagic = "w1 ";

std::optional<std::int64_t> take_number(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<PublishedOffsets::Records> read_span(std::string_view text) {
  const auto first = take_number(text);
  const auto count = take_number(text);
  const auto least = take_number(text);
  const auto spread = take_number(text);
  if (!first || !count || !least || !spread || *count < 0 || *spread < 0) return std::nullopt;
  return PublishedOffsets::Records{*first, *first + *count, *least, *least + *spread};
}

}  // namespace

void PublishedOffsets::add(const Records& records) {
  const bool later_than_all = std::ranges::all_of(
      spans_, [&](const Records& one) { return one.most_ms < records.least_ms; });
  if (records.first < next_ && !spans_.empty() && later_than_all) {
    // Written later, and yet with an offset before: the topic was made anew.
    spans_.clear();
    next_ = -1;
  }
  next_ = std::max(next_, records.last + 1);
  if (!spans_.empty()) {
    Records& newest = spans_.back();
    // The usual case: records are published in the order of their partition.
    if (newest.last + 1 == records.first) {
      newest.last = records.last;
      newest.least_ms = std::min(newest.least_ms, records.least_ms);
      newest.most_ms = std::max(newest.most_ms, records.most_ms);
      return;
    }
  }
  std::erase_if(spans_, [&](const Records& one) {
    return one.first >= records.first && one.last <= records.last;
  });
  spans_.push_back(records);
  if (spans_.size() > kMostSpans) spans_.erase(spans_.begin());
}

bool PublishedOffsets::contains(const Records& records) const {
  return std::ranges::any_of(spans_, [&](const Records& one) {
    return records.first >= one.first && records.last <= one.last &&
           records.least_ms >= one.least_ms && records.most_ms <= one.most_ms;
  });
}

std::string PublishedOffsets::to_metadata() const {
  std::string text;
  for (auto one = spans_.rbegin(); one != spans_.rend(); ++one) {
    const std::string span = fmt::format("{} {} {} {};", one->first, one->last - one->first,
                                         one->least_ms, one->most_ms - one->least_ms);
    if (kMagic.size() + text.size() + span.size() > kMostMetadata_bytes) break;
    text.insert(0, span);  // so that the newest comes last
  }
  return std::string(kMagic) + text;
}

PublishedOffsets PublishedOffsets::from_metadata(std::string_view metadata,
                                                 std::int64_t committed) {
  PublishedOffsets offsets;
  offsets.next_ = committed;
  if (!metadata.starts_with(kMagic)) return offsets;
  metadata.remove_prefix(kMagic.size());
  while (!metadata.empty()) {
    const std::size_t end = metadata.find(';');
    if (end == std::string_view::npos) break;
    if (const auto span = read_span(metadata.substr(0, end))) offsets.spans_.push_back(*span);
    metadata.remove_prefix(end + 1);
  }
  return offsets;
}

}  // namespace weir::processors::kafka
