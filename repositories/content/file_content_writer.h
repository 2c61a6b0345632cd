#pragma once

#include <optional>

#include "repositories/content/content_repository.h"
#include "repositories/content/file_claim.h"
#include "repositories/storage/checksum.h"

namespace weir::content {

class FileSystemContentRepository;

// Gathers contents in one buffer. A piece of the buffer belongs to one claim: the buffer is
// written piece by piece, one append each. After finished contents were lost to a failed append
// every call but `abandon` throws: the session cannot commit any more.
class FileContentWriter final : public ContentWriter {
 public:
  explicit FileContentWriter(FileSystemContentRepository& repository) : repository_(repository) {}
  ~FileContentWriter() override;

  void begin() override;
  void append(storage::Bytes data) override;
  void append_from(const storage::ReadableFile& source, std::uint64_t offset,
                   std::uint64_t length) override;
  std::uint64_t written() const override { return written_; }
  ContentClaim finish() override;
  void abandon() override;
  void flush() override;
  void sync() override;

 private:
  // The bytes of the buffer from `begin` to the next piece's begin go to `claim`.
  struct Piece {
    FileClaim* claim;
    std::size_t begin;
  };

  void refuse_if_lost() const;
  void next_claim();
  void buffer(storage::Bytes data);
  void write_buffer();
  void write_piece(FileClaim& claim, storage::Bytes data);
  void note_written(FileClaim& claim);
  // Nothing more is appended to the current claim, by anybody.
  void give_up_claim();

  FileSystemContentRepository& repository_;
  std::vector<FileClaim*> used_;      // each once, in the order of use
  std::vector<FileClaim*> unsynced_;  // written to since the last sync
  FileClaim* claim_ = nullptr;        // where the next byte goes
  std::uint64_t claim_end_ = 0;       // and at which offset, the buffer counted in
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffered_ = 0;
  std::vector<Piece> pieces_;

  bool writing_ = false;
  bool broken_ = false;  // the content being written cannot be finished
  std::uint64_t written_ = 0;
  std::uint64_t content_offset_ = 0;
  std::size_t content_in_buffer_ = 0;  // where the content's buffered bytes begin
  bool spilled_ = false;               // the content's first bytes left the buffer
  bool unsummed_ = false;              // some went past the checksum
  std::optional<storage::StreamingChecksum> sum_;
  std::string lost_;  // why finished contents are lost; empty: they are not
};

}  // namespace weir::content
