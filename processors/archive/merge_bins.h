#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/api/process_session.h"

namespace weir::processors {

// When a bin is full, and when it may go.
struct BinLimits {
  std::uint64_t least_entries = 1;
  std::uint64_t most_entries = UINT64_MAX;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = UINT64_MAX;
  std::optional<std::int64_t> most_age_ms;
  bool defragment = false;  // complete by fragment.count and fragment.index instead
};

// FlowFiles that will be merged together, held by a session of their own until then.
class Bin {
 public:
  Bin(std::shared_ptr<ProcessSession> bin_session, const BinLimits& limits,
      std::int64_t created_ms);

  // False: it does not fit. Otherwise it is in the bin, and still in the session it came from.
  bool offer(const FlowFile& flow_file);
  // Whatever the limits say (one that is too large for any bin).
  void take(const FlowFile& flow_file);
  // Moves what was taken since the last call from `session` into the bin's: many at once, because
  // a session looks for each FlowFile among all it has.
  void migrate_from(ProcessSession& session);
  // Nothing more goes in; `reason` becomes merge.reason.
  void close(std::string reason);

  bool is_full();         // nothing more fits; sets the reason
  bool is_full_enough();  // may go where nothing more comes; sets the reason
  bool is_expired(std::int64_t now_ms) const;

  ProcessSession& session() { return *session_; }
  std::vector<FlowFile>& contents() { return contents_; }
  const std::string& reason() const { return reason_; }
  std::int64_t created_ms() const { return created_ms_; }

 private:
  bool is_complete() const;  // of a defragmenting bin

  std::shared_ptr<ProcessSession> session_;
  const BinLimits& limits_;
  std::int64_t created_ms_;
  std::vector<FlowFile> contents_;
  std::size_t migrated_ = 0;  // of the contents
  std::uint64_t bytes_ = 0;
  std::uint64_t failed_offers_ = 0;  // since the last that fitted
  std::string reason_ = "UNSET";
  bool closed_ = false;
  std::uint64_t fragment_count_ = 0;  // the largest seen; 0: none seen
  std::set<std::string> fragment_indexes_;
};

// The open bins, by group. Not thread safe.
class BinStore {
 public:
  explicit BinStore(BinLimits limits) : limits_(std::move(limits)) {}

  // The open bin of the group that takes the FlowFile, or a new one; null where it is too large
  // for any bin.
  Bin* offer(const std::string& group, const FlowFile& flow_file, ProcessSessionFactory& sessions,
             std::int64_t now_ms);
  void migrate_from(ProcessSession& session);  // into all bins
  // Closes what is open in the group.
  void close_group(const std::string& group, const std::string& reason);
  Bin& open(const std::string& group, ProcessSessionFactory& sessions, std::int64_t now_ms);

  // Takes out the bins that can go. `relaxed`: also those that are only full enough.
  std::list<Bin> take_ready(bool relaxed, std::int64_t now_ms);
  std::optional<Bin> take_oldest(const std::string& reason);
  std::size_t size() const { return bins_.size(); }
  bool has_full();
  // Gives all FlowFiles back to their queues.
  void roll_back();
  const BinLimits& limits() const { return limits_; }

 private:
  struct Entry {
    std::string group;
    Bin bin;
  };
  BinLimits limits_;
  std::list<Entry> bins_;  // oldest first
};

// Why these FlowFiles are not all the fragments of one content, or nullopt. Indexes may count
// from 0 or from 1. Sorts them by index.
std::optional<std::string> check_fragments(std::vector<FlowFile>& fragments);

}  // namespace weir::processors
