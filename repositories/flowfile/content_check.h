#pragma once

#include <map>
#include <tuple>

#include "repositories/flowfile/journal.h"
#include "repositories/flowfile/journal_state.h"
#include "repositories/flowfile/layout.h"

namespace weir::flowfile {

// Reads the content and compares it with the claim's checksum. False where it is gone, too short
// or not what was written. Throws IoError.
bool content_matches(content::ContentRepository& contents, const PlainClaim& claim);

// Checks the commits that a loss of power may have torn from their content: those behind the
// last durability mark of a journal that was not synced at each commit.
class ContentCheck {
 public:
  ContentCheck(storage::FileSystem& files, const Layout& layout,
               content::ContentRepository& contents)
      : files_(files), layout_(layout), contents_(contents) {}

  // Reads the journal behind the snapshot once: finds the last mark, and what is known to be
  // durable of the claims that later commits hold without a checksum of their own. Where nothing
  // will be checked, the mark is all that is looked for.
  void prepare(const std::vector<Segment>& segments, std::uint64_t position,
               const storage::Path* snapshot, bool will_check);
  std::uint64_t durable_sequence() const { return durable_; }

  // For every record, in order; false where the commit must not be applied.
  bool passes(const storage::RecordView& record, std::string& why);

 private:
  using Resource = std::tuple<std::string, std::uint32_t, std::uint64_t>;
  struct Ranges {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;  // begin, end
  };

  void learn(const PlainClaim& claim);
  bool known(const PlainClaim& claim) const;
  bool check_commit(storage::Decoder in, std::string& why);
  bool check_swap_out(storage::Decoder in, std::string& why);
  bool check_claim(const PlainClaim& claim, std::string& why);

  storage::FileSystem& files_;
  const Layout& layout_;
  content::ContentRepository& contents_;
  std::uint64_t durable_ = 0;
  bool always_sync_ = false;  // of the segment being read
  std::map<Resource, Ranges> ranges_;
};

}  // namespace weir::flowfile
