#include "processors/text/term_search.h"

#include <algorithm>

namespace weir::processors {

TermSearch::TermSearch(std::vector<std::string> terms) : terms_(std::move(terms)) {
  std::ranges::sort(terms_);
  terms_.erase(std::ranges::unique(terms_).begin(), terms_.end());
  insert_all();
  for (std::uint32_t i = 0; i < nodes_[0].edge_count; ++i) {
    root_step_[edges_[i].byte] = edges_[i].target;
  }
  link_fallbacks();
}

// Sorted terms with a common beginning stand next to each other: a node is a range of them, and
// its children are parts of that range.
void TermSearch::insert_all() {
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t depth;
  };
  std::vector<Range> ranges = {{0, terms_.size(), 0}};
  nodes_.emplace_back();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Range range = ranges[i];
    nodes_[i].first_edge = static_cast<std::uint32_t>(edges_.size());
    if (range.begin < range.end && terms_[range.begin].size() == range.depth) {
      nodes_[i].term = static_cast<std::uint32_t>(range.begin++);
    }
    while (range.begin < range.end) {
      const char byte = terms_[range.begin][range.depth];
      std::size_t end = range.begin;
      while (end < range.end && terms_[end][range.depth] == byte) ++end;
      edges_.push_back(
          {static_cast<unsigned char>(byte), static_cast<std::uint32_t>(nodes_.size())});
      ++nodes_[i].edge_count;
      nodes_.emplace_back();
      ranges.push_back({range.begin, end, range.depth + 1});
      range.begin = end;
    }
  }
}

// Nodes stand in the order of their depth, so that a fallback is complete before it is used.
void TermSearch::link_fallbacks() {
  for (std::uint32_t parent = 0; parent < nodes_.size(); ++parent) {
    for (std::uint32_t i = 0; i < nodes_[parent].edge_count; ++i) {
      const Edge& edge = edges_[nodes_[parent].first_edge + i];
      Node& node = nodes_[edge.target];
      node.fallback = parent == 0 ? 0 : step(nodes_[parent].fallback, edge.byte);
      if (node.term == none) node.term = nodes_[node.fallback].term;
    }
  }
}

std::uint32_t TermSearch::child(std::uint32_t node, unsigned char byte) const {
  const auto begin = edges_.begin() + nodes_[node].first_edge;
  const auto end = begin + nodes_[node].edge_count;
  const auto found = std::lower_bound(
      begin, end, byte, [](const Edge& edge, unsigned char value) { return edge.byte < value; });
  return found != end && found->byte == byte ? found->target : none;
}

std::uint32_t TermSearch::step(std::uint32_t node, unsigned char byte) const {
  while (node != 0) {
    if (const std::uint32_t target = child(node, byte); target != none) return target;
    node = nodes_[node].fallback;
  }
  return root_step_[byte];
}

bool TermSearch::Run::add(std::string_view piece) {
  for (const char c : piece) {
    node_ = search_.step(node_, static_cast<unsigned char>(c));
    if (search_.nodes_[node_].term != none) return true;
  }
  return false;
}

}  // namespace weir::processors
