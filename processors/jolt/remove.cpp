#include <algorithm>
#include <optional>

#include "processors/jolt/path_element.h"

// remove: takes keys and elements away.
namespace weir::jolt {
namespace {

class RemoveKey {
 public:
  RemoveKey(const Place& place, std::string_view key, const Value& spec)
      : element_(parse_star_key(place, key, true)), is_leaf_(!spec.is_object()) {
    if (!is_leaf_) {
      add_children(place, spec);
    } else if (!spec.is_string() || !is_empty(spec.as_text())) {
      throw SpecError(place, "an empty text marks what goes; keys below it are an object");
    }
    if (element_->kind() == ElementKind::literal) index_ = parse_int(element_->raw());
  }

  // The spec of a whole document.
  RemoveKey(const Place& place, const Value& spec)
      : element_(parse_star_key(place, "root", true)), is_leaf_(false) {
    add_children(place, spec);
  }

  void apply_children(Value& container) const {
    if (container.is_array()) {
      std::vector<bool> doomed(container.size(), false);
      for (const RemoveKey& child : children_) child.mark(container, doomed);
      erase(container, doomed);
    } else if (container.is_object()) {
      std::vector<std::string_view> doomed;
      for (const RemoveKey& child : children_) child.collect(container, doomed);
      if (!doomed.empty()) container.erase(doomed);
    }
  }

 private:
  static bool is_empty(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  }

  static void erase(Value& array, const std::vector<bool>& doomed) {
    std::size_t kept = 0;
    for (std::size_t index = 0; index < doomed.size(); ++index) {
      if (!doomed[index]) array.set_item(kept++, array.items()[index]);
    }
    while (array.size() > kept) array.erase_item(array.size() - 1);
  }

  void add_children(const Place& place, const Value& spec) {
    for (const json::Member& member : spec.members()) {
      for (const std::string_view key : alternatives(member.name)) {
        children_.emplace_back(place.below(member.name), key, member.value);
      }
    }
  }

  void collect(const Value& object, std::vector<std::string_view>& doomed) const {
    const auto meet = [&](const json::Member& member) {
      if (is_leaf_) {
        doomed.push_back(member.name);
      } else {
        Value value = member.value;
        apply_children(value);
      }
    };
    if (element_->kind() == ElementKind::literal) {
      if (const Value* const value = object.find(element_->raw())) {
        meet({element_->raw(), *value});
      }
      return;
    }
    for (const json::Member& member : object.members()) {
      if (element_->matches_text(member.name)) meet(member);
    }
  }

  // Among elements only an index and the lone star mean something.
  void mark(const Value& array, std::vector<bool>& doomed) const {
    const auto meet = [&](std::size_t index) {
      if (is_leaf_) {
        doomed[index] = true;
      } else {
        Value value = array.items()[index];
        apply_children(value);
      }
    };
    if (index_ && *index_ >= 0 && static_cast<std::size_t>(*index_) < array.size()) {
      meet(static_cast<std::size_t>(*index_));
    } else if (element_->kind() == ElementKind::star_all) {
      for (std::size_t index = 0; index < array.size(); ++index) meet(index);
    }
  }

  ElementPtr element_;
  bool is_leaf_;
  std::optional<std::int32_t> index_;
  std::vector<RemoveKey> children_;
};

class Remove : public Transform {
 public:
  Remove(const Place& place, const Value& spec) : root_(place, object_spec(place, spec)) {}
  void apply(Value& document, Run&) const override { root_.apply_children(document); }

 private:
  RemoveKey root_;
};

}  // namespace

TransformPtr compile_remove(const Place& place, const Value& spec) {
  return std::make_unique<Remove>(place, spec);
}

}  // namespace weir::jolt
