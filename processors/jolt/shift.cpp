#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "processors/jolt/path.h"
#include "processors/jolt/spec_children.h"

// shift: the spec is walked together with the data; its leaves say where the data goes.
namespace weir::jolt {
namespace {

// Keys that need no key of the data: they apply to what their parent matched.
bool is_special(ElementKind kind) {
  return kind == ElementKind::at || kind == ElementKind::hash || kind == ElementKind::dollar ||
         kind == ElementKind::transpose;
}

int rank_of(ElementKind kind) {
  switch (kind) {
    case ElementKind::ampersand:
      return 1;
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

class ShiftLeaf : public Node {
 public:
  ShiftLeaf(const Place& place, ElementPtr element, const Value& outputs)
      : Node(std::move(element)) {
    if (outputs.is_array()) {
      for (const Value& output : outputs.items()) add(place, output);
    } else if (!outputs.is_null()) {  // null: the key matches and goes nowhere
      add(place, outputs);
    }
  }

  bool apply(std::string_view key, Input input, Walk& walk) const override {
    Matched storage;
    Matched* const matched = element().match(key, walk.path, storage);
    if (!matched) return false;
    Value data = input.value;
    if (element().kind() == ElementKind::dollar || element().kind() == ElementKind::hash) {
      data = Value::string(matched->text, walk.run.arena);
    } else if (element().kind() == ElementKind::transpose) {
      const Input found = element().look_up(walk.path);
      if (!found.present) return false;
      data = found.value;
    }
    walk.path.push(input.value, matched);
    for (const Path& output : outputs_) output.write(data, walk);
    walk.path.pop();
    if (is_special(element().kind())) return false;
    ++walk.path.last().matched->hash_count;
    return true;
  }

 private:
  void add(const Place& place, const Value& output) {
    if (!output.is_string()) {
      throw SpecError(place, "an output must be a path, several of them in an array, or null");
    }
    outputs_.push_back(Path::of_writing(place, output.as_text()));
  }

  std::vector<Path> outputs_;
};

class ShiftBranch : public Node {
 public:
  ShiftBranch(const Place& place, ElementPtr element, const Value& spec)
      : Node(std::move(element)) {
    const ElementKind kind = this->element().kind();
    if (kind == ElementKind::at || kind == ElementKind::dollar) {
      throw SpecError(place, "a key of @ or $ cannot have keys below it");
    }
    std::set<std::string> seen;
    for (const json::Member& member : spec.members()) {
      const Place below = place.below(member.name);
      for (const std::string_view key : alternatives(member.name)) {
        NodePtr child = make(below, key, member.value);
        if (!seen.insert(child->element().canonical()).second) {
          throw SpecError(below, fmt::format("the key \"{}\" is there twice", key));
        }
        add(std::move(child));
      }
    }
    if (seen.empty()) throw SpecError(place, "an empty object says nothing");
    const bool has_array = std::ranges::any_of(children_.computed(), [](const NodePtr& child) {
      return child->element().kind() == ElementKind::array;
    });
    if (has_array && children_.computed().size() > 1) {
      throw SpecError(place, "[] on the left side does not go with *");
    }
    children_.sort_computed(rank_of);
    children_.use(strategy());
  }

  bool apply(std::string_view key, Input input, Walk& walk) const override {
    Matched storage;
    Matched* const matched = element().match(key, walk.path, storage);
    if (!matched) return false;
    if (element().kind() == ElementKind::transpose) {
      input = element().look_up(walk.path);
      if (!input.present) return false;
    }
    walk.path.push(input.value, matched);
    for (const NodePtr& child : special_) child->apply(key, input, walk);
    children_.process(input, walk);
    walk.path.pop();
    ++walk.path.last().matched->hash_count;
    return true;
  }

 private:
  static NodePtr make(const Place& place, std::string_view key, const Value& value) {
    ElementPtr element = PathElement::parse(place, key);
    if (value.is_object()) {
      return std::make_unique<ShiftBranch>(place, std::move(element), value);
    }
    return std::make_unique<ShiftLeaf>(place, std::move(element), value);
  }

  void add(NodePtr child) {
    const PathElement& element = child->element();
    if (element.kind() == ElementKind::literal) {
      children_.add_literal(element.raw(), std::move(child));
    } else if (is_special(element.kind())) {
      special_.push_back(std::move(child));
    } else {
      children_.add_computed(std::move(child));
    }
  }

  // Where no star can match a literal's key, each can be run by itself.
  Strategy strategy() const {
    if (children_.computed().empty()) return Strategy::available_literals;
    if (children_.literals().empty()) return Strategy::computed;
    for (const NodePtr& child : children_.computed()) {
      if (!child->element().is_star()) return Strategy::conflict;
      for (const SpecChildren::Literal& literal : children_.literals()) {
        if (child->element().matches_text(literal.key)) return Strategy::conflict;
      }
    }
    return Strategy::available_literals_with_computed;
  }

  std::vector<NodePtr> special_;
  SpecChildren children_;
};

class Shift : public Transform {
 public:
  Shift(const Place& place, const Value& spec)
      : root_(place, PathElement::parse(place, "root"), object_spec(place, spec)) {}

  void apply(Value& document, Run& run) const override {
    Walk walk{run};
    Matched root;  // so that [#n] can count at the top as well
    root.text = "root";
    walk.path.push(document, &root);
    root_.apply("root", Input::of(document), walk);
    document = walk.output;
  }

 private:
  ShiftBranch root_;
};

}  // namespace

TransformPtr compile_shift(const Place& place, const Value& spec) {
  return std::make_unique<Shift>(place, spec);
}

}  // namespace weir::jolt
