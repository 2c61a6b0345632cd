#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/api/process_session.h"
#include "engine/api/processor.h"

namespace weir::processors {

// How far a FlowFile has been split. More fragments than `fragments_a_commit` are not committed at
// once: the original goes back to its queue with its progress in attributes, and the next trigger
// goes on from there. Memory stays bounded, and each commit takes the original forward together
// with its fragments, so that none doubles or is lost.
struct SplitProgress {
  static constexpr std::uint64_t fragments_a_commit = 20'000;

  std::string identifier = {};
  std::uint64_t offset = 0;  // where to go on; 0: at the beginning
  bool is_carried = false;   // what is there did not fit into the fragment before
  std::uint64_t index = 0;   // fragments made so far
  std::uint64_t count = 0;   // of all fragments

  // Takes the progress off the FlowFile, so that fragments do not inherit it. False: it has none.
  bool take(ProcessSession& session, const FlowFile& source);
  // Sends the original back to its queue.
  void put(ProcessSession& session, const FlowFile& source) const;

  // What all fragments carry, beside what is their own.
  std::array<flowfile::Attributes::Entry, 3> common_attributes(const FlowFile& source) const;
  // What the original gets in the end.
  void mark_original(ProcessSession& session, const FlowFile& source) const;
};

}  // namespace weir::processors
