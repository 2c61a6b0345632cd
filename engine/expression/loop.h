#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/pattern.h"
#include "engine/expression/node.h"

// The functions that run an expression over several attributes or the pieces of a text: any...
// and all....
namespace weir::expression {

enum class LoopKind : std::uint8_t {
  any_attribute,
  all_attributes,
  any_matching,
  all_matching,
  any_delineated,
  all_delineated,
};
std::optional<LoopKind> loop_kind(std::string_view name);

constexpr bool is_any(LoopKind kind) {
  return kind == LoopKind::any_attribute || kind == LoopKind::any_matching ||
         kind == LoopKind::any_delineated;
}

// The root of the expression that is evaluated again and again: gives the value of the turn.
class LoopSource : public Node {
 public:
  Value evaluate(Evaluation& evaluation) const override { return evaluation.current_of(this); }
  LoopKind kind() const { return kind_; }
  // The value of each turn. Nothing counts as one turn with null.
  virtual std::vector<Value> gather(Evaluation& evaluation) const = 0;

 protected:
  explicit LoopSource(LoopKind kind) : Node(Type::string), kind_(kind) { loop_source_ = true; }

 private:
  const LoopKind kind_;
};

class NamedAttributes final : public LoopSource {
 public:
  NamedAttributes(LoopKind kind, std::vector<std::string> names)
      : LoopSource(kind), names_(std::move(names)) {}
  std::vector<Value> gather(Evaluation& evaluation) const override;

 private:
  const std::vector<std::string> names_;
};

// In the order of the patterns; a name that two of them match takes two turns.
class MatchingAttributes final : public LoopSource {
 public:
  MatchingAttributes(LoopKind kind, std::vector<Pattern> patterns)
      : LoopSource(kind), patterns_(std::move(patterns)) {}
  std::vector<Value> gather(Evaluation& evaluation) const override;

 private:
  const std::vector<Pattern> patterns_;
};

// The pieces that Java's String.split makes; the delimiter is a regular expression.
class DelineatedValues final : public LoopSource {
 public:
  DelineatedValues(LoopKind kind, NodePtr text, NodePtr delimiter);
  std::vector<Value> gather(Evaluation& evaluation) const override;

 private:
  const NodePtr text_;
  const NodePtr delimiter_;
};

// Evaluates a Boolean expression turn by turn, as far as the answer needs it.
class BooleanLoop final : public Node {
 public:
  BooleanLoop(const LoopSource& source, NodePtr logic);
  Value evaluate(Evaluation& evaluation) const override;
  const Node& logic() const { return *logic_; }

 private:
  const LoopSource& source_;  // the root of `logic_`
  const NodePtr logic_;
};

// Evaluates an expression that ends in join or count for every turn; the last turn's value.
class ReducingLoop final : public Node {
 public:
  ReducingLoop(const LoopSource& source, NodePtr logic);
  Value evaluate(Evaluation& evaluation) const override;

 private:
  const LoopSource& source_;
  const NodePtr logic_;
};

}  // namespace weir::expression
