#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <map>
#include <set>

#include "repositories/flowfile/names.h"
#include "repositories/flowfile/snapshot.h"

namespace weir::flowfile {

// Reads a swap file's FlowFiles for the replay of a swap in: all of them, or none and false where
// it cannot be read and its FlowFiles count as lost.
using SwapReader = std::function<bool(const std::string& name, const BatchVisitor& visit)>;

// What a stretch of the journal says about FlowFiles: only those it touches, so that memory is
// bounded by the journal and not by how many FlowFiles are queued. Merged with the snapshot that
// the stretch starts from, it is the state at its end. Recovery, snapshots and readers of a
// running engine's files all use this one.
class JournalState {
 public:
  JournalState(Counters counters, SwapReader read_swap)
      : counters_(counters), read_swap_(std::move(read_swap)) {}

  // Records in order. Throws storage::DecodeError.
  void apply(storage::Bytes payload);

  const Counters& counters() const { return counters_; }
  Names& names() { return names_; }
  // Swap files that were swapped in: nobody needs them behind this stretch.
  const std::vector<std::string>& finished_swap_files() const { return finished_; }

  class Visitor {
   public:
    virtual ~Visitor() = default;
    // By rising id. The views are valid during the call.
    virtual void flow_file(const PlainFlowFile& file, std::uint32_t connection) = 0;
    virtual void swap_file(SwapSummary&& summary) = 0;
    // The journal changed a FlowFile that neither it nor the snapshot knows.
    virtual void unknown(std::uint64_t id) = 0;
  };
  // Once. `base` may be null: nothing was there before.
  void merge(SnapshotReader* base, Visitor& visitor);

 private:
  struct Touched {
    std::uint64_t id = 0;
    Uuid uuid;
    std::int64_t entry_ms = 0;
    std::int64_t lineage_start_ms = 0;
    std::int64_t penalty_until_ms = 0;
    PlainClaim claim;        // its container is interned
    std::string attributes;  // encoded
    std::uint64_t order = 0;
    std::uint32_t connection = 0;
    bool whole = false;  // identity, attributes and content are here, not in the snapshot
    bool has_attributes = false;
    bool has_content = false;
    bool dropped = false;
    bool maybe_in_base = false;
  };

  void apply_commit(storage::Decoder in);
  void apply_swap_out(storage::Decoder in);
  void apply_swap_in(const std::string& name);
  void apply_lost(const std::string& name);
  Touched& touch(std::uint64_t id, bool& added);
  void set_whole(Touched& touched, const PlainFlowFile& file);
  void remove(std::uint64_t id);
  void emit(const Touched& touched, Visitor& visitor) const;
  void emit(const Touched& touched, const PlainFlowFile& base, Visitor& visitor);
  void emit_base_summary(SwapSummary&& summary, Visitor& visitor) const;

  Counters counters_;
  SwapReader read_swap_;
  Names names_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> slots_;
  std::deque<Touched> touched_;
  std::vector<std::uint32_t> free_;
  std::map<std::string, SwapSummary> swapped_out_;
  std::set<std::string> swapped_in_;  // of those in the snapshot
  std::set<std::string> lost_;        // of those in the snapshot
  std::vector<std::string> finished_;
};

}  // namespace weir::flowfile
