#pragma once

#include <algorithm>
#include <vector>

#include "engine/api/error.h"
#include "engine/api/process_session.h"

namespace weir::processors {

// Handles up to `most` queued FlowFiles in one trigger, and gives what as many triggers of one
// FlowFile each would give: where `handle(FlowFile)` throws for one of them, those before it are
// handled all the same and that one alone fails, with a later trigger. For this the FlowFiles go
// back and are taken again; `begin()`, called before each attempt, resets what the caller keeps
// beside the session.
template <typename Begin, typename Handle>
void handle_queued(ProcessSession& session, std::size_t most, Begin begin, Handle handle) {
  while (true) {
    const std::vector<FlowFile> flow_files = session.get(most);
    if (flow_files.empty()) return;
    begin();
    std::size_t handled = 0;
    try {
      for (const FlowFile& flow_file : flow_files) {
        handle(flow_file);
        ++handled;
      }
      return;
    } catch (const ProcessException&) {
      if (flow_files.size() == 1) throw;
      session.rollback();
      most = std::max<std::size_t>(1, handled);
    }
  }
}

template <typename Handle>
void handle_queued(ProcessSession& session, std::size_t most, Handle handle) {
  handle_queued(
      session, most, [] {}, handle);
}

// How many FlowFiles a trigger takes where nothing speaks for another number: enough that what a
// trigger costs does not count, few enough that other tasks find work too.
inline constexpr std::size_t usual_batch = 100;

}  // namespace weir::processors
