#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace weir::json {

// Where the values of one document live: memory is handed out in sequence and given back all at
// once. Reused from document to document, so that reading one allocates nothing once it is warm.
// One thread at a time.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes) {
    const std::size_t rounded = (bytes + 7) & ~std::size_t{7};
    if (rounded > static_cast<std::size_t>(end_ - next_)) return allocate_block(rounded);
    char* const at = next_;
    next_ += rounded;
    return at;
  }
  template <typename T>
  T* allocate_array(std::size_t count) {
    static_assert(alignof(T) <= 8);
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* const at = static_cast<char*>(allocate(text.size()));
    std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

  // All values made in it are gone. One block of at most 1 MB is kept for the next document.
  void clear();

 private:
  static constexpr std::size_t first_block_bytes = 16 * 1024;
  static constexpr std::size_t largest_kept_bytes = 1024 * 1024;

  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  void* allocate_block(std::size_t bytes);

  char* next_ = nullptr;
  char* end_ = nullptr;
  std::vector<Block> blocks_;
};

}  // namespace weir::json
