#include "repositories/content/file_content_writer.h"

#include <cerrno>
#include <cstring>

#include "repositories/content/file_system_content_repository.h"

namespace weir::content {

FileContentWriter::~FileContentWriter() {
  if (claim_) repository_.give_back(*claim_, false);
  for (const Piece& piece : pieces_) {
    if (piece.claim != claim_) repository_.give_back(*piece.claim, true);
  }
  repository_.writer_ends(used_);
  if (buffer_) repository_.give_buffer(std::move(buffer_));
}

void FileContentWriter::refuse_if_lost() const {
  if (!lost_.empty()) {
    throw storage::StorageError("content of this session was lost by an earlier failure: " + lost_);
  }
}

void FileContentWriter::next_claim() {
  if (claim_ && claim_end_ < repository_.max_appendable_bytes()) return;
  if (claim_) give_up_claim();
  claim_ = &repository_.acquire();
  claim_end_ = claim_->size_bytes;
  used_.push_back(claim_);
}

void FileContentWriter::give_up_claim() {
  // With bytes of it still in the buffer, it is given back once they are written.
  const bool in_buffer =
      std::ranges::any_of(pieces_, [&](const Piece& piece) { return piece.claim == claim_; });
  if (!in_buffer) repository_.give_back(*claim_, true);
  claim_ = nullptr;
}

void FileContentWriter::begin() {
  refuse_if_lost();
  writing_ = true;
  broken_ = false;
  written_ = 0;
  spilled_ = false;
  unsummed_ = false;
  content_in_buffer_ = buffered_;
}

void FileContentWriter::append(storage::Bytes data) {
  refuse_if_lost();
  if (broken_) throw storage::StorageError("an earlier write of this content failed");
  if (data.empty()) return;
  if (written_ == 0) {
    next_claim();
    content_offset_ = claim_end_;
  }
  if (buffered_ + data.size() <= kWriteBufferBytes) {
    buffer(data);
    return;
  }
  write_buffer();
  if (data.size() < kWriteBufferBytes) {
    buffer(data);
    return;
  }
  if (!unsummed_) sum_->update(data);
  write_piece(*claim_, data);
  claim_end_ += data.size();
  written_ += data.size();
}

void FileContentWriter::buffer(storage::Bytes data) {
  if (!buffer_) buffer_ = repository_.take_buffer();
  if (pieces_.empty() || pieces_.back().claim != claim_) pieces_.push_back({claim_, buffered_});
  std::memcpy(buffer_.get() + buffered_, data.data(), data.size());
  buffered_ += data.size();
  claim_end_ += data.size();
  written_ += data.size();
}

void FileContentWriter::append_from(const storage::ReadableFile& source, std::uint64_t offset,
                                    std::uint64_t length) {
  refuse_if_lost();
  if (broken_) throw storage::StorageError("an earlier write of this content failed");
  if (length == 0) return;
  if (written_ == 0) {
    next_claim();
    content_offset_ = claim_end_;
  }
  // Small ones go through the buffer: cheaper than calls of their own, and with a checksum.
  if (length <= kWriteBufferBytes / 4) {
    std::array<std::byte, kWriteBufferBytes / 4> bytes;
    const auto piece = std::span(bytes).first(length);
    if (source.read_at(offset, piece) < length) {
      broken_ = true;
      throw storage::StorageError("the source file ends before the range to append does");
    }
    append(piece);
    return;
  }
  write_buffer();
  unsummed_ = true;
  try {
    repository_.open_for_append(*claim_);
    claim_->file->append_from(source, offset, length);
  } catch (const storage::IoError& error) {
    broken_ = true;
    repository_.append_failed(*claim_, error);
    give_up_claim();
    throw;
  }
  claim_end_ += length;
  written_ += length;
  note_written(*claim_);
}

ContentClaim FileContentWriter::finish() {
  refuse_if_lost();
  if (broken_) throw storage::StorageError("an earlier write of this content failed");
  writing_ = false;
  if (written_ == 0) return {};
  ResourceClaimPtr resource(claim_);
  if (unsummed_) return {std::move(resource), content_offset_, written_};
  const storage::Bytes rest(buffer_.get() + content_in_buffer_, buffered_ - content_in_buffer_);
  std::uint64_t sum = 0;
  if (spilled_) {
    sum_->update(rest);
    sum = sum_->value();
  } else {
    sum = storage::checksum(rest);
  }
  return {std::move(resource), content_offset_, written_, sum};
}

void FileContentWriter::abandon() {
  if (!writing_) return;
  writing_ = false;
  if (claim_ && written_ > 0 && !broken_) {
    const std::size_t taken_back = buffered_ - content_in_buffer_;
    buffered_ = content_in_buffer_;
    claim_end_ -= taken_back;
    while (!pieces_.empty() && pieces_.back().begin >= buffered_) pieces_.pop_back();
  }
  broken_ = false;
  written_ = 0;
}

void FileContentWriter::write_piece(FileClaim& claim, storage::Bytes data) {
  try {
    repository_.open_for_append(claim);
    claim.file->append(data);
  } catch (const storage::IoError& error) {
    broken_ = writing_;
    repository_.append_failed(claim, error);
    if (&claim == claim_) give_up_claim();
    throw;
  }
  note_written(claim);
}

void FileContentWriter::note_written(FileClaim& claim) {
  repository_.appended(claim);
  if (unsynced_.empty() || unsynced_.back() != &claim) unsynced_.push_back(&claim);
}

void FileContentWriter::write_buffer() {
  if (writing_ && !unsummed_) {
    if (!sum_) sum_.emplace();
    if (!spilled_) sum_->reset();
    sum_->update({buffer_.get() + content_in_buffer_, buffered_ - content_in_buffer_});
  }
  spilled_ = true;
  const bool finished_contents_in_buffer = content_in_buffer_ > 0 || !writing_;
  const std::size_t end = std::exchange(buffered_, 0);
  content_in_buffer_ = 0;
  const auto pieces = std::exchange(pieces_, {});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t piece_end = i + 1 < pieces.size() ? pieces[i + 1].begin : end;
    FileClaim& claim = *pieces[i].claim;
    const bool filled = &claim != claim_;
    try {
      write_piece(claim, {buffer_.get() + pieces[i].begin, piece_end - pieces[i].begin});
    } catch (const storage::IoError& error) {
      if (finished_contents_in_buffer) lost_ = error.what();
      for (std::size_t rest = filled ? i : i + 1; rest < pieces.size(); ++rest) {
        if (pieces[rest].claim != claim_) repository_.give_back(*pieces[rest].claim, true);
      }
      throw;
    }
    if (filled) repository_.give_back(claim, true);
  }
}

void FileContentWriter::flush() {
  refuse_if_lost();
  if (buffered_ > 0) write_buffer();
}

void FileContentWriter::sync() {
  flush();
  if (unsynced_.empty()) return;
  std::ranges::sort(unsynced_);
  const auto repeated = std::ranges::unique(unsynced_);
  unsynced_.erase(repeated.begin(), repeated.end());
  repository_.sync_claims(unsynced_);
  unsynced_.clear();
}

}  // namespace weir::content
