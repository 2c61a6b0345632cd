#include "repositories/flowfile/flow_file_repository.h"
#include "repositories/flowfile/journal.h"
#include "repositories/flowfile/layout.h"
#include "repositories/flowfile/queue_builder.h"
#include "repositories/flowfile/swap_file.h"

namespace weir::flowfile {

std::uint64_t read_journal_events(storage::FileSystem& files, const storage::Path& directory,
                                  std::uint64_t after, EventSink& sink,
                                  storage::FindingReporter& reporter) {
  const auto segments = list_segments(files, Layout(directory).journal(), [](const auto&) {});
  if (segments.empty()) return 0;
  const std::uint64_t first = std::max(after + 1, segments.front().first);
  const JournalEnd end =
      walk_journal(files, segments, first,
                   [&](const storage::RecordView& record, std::size_t, std::string& why) {
                     try {
                       take_events(record.sequence, record.payload, sink);
                       return true;
                     } catch (const storage::DecodeError& error) {
                       why = error.what();
                       return false;
                     }
                   });
  if (end.cut) reporter.report(end.finding);
  return first;
}

std::vector<FlowFilePtr> read_swapped_flow_files(storage::FileSystem& files,
                                                 const storage::Path& directory,
                                                 content::ContentRepository& contents,
                                                 const SwapFile& swap_file) {
  const storage::Path path = Layout(directory).swap(swap_file.name);
  std::vector<FlowFilePtr> flow_files;
  RecordMaker maker(contents, swap_file.claims);
  try {
    read_swap_file(files, path, [&](const PlainFlowFile& file, storage::Bytes) {
      flow_files.push_back(maker.make(file));
    });
  } catch (const storage::DecodeError& error) {
    throw storage::DamagedError(path, 0, error.what());
  }
  return flow_files;
}

}  // namespace weir::flowfile
