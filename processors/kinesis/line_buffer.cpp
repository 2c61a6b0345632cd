#include "processors/kinesis/line_buffer.h"

#include <cstring>
#include <new>
#include <utility>

namespace weir::processors::kinesis {

LineBuffer::LineBuffer(std::size_t padding_bytes)
    : padding_bytes_(padding_bytes), small_(allocate(kSmallBytes, nullptr)) {}

LineBuffer::Memory LineBuffer::allocate(std::size_t bytes, Memory old) const {
  char* const made = static_cast<char*>(std::realloc(old.get(), bytes + padding_bytes_));
  if (made == nullptr) throw std::bad_alloc();
  static_cast<void>(old.release());
  return Memory(made);
}

std::span<char> LineBuffer::room() {
  if (begin_ > 0 && (begin_ == end_ || end_ == capacity_bytes())) {
    std::memmove(memory(), memory() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  return {memory() + end_, capacity_bytes() - end_};
}

std::optional<std::string_view> LineBuffer::next_line() {
  const char* const found =
      static_cast<const char*>(std::memchr(memory() + scanned_, '\n', end_ - scanned_));
  if (found == nullptr) {
    scanned_ = end_;
    return std::nullopt;
  }
  const char* const line = memory() + begin_;
  begin_ = scanned_ = static_cast<std::size_t>(found - memory()) + 1;
  return std::string_view(line, static_cast<std::size_t>(found - line));
}

void LineBuffer::grow(std::size_t bytes) {
  if (large_) {
    large_ = allocate(bytes, std::move(large_));
  } else {
    Memory made = allocate(bytes, nullptr);
    std::memcpy(made.get(), small_.get(), end_);
    large_ = std::move(made);
  }
  large_bytes_ = bytes;
}

bool LineBuffer::shrink() {
  if (!large_) return true;
  const std::size_t unread = end_ - begin_;
  if (unread > kSmallBytes) return false;
  std::memcpy(small_.get(), large_.get() + begin_, unread);
  scanned_ -= begin_;
  begin_ = 0;
  end_ = unread;
  large_.reset();
  return true;
}

}  // namespace weir::processors::kinesis
