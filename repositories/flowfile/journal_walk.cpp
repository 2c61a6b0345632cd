#include "repositories/flowfile/journal.h"
#include "repositories/storage/codec.h"

namespace weir::flowfile {
namespace {

using Status = storage::RecordLogReader::Status;

class Walk {
 public:
  Walk(storage::FileSystem& files, const std::vector<Segment>& segments, std::uint64_t first,
       const RecordVisitor& visit)
      : files_(files), segments_(segments), first_(first), visit_(visit) {
    end_.last_sequence = first - 1;
  }

  JournalEnd run() {
    std::size_t start = segments_.size();
    while (start > 0 && segments_[start - 1].first > first_) --start;
    if (start > 0) {
      --start;
    } else if (!segments_.empty()) {
      hole(0);
      return end_;
    }
    for (std::size_t i = start; i < segments_.size() && !end_.cut; ++i) {
      if (i > start && segments_[i].first != end_.last_sequence + 1) {
        hole(i);
      } else {
        read_segment(i);
      }
    }
    return end_;
  }

 private:
  bool last(std::size_t i) const { return i + 1 == segments_.size(); }

  void cut(std::size_t i, std::uint64_t offset, storage::Finding finding) {
    end_.cut = true;
    end_.segment = i;
    end_.offset = offset;
    end_.finding = std::move(finding);
  }

  void hole(std::size_t i) {
    cut(i, 0,
        {.file = segments_[i].path,
         .offset = 0,
         .bytes = segments_[i].bytes,
         .what = "the journal goes on with record " + std::to_string(segments_[i].first) +
                 " where record " + std::to_string(end_.last_sequence + 1) + " belongs"});
  }

  // The segments after this one start where it must end.
  bool complete(std::size_t i, std::uint64_t sequence) const {
    return last(i) || sequence + 1 >= segments_[i + 1].first;
  }

  void read_segment(std::size_t i) {
    const Segment& segment = segments_[i];
    // A file without a whole header was being created when the end came.
    if (last(i) && segment.bytes < storage::kRecordLogHeaderBytes) {
      torn(i, 0, "the header of a journal segment was never finished", segment.bytes);
      return;
    }
    std::optional<storage::RecordLogReader> reader;
    try {
      reader.emplace(files_, segment.path, format::kJournal, format::kVersion);
    } catch (const storage::DamagedError& error) {
      cut(i, 0, {.file = segment.path, .offset = 0, .bytes = segment.bytes, .what = error.what()});
      return;
    }
    std::uint64_t expected = segment.first;
    Status status;
    while ((status = reader->next()) == Status::record) {
      const storage::RecordView& record = reader->record();
      if (record.sequence != expected) {
        cut(i, record.offset,
            {.file = segment.path,
             .offset = record.offset,
             .bytes = segment.bytes - record.offset,
             .what = "record " + std::to_string(record.sequence) + " stands where record " +
                     std::to_string(expected) + " belongs"});
        return;
      }
      if (!last(i) && record.sequence >= segments_[i + 1].first) return;
      ++expected;
      if (record.sequence < first_) continue;
      if (!visit(record, i)) return;
      end_.last_sequence = record.sequence;
      ++end_.records;
    }
    finish_segment(i, expected - 1, status, *reader);
  }

  bool visit(const storage::RecordView& record, std::size_t i) {
    std::string why;
    try {
      if (visit_(record, i, why)) return true;
    } catch (const storage::DecodeError& error) {
      why = std::string("a record cannot be decoded: ") + error.what();
    }
    cut(i, record.offset,
        {.file = segments_[i].path,
         .offset = record.offset,
         .bytes = segments_[i].bytes - record.offset,
         .what = std::move(why)});
    return false;
  }

  void finish_segment(std::size_t i, std::uint64_t sequence, Status status,
                      const storage::RecordLogReader& reader) {
    if (!last(i) && complete(i, sequence)) return;
    // A hole behind it is found where the next segment begins.
    if (status == Status::end) return;
    if (status == Status::torn && last(i)) {
      torn(i, reader.offset(), reader.finding().what, reader.finding().bytes);
    } else {
      cut(i, reader.offset(), reader.finding());
    }
  }

  void torn(std::size_t i, std::uint64_t offset, const std::string& what, std::uint64_t bytes) {
    end_.torn = true;
    end_.segment = i;
    end_.offset = offset;
    end_.finding = {.file = segments_[i].path, .offset = offset, .bytes = bytes, .what = what};
  }

  storage::FileSystem& files_;
  const std::vector<Segment>& segments_;
  const std::uint64_t first_;
  const RecordVisitor& visit_;
  JournalEnd end_;
};

}  // namespace

JournalEnd walk_journal(storage::FileSystem& files, const std::vector<Segment>& segments,
                        std::uint64_t first, const RecordVisitor& visit) {
  return Walk(files, segments, first, visit).run();
}

}  // namespace weir::flowfile
