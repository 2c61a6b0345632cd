#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "processors/jolt/spec.h"
#include "processors/jolt/values.h"

// default: puts values where the document has none, or null.
namespace weir::jolt {
namespace {

enum class KeyKind { literal, alternatives, star };

class DefaultKey {
 public:
  // `in_array`: the key is an index. Throws SpecError.
  DefaultKey(const Place& place, std::string_view key, const Value& spec, bool in_array)
      : in_array_(in_array) {
    std::string name(key);
    holds_array_ = name.ends_with("[]");
    if (holds_array_) {
      for (std::size_t at; (at = name.find("[]")) != std::string::npos;) name.erase(at, 2);
    }
    if (name.contains('*')) {
      if (name != "*") throw SpecError(place, "a star must be the whole key");
      kind_ = KeyKind::star;
    } else {
      kind_ = name.contains('|') ? KeyKind::alternatives : KeyKind::literal;
      for (const std::string_view alternative : alternatives(name)) {
        names_.emplace_back(alternative);
      }
    }
    if (in_array) read_indexes(place);
    if (spec.is_object()) {
      add_children(place, spec);
    } else {
      value_ = spec;
    }
  }

  bool has_children() const { return has_children_; }

  void apply_children(Value& container, Run& run) const {
    if (holds_array_ && container.is_array()) {
      if (largest_index_ >= 0) check_index(static_cast<std::size_t>(largest_index_));
      while (static_cast<std::int64_t>(container.size()) <= largest_index_) {
        charge(run, Value(), 0);
        container.push_back(run.arena, Value());
      }
    }
    for (const DefaultKey& child : children_) child.apply(container, run);
  }

 private:
  void read_indexes(const Place& place) {
    for (const std::string& name : names_) {
      const auto index = parse_int(name);
      if (!index || *index < 0) {
        throw SpecError(place, fmt::format("\"{}\" is no index of an array", name));
      }
      indexes_.push_back(static_cast<std::size_t>(*index));
    }
  }

  void add_children(const Place& place, const Value& spec) {
    has_children_ = true;
    for (const json::Member& member : spec.members()) {
      children_.emplace_back(place.below(member.name), member.name, member.value, holds_array_);
      const DefaultKey& child = children_.back();
      if (holds_array_ && child.kind_ == KeyKind::literal) {
        largest_index_ =
            std::max(largest_index_, static_cast<std::int64_t>(child.indexes_.front()));
      }
    }
    std::ranges::stable_sort(children_, [](const DefaultKey& a, const DefaultKey& b) {
      if (a.kind_ != b.kind_) return a.kind_ < b.kind_;
      if (a.kind_ != KeyKind::alternatives) return false;
      if (a.names_.size() != b.names_.size()) return a.names_.size() < b.names_.size();
      return a.names_ < b.names_;
    });
  }

  void apply(Value& container, Run& run) const {
    if (in_array_) {
      if (container.is_array()) apply_to_array(container, run);
    } else if (container.is_object()) {
      apply_to_object(container, run);
    }
    // A container of the other kind wins over the spec.
  }

  void apply_to_object(Value& object, Run& run) const {
    if (kind_ == KeyKind::star) {
      for (std::size_t at = 0; at < object.size(); ++at) {
        const json::Member member = object.members()[at];
        if (const auto value = filled(member.value, run)) {
          object.set(run.arena, member.name, *value);
        }
      }
      return;
    }
    for (const std::string& name : names_) {
      const Value* const present = object.find(name);
      if (!present && kind_ == KeyKind::alternatives) continue;
      if (const auto value = filled(present ? *present : Value(), run)) {
        object.set(run.arena, run.arena.copy(name), *value);
      }
    }
  }

  void apply_to_array(Value& array, Run& run) const {
    const auto fill = [&](std::size_t index) {
      if (const auto value = filled(array.items()[index], run)) array.set_item(index, *value);
    };
    if (kind_ == KeyKind::star) {
      for (std::size_t index = 0; index < array.size(); ++index) fill(index);
      return;
    }
    for (const std::size_t index : indexes_) {
      if (index < array.size()) {
        fill(index);
      } else if (kind_ == KeyKind::literal) {
        throw TransformError(fmt::format("the array has no index {}", index));
      }
    }
  }

  // What takes the place of `present`; nothing where it stays.
  std::optional<Value> filled(Value present, Run& run) const {
    if (!has_children_) {
      if (!present.is_null()) return std::nullopt;
      charge(run, value_, 0);
      return value_.clone(run.arena);
    }
    const bool is_new = present.is_null();
    if (is_new) present = holds_array_ ? Value::array(run.arena) : Value::object(run.arena);
    apply_children(present, run);
    return is_new ? std::optional(present) : std::nullopt;
  }

  bool in_array_;
  bool holds_array_ = false;
  KeyKind kind_ = KeyKind::literal;
  std::vector<std::string> names_;
  std::vector<std::size_t> indexes_;
  bool has_children_ = false;
  std::vector<DefaultKey> children_;
  std::int64_t largest_index_ = -1;
  Value value_;
};

class Default : public Transform {
 public:
  Default(const Place& place, const Value& spec) : object_root_(place, "root", spec, false) {
    // The same keys as indexes, for a document that is an array; most are none.
    try {
      array_root_.emplace(place, "root[]", spec, false);
    } catch (const SpecError&) {
      array_root_.reset();
    }
  }

  void apply(Value& document, Run& run) const override {
    if (document.is_null()) document = Value::object(run.arena);
    if (document.is_array() && !array_root_) {
      throw TransformError("the specification has no defaults for an array");
    }
    const DefaultKey& root = document.is_array() ? *array_root_ : object_root_;
    if (!root.has_children()) throw TransformError("the specification is no object");
    root.apply_children(document, run);
  }

 private:
  DefaultKey object_root_;
  std::optional<DefaultKey> array_root_;
};

}  // namespace

TransformPtr compile_default(const Place& place, const Value& spec) {
  return std::make_unique<Default>(place, spec);
}

}  // namespace weir::jolt
