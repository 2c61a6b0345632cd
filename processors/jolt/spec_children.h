#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "processors/jolt/path_element.h"

namespace weir::jolt {

// One key of a spec of `shift` or `modify` with what belongs to it.
class Node {
 public:
  explicit Node(ElementPtr element) : element_(std::move(element)) {}
  virtual ~Node() = default;
  const PathElement& element() const { return *element_; }
  // `key` is one of the data's. False: it did not match, other keys of the spec may try.
  virtual bool apply(std::string_view key, Input input, Walk& walk) const = 0;

 private:
  ElementPtr element_;
};

using NodePtr = std::unique_ptr<const Node>;

// How the keys of one level of a spec meet those of the data.
enum class Strategy {
  available_literals,                // the spec's order; keys that the data has
  all_literals,                      // the spec's order; also those that are missing
  computed,                          // the data's order
  conflict,                          // the data's order; a literal wins
  available_literals_with_computed,  // first the literals, then the data's order
  all_literals_with_computed,
};

// The keys below one key of a spec.
class SpecChildren {
 public:
  struct Literal {
    std::string key;
    NodePtr node;
  };

  void add_literal(std::string key, NodePtr node);  // the last of equal keys counts
  // Sorted by `rank_of`, then by how specific they are.
  void add_computed(NodePtr node) { computed_.push_back(std::move(node)); }
  void sort_computed(int (*rank_of)(ElementKind));
  void use(Strategy strategy) { strategy_ = strategy; }

  const std::vector<Literal>& literals() const { return literals_; }
  const std::vector<NodePtr>& computed() const { return computed_; }
  // Applies the keys to what is one level down.
  void process(Input input, Walk& walk) const;

 private:
  void process_object(Value object, Walk& walk) const;
  void process_array(Value array, Walk& walk) const;
  void process_scalar(const std::string& text, Walk& walk) const;
  void literals_to_object(Value object, Walk& walk, bool all) const;
  void literals_to_array(Value array, Walk& walk, bool all) const;
  void to_computed(std::string_view key, Input input, Walk& walk) const;
  void to_literal_or_computed(std::string_view key, Input input, Walk& walk) const;
  const Node* find(std::string_view key) const;

  std::vector<Literal> literals_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<NodePtr> computed_;
  Strategy strategy_ = Strategy::available_literals;
};

}  // namespace weir::jolt
