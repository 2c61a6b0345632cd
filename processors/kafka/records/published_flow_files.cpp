#include "processors/kafka/records/published_flow_files.h"

#include <algorithm>
#include <charconv>

namespace weir::processors::kafka {
namespace {

constexpr std::string_view kMagic = "w1 ";

}  // namespace

void PublishedFlowFiles::replace(std::vector<std::uint64_t> ids, std::int64_t last,
                                 std::int64_t time_ms) {
  const bool made_anew = last < next_ && newest_ms_ >= 0 && time_ms > newest_ms_;
  next_ = made_anew ? last + 1 : std::max(next_, last + 1);
  newest_ms_ = std::max(newest_ms_, time_ms);
  ids_ = std::move(ids);
  std::ranges::sort(ids_);
}

bool PublishedFlowFiles::contains(std::uint64_t id) const {
  return std::ranges::binary_search(ids_, id);
}

std::string PublishedFlowFiles::to_metadata() const {
  std::string text = std::string(kMagic) + engine_;
  std::uint64_t before = 0;
  for (const std::uint64_t id : ids_) {
    text += ' ' + std::to_string(id - before);
    before = id;
  }
  return text;
}

PublishedFlowFiles PublishedFlowFiles::from_metadata(std::string engine, std::string_view metadata,
                                                     std::int64_t committed) {
  PublishedFlowFiles known(std::move(engine));
  known.next_ = committed;
  if (!metadata.starts_with(kMagic)) return known;
  metadata.remove_prefix(kMagic.size());
  if (!metadata.starts_with(known.engine_)) return known;
  metadata.remove_prefix(known.engine_.size());
  std::uint64_t before = 0;
  while (metadata.starts_with(' ')) {
    metadata.remove_prefix(1);
    std::uint64_t difference = 0;
    const char* const end = metadata.data() + metadata.size();
    const auto read = std::from_chars(metadata.data(), end, difference);
    if (read.ec != std::errc()) {
      known.ids_.clear();  // none of ours
      return known;
    }
    metadata.remove_prefix(static_cast<std::size_t>(read.ptr - metadata.data()));
    known.ids_.push_back(before += difference);
  }
  if (!metadata.empty()) known.ids_.clear();
  return known;
}

}  // namespace weir::processors::kafka
