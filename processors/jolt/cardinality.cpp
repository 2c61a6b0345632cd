#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "processors/jolt/path_element.h"

// cardinality: makes a value a list (MANY), or a list its first element (ONE).
namespace weir::jolt {
namespace {

class CardinalityKey {
 public:
  CardinalityKey(const Place& place, ElementPtr element, const Value& spec)
      : element_(std::move(element)) {
    if (!spec.is_object()) {
      read_rule(place, spec);
      return;
    }
    if (element_->kind() == ElementKind::at) {
      throw SpecError(place, "a key of @ cannot have keys below it");
    }
    std::set<std::string> seen;
    for (const json::Member& member : spec.members()) {
      const Place below = place.below(member.name);
      auto child = std::make_unique<CardinalityKey>(below, parse(below, member.name), member.value);
      if (!seen.insert(child->element_->canonical()).second) {
        throw SpecError(below, "the key is there twice");
      }
      add(std::move(child));
    }
    if (seen.empty()) throw SpecError(place, "an empty object says nothing");
    // Jolt cannot tell which of them comes first.
    if (stars_.size() > 1) throw SpecError(place, "more than one key with a star");
  }

  // `container` holds the value under `key`. False: the key does not match.
  bool apply(std::string_view key, Value value, Value container, Arena& arena) const {
    if (!matches(key)) return false;
    if (rule_) {
      adjust(key, value, container, arena);
      return true;
    }
    if (special_) value = special_->adjust(key, value, container, arena);
    if (value.is_object()) {
      // A member that becomes a list moves to the end: those of the beginning are meant.
      for (const json::Member& member : in_hash_order(value)) {
        to_child(member.name, member.value, value, arena);
      }
    } else if (value.is_array()) {
      for (std::size_t index = 0; index < value.size(); ++index) {
        to_child(std::to_string(index), value.items()[index], value, arena);
      }
    } else if (!value.is_null()) {
      to_child(java_text(value), Value(), value, arena);
    }
    return true;
  }

 private:
  enum class Rule { one, many };

  static ElementPtr parse(const Place& place, std::string_view key) {
    if (!key.contains('@')) return parse_star_key(place, key, false);
    if (key != "@") throw SpecError(place, "an \"@\" must be the whole key");
    return PathElement::parse(place, key);
  }

  void read_rule(const Place& place, const Value& spec) {
    const std::string_view text = spec.is_string() ? spec.as_text() : std::string_view();
    if (text != "ONE" && text != "MANY") throw SpecError(place, "it must be ONE or MANY");
    rule_ = text == "ONE" ? Rule::one : Rule::many;
  }

  void add(std::unique_ptr<const CardinalityKey> child) {
    const CardinalityKey* const added = child.get();
    children_.push_back(std::move(child));
    // Also a star: the same character may be a key of the data.
    literals_[added->element_->raw()] = added;
    if (added->element_->kind() == ElementKind::at) {
      special_ = added;
    } else if (added->element_->is_star()) {
      stars_.push_back(added);
    }
  }

  bool matches(std::string_view key) const {
    switch (element_->kind()) {
      case ElementKind::at:
        return true;
      case ElementKind::literal:
        return element_->raw() == key;
      default:
        return element_->matches_text(key);
    }
  }

  void to_child(std::string_view key, Value value, Value container, Arena& arena) const {
    if (const auto literal = literals_.find(key); literal != literals_.end()) {
      literal->second->apply(key, value, container, arena);
      return;
    }
    for (const CardinalityKey* star : stars_) {
      if (star->apply(key, value, container, arena)) return;
    }
  }

  // What stands there afterwards; null also where ONE had nothing to do.
  Value adjust(std::string_view key, Value value, Value container, Arena& arena) const {
    const bool has_nothing_to_do = rule_ == Rule::one && !value.is_array();
    if (has_nothing_to_do && container.is_null()) return {};
    if (!container.is_object()) {
      throw TransformError(fmt::format("key \"{}\" does not stand in an object", key));
    }
    if (has_nothing_to_do) return {};
    if (rule_ == Rule::one) {
      const Value first = value.size() == 0 ? Value() : value.items()[0];
      container.set(arena, arena.copy(key), first);
      return first;
    }
    if (value.is_array()) return value;
    Value list = Value::array(arena, 1);
    if (!value.is_null()) {
      list.push_back(arena, value);
      container.erase(key);
    }
    container.set(arena, arena.copy(key), list);
    return list;
  }

  ElementPtr element_;
  std::optional<Rule> rule_;
  std::vector<std::unique_ptr<const CardinalityKey>> children_;
  std::map<std::string, const CardinalityKey*, std::less<>> literals_;
  std::vector<const CardinalityKey*> stars_;
  const CardinalityKey* special_ = nullptr;
};

class Cardinality : public Transform {
 public:
  Cardinality(const Place& place, const Value& spec)
      : root_(place, parse_star_key(place, "root", false), object_spec(place, spec)) {}
  void apply(Value& document, Run& run) const override {
    root_.apply("root", document, Value(), run.arena);
  }

 private:
  CardinalityKey root_;
};

}  // namespace

TransformPtr compile_cardinality(const Place& place, const Value& spec) {
  return std::make_unique<Cardinality>(place, spec);
}

}  // namespace weir::jolt
