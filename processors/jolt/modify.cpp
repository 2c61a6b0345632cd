#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "processors/jolt/modify_expression.h"
#include "processors/jolt/spec_children.h"

// modify-overwrite, modify-default, modify-define: values computed from the document, put into it.
namespace weir::jolt {
namespace {

enum class Mode { overwrite, fill, define };  // fill: missing or null; define: missing

std::optional<Mode> mode_of(char sign) {
  if (sign == '+') return Mode::overwrite;
  if (sign == '~') return Mode::fill;
  if (sign == '_') return Mode::define;
  return std::nullopt;
}

// What may be put where `name` stands in an object.
bool may_set(Mode mode, const Value& object, std::string_view name) {
  const Value* const present = object.find(name);
  switch (mode) {
    case Mode::overwrite:
      return true;
    case Mode::fill:
      return !present || present->is_null();
    case Mode::define:
      break;
  }
  return !present;
}

bool may_set(Mode mode, const Value& array, std::int64_t index, std::int32_t original_size) {
  if (index < 0 || original_size < 0) return false;
  if (static_cast<std::size_t>(index) >= array.size()) {
    throw TransformError(fmt::format("the array has no index {}", index));
  }
  if (mode == Mode::overwrite) return true;
  if (mode == Mode::define && index < original_size) return false;
  return array.items()[static_cast<std::size_t>(index)].is_null();
}

// A key of the spec with its signs taken off: "+a", "~a", "_a", "a?".
struct ModifyKey {
  Mode mode;
  bool only_present = false;  // "?": not where the key is missing
  ElementPtr element;

  ModifyKey(const Place& place, std::string_view key, Mode inherited) : mode(inherited) {
    if (key.empty()) throw SpecError(place, "an empty key");
    const bool has_suffix = key.size() > 1 && key.ends_with('?');
    if (const auto own = mode_of(key.front())) {
      mode = *own;
      key.remove_prefix(1);
    }
    if (has_suffix && !key.ends_with("\\?")) {
      only_present = true;
      key.remove_suffix(1);
    }
    element = PathElement::parse(place, key);
    const ElementKind kind = element->kind();
    if (!element->is_star() && kind != ElementKind::literal && kind != ElementKind::array) {
      throw SpecError(place, fmt::format("\"{}\" is no key, no index and no star", key));
    }
  }
};

class ModifyNode : public Node {
 public:
  explicit ModifyNode(ModifyKey key)
      : Node(std::move(key.element)), mode_(key.mode), only_present_(key.only_present) {}

  bool apply(std::string_view key, Input input, Walk& walk) const override {
    Matched storage;
    Matched* const matched = element().match(key, walk.path, storage);
    if (!matched) return false;
    if (!only_present_ || input.present) apply_matched(key, input, *matched, walk);
    return true;
  }
  bool only_present() const { return only_present_; }

 protected:
  virtual void apply_matched(std::string_view key, Input input, Matched& matched,
                             Walk& walk) const = 0;
  Mode mode() const { return mode_; }

 private:
  Mode mode_;
  bool only_present_;
};

class ModifyLeaf : public ModifyNode {
 public:
  ModifyLeaf(const Place& place, ModifyKey key, const Value& value, Arena& arena)
      : ModifyNode(std::move(key)), expression_(place, value, arena) {}

 protected:
  void apply_matched(std::string_view, Input input, Matched& matched, Walk& walk) const override {
    Value parent = walk.path.last().tree;
    walk.path.push(input.value, &matched);
    const Result result = expression_.evaluate(input, walk);
    walk.path.pop();
    if (!result) return;
    if (parent.is_object()) {
      if (!may_set(mode(), parent, matched.text)) return;
      parent.set(walk.run.arena, walk.run.arena.copy(matched.text), own(*result, walk));
    } else if (parent.is_array() && matched.original_size >= 0) {
      const auto index = parse_int(matched.text);
      if (!index || !may_set(mode(), parent, *index, matched.original_size)) return;
      parent.set_item(static_cast<std::size_t>(*index), own(*result, walk));
    } else {
      throw TransformError(
          fmt::format("key \"{}\" stands neither in an object nor in an array", matched.text));
    }
  }

 private:
  // A copy: nothing of the document occurs in it twice, or within itself.
  static Value own(const Value& value, Walk& walk) {
    if (!value.is_container()) return value;
    charge(walk.run, value, 0);
    return value.clone(walk.run.arena);
  }

  Expression expression_;
};

int rank_of(ElementKind kind) {
  switch (kind) {
    case ElementKind::star_regex:
      return 2;
    case ElementKind::star_double:
      return 3;
    case ElementKind::star_single:
      return 4;
    default:
      return 5;
  }
}

class ModifyBranch : public ModifyNode {
 public:
  ModifyBranch(const Place& place, ModifyKey key, const Value& spec, Mode inherited, Arena& arena)
      : ModifyNode(std::move(key)) {
    std::set<std::string> seen;
    for (const json::Member& member : spec.members()) {
      const Place below = place.below(member.name);
      for (const std::string_view name : alternatives(member.name)) {
        ModifyKey child(below, name, inherited);
        if (!seen.insert(child.element->canonical()).second) {
          throw SpecError(below, fmt::format("the key \"{}\" is there twice", name));
        }
        add(below, std::move(child), member.value, inherited, arena);
      }
    }
    children_.sort_computed(rank_of);
    children_.use(strategy());
  }

 protected:
  void apply_matched(std::string_view key, Input input, Matched& matched,
                     Walk& walk) const override {
    if (!fits(input.value)) return;
    if (input.value.is_null()) {
      const Result made = make_container(key, walk);
      if (!made) return;
      input = Input::of(*made);
    }
    if (input.value.is_array()) {
      const std::size_t size = input.value.size();
      if (kind_ == Kind::array) extend(input.value, walk);
      matched.original_size = static_cast<std::int32_t>(size);
    }
    walk.path.push(input.value, &matched);
    children_.process(input, walk);
    walk.path.pop();
  }

 private:
  enum class Kind { any, object, array };  // what the keys below need

  void add(const Place& place, ModifyKey key, const Value& value, Mode inherited, Arena& arena) {
    const PathElement& element = *key.element;
    const bool is_array = element.kind() == ElementKind::array;
    if (is_array && element.explicit_index() < 0) {
      throw SpecError(place, "an index must be a number here");
    }
    if (is_array || element.kind() != ElementKind::star_all) {
      const Kind kind = is_array ? Kind::array : Kind::object;
      if (kind_ != Kind::any && kind_ != kind) {
        throw SpecError(place, "indexes and names do not go together");
      }
      kind_ = kind;
    }
    if (is_array && !key.only_present) {
      largest_index_ = std::max(largest_index_, element.explicit_index());
    }
    const std::string literal = is_array ? std::to_string(element.explicit_index()) : element.raw();
    const bool is_star = element.is_star();
    NodePtr child;
    if (value.is_object() && value.size() > 0) {
      child = std::make_unique<ModifyBranch>(place, std::move(key), value, inherited, arena);
    } else {
      child = std::make_unique<ModifyLeaf>(place, std::move(key), value, arena);
    }
    if (is_star) {
      children_.add_computed(std::move(child));
    } else {
      children_.add_literal(literal, std::move(child));
    }
  }

  Strategy strategy() const {
    if (children_.computed().empty()) return Strategy::all_literals;
    if (children_.literals().empty()) return Strategy::computed;
    if (mode() == Mode::define && kind_ == Kind::array) return Strategy::conflict;
    return Strategy::all_literals_with_computed;
  }

  bool fits(const Value& value) const {
    switch (kind_) {
      case Kind::any:
        return !value.is_null();
      case Kind::object:
        return value.is_null() || value.is_object();
      case Kind::array:
        break;
    }
    return value.is_null() || value.is_array();
  }

  void extend(Value array, Walk& walk) const {
    if (largest_index_ >= 0) check_index(static_cast<std::size_t>(largest_index_));
    while (static_cast<std::int64_t>(array.size()) <= largest_index_) {
      charge(walk.run, Value(), 0);
      array.push_back(walk.run.arena, Value());
    }
  }

  // Where the document has nothing: a new object or array, if it may be put there.
  Result make_container(std::string_view key, Walk& walk) const {
    const PathStep& step = walk.path.last();
    Value parent = step.tree;
    const auto made = [&] {
      return kind_ == Kind::array ? Value::array(walk.run.arena) : Value::object(walk.run.arena);
    };
    if (parent.is_object() && may_set(mode(), parent, key)) {
      const Value container = made();
      parent.set(walk.run.arena, walk.run.arena.copy(key), container);
      return container;
    }
    const auto index = parse_int(key);
    if (parent.is_array() && index &&
        may_set(mode(), parent, *index, step.matched->original_size)) {
      const Value container = made();
      parent.set_item(static_cast<std::size_t>(*index), container);
      return container;
    }
    return std::nullopt;
  }

  SpecChildren children_;
  Kind kind_ = Kind::any;
  std::int32_t largest_index_ = -1;
};

Mode mode_of_operation(Operation operation) {
  if (operation == Operation::modify_overwrite) return Mode::overwrite;
  return operation == Operation::modify_default ? Mode::fill : Mode::define;
}

class Modify : public Transform {
 public:
  Modify(Operation operation, const Place& place, const Value& spec)
      : root_(place, ModifyKey(place, "root", mode_of_operation(operation)),
              object_spec(place, spec), mode_of_operation(operation), arena_) {}

  void apply(Value& document, Run& run) const override {
    Walk walk{run};
    Matched root;
    root.text = "root";
    walk.path.push(document, &root);
    root_.apply("root", Input::of(document), walk);
  }

 private:
  Arena arena_;  // of the numbers that stand in calls
  ModifyBranch root_;
};

}  // namespace

TransformPtr compile_modify(Operation operation, const Place& place, const Value& spec) {
  return std::make_unique<Modify>(operation, place, spec);
}

}  // namespace weir::jolt
