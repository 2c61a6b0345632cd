#include "engine/expression/scratch.h"

#include <algorithm>
#include <cstring>

#include "engine/api/error.h"

namespace weir::expression {
namespace {

constexpr std::size_t block_bytes = 16u << 10;
constexpr std::size_t kept_buffer_bytes = 1u << 20;

}  // namespace

Scratch& Scratch::of_thread() {
  thread_local Scratch scratch;
  return scratch;
}

char* Scratch::allocate(std::size_t size_bytes) {
  if (size_bytes > text_limit_bytes) {
    throw ProcessException("a text of the expression grows past 64 MB");
  }
  if (blocks_.empty() || blocks_.back().size - used_ < size_bytes) {
    if (held_ + size_bytes > evaluation_limit_bytes) {
      throw ProcessException("the texts of the expression grow past 256 MB");
    }
    const std::size_t size = std::max(size_bytes, block_bytes);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    used_ = 0;
  }
  char* memory = blocks_.back().memory.get() + used_;
  used_ += size_bytes;
  held_ += size_bytes;
  return memory;
}

std::string_view Scratch::copy(std::string_view text) {
  if (text.empty()) return {};
  char* memory = allocate(text.size());
  std::memcpy(memory, text.data(), text.size());
  return {memory, text.size()};
}

void Scratch::release(std::size_t blocks, std::size_t used, std::size_t held) {
  --leases_;
  held_ = held;
  if (leases_ > 0) {  // what was there before belongs to the evaluation around this one
    blocks_.resize(blocks);
    used_ = blocks == 0 ? 0 : used;
    return;
  }
  // The first block stays for the next evaluation unless it was made for one huge text.
  const bool keep = !blocks_.empty() && blocks_.front().size == block_bytes;
  if (blocks_.size() > (keep ? 1u : 0u)) blocks_.resize(keep ? 1 : 0);
  used_ = 0;
  if (buffer_.capacity() > kept_buffer_bytes) std::string().swap(buffer_);
}

}  // namespace weir::expression
