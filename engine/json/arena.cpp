#include "engine/json/arena.h"

#include <algorithm>

namespace weir::json {

void* Arena::allocate_block(std::size_t bytes) {
  const std::size_t last = blocks_.empty() ? first_block_bytes / 2 : blocks_.back().size;
  const std::size_t size = std::max(bytes, std::min(last * 2, std::size_t{16} * 1024 * 1024));
  blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
  next_ = blocks_.back().bytes.get() + bytes;
  end_ = blocks_.back().bytes.get() + size;
  return blocks_.back().bytes.get();
}

void Arena::clear() {
  if (blocks_.empty()) return;
  const auto kept =
      std::max_element(blocks_.begin(), blocks_.end(), [](const Block& left, const Block& right) {
        const auto rank = [](const Block& block) {
          return block.size <= largest_kept_bytes ? block.size : 0;
        };
        return rank(left) < rank(right);
      });
  if (kept->size > largest_kept_bytes) {
    blocks_.clear();
    next_ = end_ = nullptr;
    return;
  }
  std::swap(blocks_.front(), *kept);
  blocks_.resize(1);
  next_ = blocks_.front().bytes.get();
  end_ = next_ + blocks_.front().size;
}

}  // namespace weir::json
