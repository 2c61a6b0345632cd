#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/expression/evaluation.h"
#include "engine/expression/value.h"

namespace weir::expression {

struct Function;
class Constant;

// A part of a compiled expression. Immutable once compiled, shared by all threads.
class Node {
 public:
  virtual ~Node() = default;
  virtual Value evaluate(Evaluation& evaluation) const = 0;
  // Not null where the value is known without evaluating.
  virtual const Constant* constant() const { return nullptr; }
  // What a function or a conversion is applied to; null at the root of a chain.
  virtual const Node* subject() const { return nullptr; }

  Type type() const { return type_; }
  // Runs over several attributes and must be reduced to one value.
  bool is_loop_source() const { return loop_source_; }
  bool is_loop_result() const { return loop_result_; }
  bool is_reducing() const { return reducing_; }
  bool is_attribute() const { return attribute_; }
  int depth() const { return depth_; }

 protected:
  explicit Node(Type type) : type_(type) {}
  void deepen(const Node& below) {
    if (below.depth_ >= depth_) depth_ = below.depth_ + 1;
  }

  const Type type_;
  bool loop_source_ = false;
  bool loop_result_ = false;  // join or count over a loop
  bool reducing_ = false;
  bool attribute_ = false;
  int depth_ = 1;
};

using NodePtr = std::unique_ptr<const Node>;

class Constant final : public Node {
 public:
  // `literal`: stands so in the expression, which is then invalid where the value cannot be right.
  Constant(std::string text, bool literal);
  Constant(Type type, Value value, bool literal) : Node(type), value_(value), literal_(literal) {}
  static NodePtr null(bool literal) {
    return std::make_unique<Constant>(Type::string, Value(), literal);
  }

  Value evaluate(Evaluation&) const override { return value_; }
  const Constant* constant() const override { return this; }
  const Value& value() const { return value_; }
  // Only of texts and null: NiFi looks at no other literals before it evaluates.
  bool is_literal() const { return literal_ && type() == Type::string; }

 private:
  const std::string storage_;
  Value value_;
  const bool literal_;
};

// The value of the attribute whose name the expression below gives.
class AttributeReference final : public Node {
 public:
  explicit AttributeReference(NodePtr name) : Node(Type::string), name_(std::move(name)) {
    attribute_ = true;
    deepen(*name_);
  }
  Value evaluate(Evaluation& evaluation) const override;

 private:
  const NodePtr name_;
};

// Texts one behind the other; null counts as empty. What a text in quotes with ${...} in it
// becomes.
class Joined final : public Node {
 public:
  explicit Joined(std::vector<NodePtr> parts);
  Value evaluate(Evaluation& evaluation) const override;

 private:
  const std::vector<NodePtr> parts_;
};

// What a function prepares from its literal arguments: a pattern, a date format.
class PreparedData {
 public:
  virtual ~PreparedData() = default;
};

class Call final : public Node {
 public:
  Call(const Function& function, NodePtr subject, std::vector<NodePtr> arguments,
       std::vector<std::unique_ptr<const PreparedData>> prepared);

  Value evaluate(Evaluation& evaluation) const override { return run_(*this, evaluation); }
  const Node* subject() const override { return subject_.get(); }

  const Function& function() const { return function_; }
  std::size_t argument_count() const { return arguments_.size(); }
  const Node& argument(std::size_t index) const { return *arguments_[index]; }

  // Values after the conversions that the function's declaration asks for.
  Value subject_value(Evaluation& evaluation) const { return subject_->evaluate(evaluation); }
  Value argument_value(std::size_t index, Evaluation& evaluation) const {
    return arguments_[index]->evaluate(evaluation);
  }
  std::optional<std::string_view> subject_text(Evaluation& evaluation) const {
    return as_text(subject_->evaluate(evaluation));
  }
  std::optional<std::string_view> argument_text(std::size_t index, Evaluation& evaluation) const {
    return as_text(arguments_[index]->evaluate(evaluation));
  }
  // Empty: null.
  std::optional<std::int64_t> argument_whole(std::size_t index, Evaluation& evaluation) const;
  // Throws where the argument is null.
  std::string_view required_text(std::size_t index, Evaluation& evaluation) const;
  std::int64_t required_whole(std::size_t index, Evaluation& evaluation) const;
  // Null where the argument is not constant.
  template <typename Data>
  const Data* prepared(std::size_t index) const {
    return index < prepared_.size() ? static_cast<const Data*>(prepared_[index].get()) : nullptr;
  }
  // Throws a ProcessException that names the function.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  static std::optional<std::string_view> as_text(const Value& value) {
    if (value.is_null()) return std::nullopt;
    return value.text();
  }

  const Function& function_;
  Value (*const run_)(const Call& call, Evaluation& evaluation);
  const NodePtr subject_;
  const std::vector<NodePtr> arguments_;
  const std::vector<std::unique_ptr<const PreparedData>> prepared_;
};

}  // namespace weir::expression
