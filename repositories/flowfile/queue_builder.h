#pragma once

#include <set>

#include "repositories/flowfile/journal_state.h"
#include "repositories/flowfile/layout.h"

namespace weir::flowfile {

// Turns what is on disk into FlowFile records. Neighbours mostly share a resource claim, so the
// last one resolved is kept.
class RecordMaker {
 public:
  // `known`: handles somebody holds already, so that the content repository need not be asked.
  explicit RecordMaker(content::ContentRepository& contents,
                       std::span<const content::ResourceClaimPtr> known = {});
  // Throws storage::DecodeError where the attributes are damaged.
  boost::intrusive_ptr<FlowFileRecord> make(const PlainFlowFile& file);
  content::ResourceClaimPtr resource(const content::ClaimLocation& location);

 private:
  content::ContentClaim claim(const PlainClaim& plain);

  content::ContentRepository& contents_;
  content::ResourceClaimPtr last_;
  std::map<std::tuple<std::string_view, std::uint32_t, std::uint64_t>, content::ResourceClaimPtr>
      known_;
};

// Builds the recovered queues from the merged state.
class QueueBuilder : public JournalState::Visitor {
 public:
  QueueBuilder(content::ContentRepository& contents, const Names& names)
      : maker_(contents), names_(names) {}

  void flow_file(const PlainFlowFile& file, std::uint32_t connection) override;
  void swap_file(SwapSummary&& summary) override;
  void unknown(std::uint64_t id) override { unknown_.push_back(id); }

  bool knows_swap_file(const std::string& name) const {
    return swap_names_.contains(name) || lost_names_.contains(name);
  }
  const std::set<std::string>& swap_files() const { return swap_names_; }

  // Sorts and hands over.
  void finish(const Layout& layout, Recovered& recovered,
              std::vector<content::ResourceClaimPtr>& kept_claims);

 private:
  RecordMaker maker_;
  const Names& names_;
  std::vector<std::vector<FlowFilePtr>> queues_;  // by connection number
  std::vector<SwapSummary> summaries_;
  std::set<std::string> swap_names_;
  std::set<std::string> lost_names_;
  std::vector<std::uint64_t> unknown_;
  std::vector<std::uint64_t> unreadable_;
};

// "3 FlowFiles (ids 1, 2, 3)", shortened where there are many.
std::string describe_ids(const std::vector<std::uint64_t>& ids);

}  // namespace weir::flowfile
