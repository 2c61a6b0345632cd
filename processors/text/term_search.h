#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::processors {

// Looks for many terms at once in one pass over the bytes (Aho and Corasick). Memory is some
// twenty bytes for each byte of the terms. Immutable; shared by threads.
class TermSearch {
 public:
  // No term is empty.
  explicit TermSearch(std::vector<std::string> terms);

  // One search, over a text in pieces.
  class Run {
   public:
    explicit Run(const TermSearch& search) : search_(search) {}
    // Whether a term ends in this piece. The search is over then.
    bool add(std::string_view piece);
    // The term that ended first; of several that end together the longest.
    const std::string& found() const { return search_.terms_[search_.nodes_[node_].term]; }

   private:
    const TermSearch& search_;
    std::uint32_t node_ = 0;
  };

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Node {
    std::uint32_t first_edge = 0;  // its edges are sorted by byte
    std::uint16_t edge_count = 0;
    std::uint32_t fallback = 0;  // the longest proper suffix that is a node
    std::uint32_t term = none;   // that ends here, itself or by a suffix
  };
  struct Edge {
    unsigned char byte = 0;
    std::uint32_t target = 0;
  };

  void insert_all();
  void link_fallbacks();
  std::uint32_t child(std::uint32_t node, unsigned char byte) const;
  std::uint32_t step(std::uint32_t node, unsigned char byte) const;

  std::vector<std::string> terms_;  // sorted
  std::vector<Node> nodes_;         // by depth, the root first
  std::vector<Edge> edges_;
  std::uint32_t root_step_[256] = {};
};

}  // namespace weir::processors
