#pragma once

#include "repositories/content/content_repository.h"
#include "repositories/content/file_claim.h"
#include "repositories/content/open_files.h"

namespace weir::content {

// Says that somebody reads from the claim, so that no range of it is given back meanwhile.
class ReaderMark {
 public:
  ReaderMark() = default;
  explicit ReaderMark(ResourceClaimPtr claim) : claim_(std::move(claim)) {
    if (claim_) static_cast<FileClaim&>(*claim_).readers.fetch_add(1);
  }
  ReaderMark(ReaderMark&& other) noexcept = default;
  ReaderMark& operator=(ReaderMark&&) = delete;
  ~ReaderMark() {
    if (claim_) static_cast<FileClaim&>(*claim_).readers.fetch_sub(1);
  }

 private:
  ResourceClaimPtr claim_;
};

// Reads a range of an open file. `file` null is the empty content.
class FileContentReader final : public ContentReader {
 public:
  FileContentReader(ReaderMark mark, std::shared_ptr<OpenFile> file, ClaimLocation location)
      : mark_(std::move(mark)), file_(std::move(file)), location_(std::move(location)) {}

  std::uint64_t size() const override { return location_.length; }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) override;
  Source source() const override;

 private:
  ReaderMark mark_;
  std::shared_ptr<OpenFile> file_;
  ClaimLocation location_;
};

}  // namespace weir::content
