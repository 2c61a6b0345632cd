#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::processors::kafka {

// Which FlowFiles the last transaction published that moved a group in a partition. It is written
// into that very transaction, as the metadata of the group's offset: after a crash between the
// transaction and the session's commit the FlowFiles are back in their queue, and are known to be
// published. Each is known by itself, so that clones and parts of one record are never taken for
// each other.
class PublishedFlowFiles {
 public:
  // `engine` tells FlowFiles of this engine, whose ids these are, from those of others.
  explicit PublishedFlowFiles(std::string engine) : engine_(std::move(engine)) {}

  // `last` and `time_ms` of the newest record of the transaction.
  void replace(std::vector<std::uint64_t> ids, std::int64_t last, std::int64_t time_ms);
  bool contains(std::uint64_t id) const;
  // Next offset for the group. It never goes back, but for a topic that was made anew: there a
  // later record has an offset before.
  std::int64_t next() const { return next_; }

  // "w1 ENGINE FIRST-ID DIFFERENCE DIFFERENCE …"
  std::string to_metadata() const;
  // No FlowFile where it is none of this engine's.
  static PublishedFlowFiles from_metadata(std::string engine, std::string_view metadata,
                                          std::int64_t committed);

  // So many fit the 4,096 bytes that brokers take, whatever their ids.
  static constexpr std::size_t kMostFlowFiles = 150;

 private:
  std::string engine_;
  std::vector<std::uint64_t> ids_;  // sorted
  std::int64_t next_ = -1;
  std::int64_t newest_ms_ = -1;
};

}  // namespace weir::processors::kafka
