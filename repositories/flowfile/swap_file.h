#pragma once

#include <functional>
#include <memory>

#include "repositories/flowfile/blocks.h"

namespace weir::flowfile {

// Fills in what the FlowFiles tell: count, bytes, order, claims.
void describe(SwapFile& swap_file, const std::vector<FlowFilePtr>& flow_files);
SwapSummary summarize(const SwapFile& swap_file);

// Writes a swap file (README.md, "Swap file"): summary, batches of FlowFiles, footer. The file
// stays open so that whoever wrote it can sync it later. On an exception no file is left.
std::unique_ptr<storage::RecordLogWriter> write_swap_file(storage::FileSystem& files,
                                                          const storage::Path& path,
                                                          std::uint64_t salt,
                                                          const SwapSummary& summary,
                                                          std::span<const FlowFilePtr> flow_files);

// Throws DamagedError where anything is not as it was written, IoError.
SwapSummary read_swap_file(storage::FileSystem& files, const storage::Path& path,
                           const BatchVisitor& visit);
// The summary alone.
SwapSummary read_swap_summary(storage::FileSystem& files, const storage::Path& path);

}  // namespace weir::flowfile
