#include "repositories/content/claim_reader.h"

#include <fmt/format.h>

namespace weir::content {

ContentMissingError::ContentMissingError(const ClaimLocation& location, std::string_view reason)
    : storage::StorageError(fmt::format("content {}/{}/{} at offset {}, {} bytes: {}",
                                        location.container, location.section, location.identifier,
                                        location.offset, location.length, reason)) {}

std::size_t FileContentReader::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (offset >= location_.length) return 0;
  const auto wanted = out.first(std::min<std::uint64_t>(out.size(), location_.length - offset));
  const std::size_t got = file_->file->read_at(location_.offset + offset, wanted);
  if (got < wanted.size()) throw ContentMissingError(location_, "the file ends before the content");
  return got;
}

ContentReader::Source FileContentReader::source() const {
  return {file_ ? file_->file.get() : nullptr, location_.offset};
}

}  // namespace weir::content
