#include "processors/jolt/spec_children.h"

#include <algorithm>

namespace weir::jolt {

void SpecChildren::add_literal(std::string key, NodePtr node) {
  const auto [found, is_new] = index_.try_emplace(key, literals_.size());
  if (is_new) {
    literals_.push_back({std::move(key), std::move(node)});
  } else {
    literals_[found->second].node = std::move(node);
  }
}

void SpecChildren::sort_computed(int (*rank_of)(ElementKind)) {
  std::ranges::stable_sort(computed_, [&](const NodePtr& a, const NodePtr& b) {
    return is_more_specific(rank_of(a->element().kind()), a->element(),
                            rank_of(b->element().kind()), b->element());
  });
}

const Node* SpecChildren::find(std::string_view key) const {
  const auto found = index_.find(std::string(key));
  return found == index_.end() ? nullptr : literals_[found->second].node.get();
}

void SpecChildren::to_computed(std::string_view key, Input input, Walk& walk) const {
  for (const NodePtr& node : computed_) {
    if (node->apply(key, input, walk)) return;
  }
}

void SpecChildren::to_literal_or_computed(std::string_view key, Input input, Walk& walk) const {
  if (const Node* literal = find(key)) {
    literal->apply(key, input, walk);
  } else {
    to_computed(key, input, walk);
  }
}

void SpecChildren::literals_to_object(Value object, Walk& walk, bool all) const {
  for (const Literal& literal : literals_) {
    const Value* const value = object.find(literal.key);
    if (value) {
      literal.node->apply(literal.key, Input::of(*value), walk);
    } else if (all) {
      literal.node->apply(literal.key, {}, walk);
    }
  }
}

namespace {

// An element past the array's size before it was extended is missing, not null.
Input element(Value array, std::size_t index, const Walk& walk) {
  const std::int32_t original_size = walk.path.last().matched->original_size;
  const Value value = array.items()[index];
  if (value.is_null() && original_size >= 0 && index >= static_cast<std::size_t>(original_size)) {
    return {};
  }
  return Input::of(value);
}

}  // namespace

void SpecChildren::literals_to_array(Value array, Walk& walk, bool all) const {
  for (const Literal& literal : literals_) {
    const auto index = parse_int(literal.key);
    if (index && *index < 0) throw TransformError("a negative index of an array");
    const bool present = index && static_cast<std::size_t>(*index) < array.size();
    if (present) {
      literal.node->apply(literal.key, element(array, static_cast<std::size_t>(*index), walk),
                          walk);
    } else if (all) {
      literal.node->apply(literal.key, {}, walk);
    }
  }
}

void SpecChildren::process_object(Value object, Walk& walk) const {
  const bool all =
      strategy_ == Strategy::all_literals || strategy_ == Strategy::all_literals_with_computed;
  if (strategy_ != Strategy::computed && strategy_ != Strategy::conflict) {
    literals_to_object(object, walk, all);
  }
  if (strategy_ == Strategy::all_literals || strategy_ == Strategy::available_literals) return;
  // By position: values may change under way.
  for (std::size_t at = 0; at < object.size(); ++at) {
    const json::Member member = object.members()[at];
    if (strategy_ == Strategy::conflict) {
      to_literal_or_computed(member.name, Input::of(member.value), walk);
    } else {
      to_computed(member.name, Input::of(member.value), walk);
    }
  }
}

void SpecChildren::process_array(Value array, Walk& walk) const {
  const bool all =
      strategy_ == Strategy::all_literals || strategy_ == Strategy::all_literals_with_computed;
  if (strategy_ != Strategy::computed && strategy_ != Strategy::conflict) {
    literals_to_array(array, walk, all);
  }
  if (strategy_ == Strategy::all_literals || strategy_ == Strategy::available_literals) return;
  for (std::size_t at = 0; at < array.size(); ++at) {
    const std::string key = std::to_string(at);
    if (strategy_ == Strategy::conflict) {
      to_literal_or_computed(key, element(array, at, walk), walk);
    } else {
      to_computed(key, element(array, at, walk), walk);
    }
  }
}

// A scalar is a key without a value: {"hidden": {"true": {"#yes": "out"}}}.
void SpecChildren::process_scalar(const std::string& text, Walk& walk) const {
  if (strategy_ == Strategy::conflict) {
    to_literal_or_computed(text, {}, walk);
    return;
  }
  if (strategy_ != Strategy::computed) {
    if (const Node* literal = find(text)) literal->apply(text, {}, walk);
  }
  if (strategy_ == Strategy::all_literals || strategy_ == Strategy::available_literals) return;
  to_computed(text, {}, walk);
}

void SpecChildren::process(Input input, Walk& walk) const {
  if (input.value.is_object()) {
    process_object(input.value, walk);
  } else if (input.value.is_array()) {
    process_array(input.value, walk);
  } else if (!input.value.is_null()) {
    process_scalar(java_text(input.value), walk);
  }
}

}  // namespace weir::jolt
