#include <algorithm>

#include "repositories/storage/checksum.h"
#include "repositories/storage/record_log_format.h"

namespace weir::storage::record_log {
namespace {

constexpr std::size_t kWindowBytes = 1024 * 1024;
// A candidate this short is cheap enough to check wherever its length field may be an accident.
constexpr std::uint64_t kShortRecordBytes = 64 * 1024;
// Bounds the work where payloads are full of bytes that look like frames.
constexpr std::uint64_t kCheckedBytesPerByte = 32;
constexpr std::uint64_t kLeastCheckedBytes = 64 * 1024 * 1024;

class Scan {
 public:
  Scan(const ReadableFile& file, std::uint64_t salt, std::uint64_t bad,
       std::optional<std::uint64_t> expected)
      : file_(file),
        salt_(salt),
        bad_(bad),
        expected_(expected),
        size_(file.size()),
        budget_bytes_(kLeastCheckedBytes + kCheckedBytesPerByte * (size_ > bad ? size_ - bad : 0)) {
  }

  std::optional<LaterRecord> run(std::uint64_t from) {
    std::vector<std::byte> window(std::min<std::uint64_t>(kWindowBytes, size_));
    std::uint64_t at = from;
    while (at < size_ && size_ - at >= kRecordFrameBytes) {
      const std::size_t got = file_.read_at(at, window);
      if (got < kRecordFrameBytes) break;
      window_ = {window.data(), got};
      window_offset_ = at;
      const std::size_t last = got - kRecordFrameBytes;
      for (std::size_t i = 0; i <= last; ++i, ++at) {
        const Frame frame = load_frame(&window[i]);
        if (plausible(frame, at) && matches(frame, at)) return LaterRecord{at, frame.sequence};
      }
    }
    return std::nullopt;
  }

 private:
  bool plausible(const Frame& frame, std::uint64_t at) const {
    if (frame.payload_bytes > kMaximumRecordBytes || frame.size() > size_ - at) return false;
    if (expected_) {
      // Between the bad bytes and this record there is room for so many others.
      const std::uint64_t lost_at_most = (at - bad_) / kRecordFrameBytes + 1;
      return frame.sequence >= *expected_ && frame.sequence - *expected_ <= lost_at_most;
    }
    return frame.payload_bytes <= kShortRecordBytes || followed(frame, at);
  }

  // The record after this one bears the next sequence number, or the file ends with this one.
  bool followed(const Frame& frame, std::uint64_t at) const {
    const std::uint64_t next = at + frame.size();
    if (next == size_) return true;
    std::array<std::byte, kRecordFrameBytes> bytes;
    return read(next, bytes) && load_frame(bytes.data()).sequence == frame.sequence + 1;
  }

  bool matches(const Frame& frame, std::uint64_t at) {
    if (frame.size() > budget_bytes_) return followed(frame, at) && checksum_of(frame, at);
    budget_bytes_ -= frame.size();
    return checksum_of(frame, at);
  }

  bool checksum_of(const Frame& frame, std::uint64_t at) const {
    const std::uint64_t begin = at - window_offset_;
    if (begin + frame.size() <= window_.size()) {
      const Bytes record = window_.subspan(begin, frame.size());
      return record_checksum(record.subspan(kChecksumBytes), salt_) == frame.checksum;
    }
    StreamingChecksum sum(salt_);
    std::vector<std::byte> piece(std::min<std::uint64_t>(kWindowBytes, frame.size()));
    std::uint64_t position = at + kChecksumBytes;
    const std::uint64_t end = at + frame.size();
    while (position < end) {
      const auto part =
          std::span(piece).first(std::min<std::uint64_t>(piece.size(), end - position));
      if (!read(position, part)) return false;
      sum.update(part);
      position += part.size();
    }
    return static_cast<std::uint32_t>(sum.value()) == frame.checksum;
  }

  bool read(std::uint64_t offset, std::span<std::byte> out) const {
    const std::uint64_t begin = offset - window_offset_;
    if (begin + out.size() <= window_.size()) {
      std::copy_n(window_.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
      return true;
    }
    return file_.read_at(offset, out) == out.size();
  }

  const ReadableFile& file_;
  const std::uint64_t salt_;
  const std::uint64_t bad_;
  const std::optional<std::uint64_t> expected_;
  const std::uint64_t size_;
  std::uint64_t budget_bytes_;
  Bytes window_;
  std::uint64_t window_offset_ = 0;
};

}  // namespace

std::optional<LaterRecord> find_later_record(const ReadableFile& file, std::uint64_t salt,
                                             std::uint64_t bad, std::uint64_t from,
                                             std::optional<std::uint64_t> expected) {
  return Scan(file, salt, bad, expected).run(from);
}

}  // namespace weir::storage::record_log
