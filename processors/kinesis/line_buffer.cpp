#include "processors/kinesis/line_buffer.h"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

namespace weir::processors::kinesis {

LineBuffer::LineBuffer(std::size_t padding_bytes)
    : padding_bytes_(padding_bytes), small_(new char[kSmallBytes + padding_bytes]) {}

void LineBuffer::Unmap::operator()(char* memory) const {
  ::munmap(memory, bytes);
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
  const std::size_t mapped = bytes + padding_bytes_;
  void* const made =
      large_ ? ::mremap(large_.get(), large_.get_deleter().bytes, mapped, MREMAP_MAYMOVE)
             : ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  if (!large_) std::memcpy(made, small_.get(), end_);
  static_cast<void>(large_.release());
  large_ = Mapping(static_cast<char*>(made), Unmap{mapped});
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
