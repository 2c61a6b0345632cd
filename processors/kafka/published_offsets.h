#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir::processors::kafka {

// Which records of one partition a group's transactions have published, so that a FlowFile that
// comes again after a crash is recognized and not published twice. Spans of offsets, each with the
// timestamps of its records: a topic that was deleted and made anew has the same offsets, but not
// the same times. Only the newest spans are kept; for one that is forgotten nothing is claimed.
class PublishedOffsets {
 public:
  struct Records {
    std::int64_t first = 0;
    std::int64_t last = 0;  // offset
    std::int64_t least_ms = 0;
    std::int64_t most_ms = 0;
  };

  void add(const Records& records);
  bool contains(const Records& records) const;
  // Next offset for the group: it never goes back.
  std::int64_t next() const { return next_; }
  void set_next(std::int64_t next) { next_ = next; }

  // As the metadata of the group's committed offset: "w1 FIRST LAST LEAST MOST;…", numbers after
  // the first as differences. At most kMostMetadata_bytes.
  std::string to_metadata() const;
  // Nothing where it is none of ours.
  static PublishedOffsets from_metadata(std::string_view metadata, std::int64_t committed);

  static constexpr std::size_t kMostMetadata_bytes = 2'000;  // brokers take 4,096

 private:
  static constexpr std::size_t kMostSpans = 40;

  std::vector<Records> spans_;  // the newest last; none overlap
  std::int64_t next_ = -1;
};

}  // namespace weir::processors::kafka
