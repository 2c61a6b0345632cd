#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir::expression {

// Memory for the texts that evaluations make, taken piece by piece and given back all at once, so
// that an evaluation in the steady state allocates nothing. One a thread; evaluations that start
// within one another share it as a stack.
class Scratch {
 public:
  static Scratch& of_thread();

  // Throws ProcessException past the limits below.
  char* allocate(std::size_t size_bytes);
  std::string_view copy(std::string_view text);
  // Emptied at each call: for a text of unknown length, to be copied before anything is evaluated.
  std::string& buffer() {
    buffer_.clear();
    return buffer_;
  }

  // One text and all texts of an evaluation.
  static constexpr std::size_t text_limit_bytes = 64u << 20;
  static constexpr std::size_t evaluation_limit_bytes = 256u << 20;

  // Gives back at its end what was taken since it began.
  class Lease {
   public:
    explicit Lease(Scratch& scratch)
        : scratch_(scratch),
          blocks_(scratch.blocks_.size()),
          used_(scratch.used_),
          held_(scratch.held_) {
      ++scratch.leases_;
    }
    ~Lease() { scratch_.release(blocks_, used_, held_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

   private:
    Scratch& scratch_;
    const std::size_t blocks_;
    const std::size_t used_;
    const std::size_t held_;
  };

 private:
  struct Block {
    std::unique_ptr<char[]> memory;
    std::size_t size = 0;
  };

  void release(std::size_t blocks, std::size_t used, std::size_t held);

  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
  std::size_t held_ = 0;  // bytes given out
  int leases_ = 0;
  std::string buffer_;
};

}  // namespace weir::expression
