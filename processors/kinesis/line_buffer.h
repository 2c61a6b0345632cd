#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace weir::processors::kinesis {

// Collects what a bridge sends until a line is whole. A small part of its memory is always there;
// a longer line takes more, which goes with the line. It is mapped by itself: on the heap, lines of
// many megabytes that grow between batches that stay would leave holes as large as they are.
class LineBuffer {
 public:
  static constexpr std::size_t kSmallBytes = 16 << 10;

  // A line that it gives has `padding_bytes` readable bytes behind it.
  explicit LineBuffer(std::size_t padding_bytes);

  // Where to read to. Empty: the line that began fills all memory; `grow` makes room.
  std::span<char> room();
  void filled(std::size_t bytes) { end_ += bytes; }
  // The next whole line, without its line feed; looks at new bytes only. Valid until the next call.
  std::optional<std::string_view> next_line();

  // How much there is for the line that began, and how much of it is beyond the small part.
  std::size_t capacity_bytes() const { return large_ ? large_bytes_ : kSmallBytes; }
  std::size_t large_bytes() const { return large_ ? large_bytes_ : 0; }
  // `bytes` is more than capacity_bytes().
  void grow(std::size_t bytes);
  // Keeps only the small part. False, and nothing happens, where more than that is unread.
  bool shrink();

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(char* memory) const;
  };
  using Mapping = std::unique_ptr<char, Unmap>;
  char* memory() const { return large_ ? large_.get() : small_.get(); }

  const std::size_t padding_bytes_;
  const std::unique_ptr<char[]> small_;
  Mapping large_;
  std::size_t large_bytes_ = 0;
  std::size_t begin_ = 0, end_ = 0;  // unread
  std::size_t scanned_ = 0;          // no line feed between begin_ and this
};

}  // namespace weir::processors::kinesis
