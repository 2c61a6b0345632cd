#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/expression/expression.h"
#include "engine/expression/scratch.h"
#include "engine/expression/value.h"

namespace weir::expression {

class Node;

// The state of one evaluation: what it sees, the memory of its texts, where loops over several
// attributes stand. One thread.
class Evaluation {
 public:
  // `depth` counts evaluations within evaluations (evaluateELString).
  Evaluation(const Environment& environment, const ExpressionInputs& inputs, int depth = 0)
      : environment_(environment), inputs_(inputs), depth_(depth) {}

  const Environment& environment() const { return environment_; }
  const ExpressionInputs& inputs() const { return inputs_; }
  int depth() const { return depth_; }

  // A variable, what NiFi knows of a FlowFile (fileSize, entryDate, ...), an attribute, a property
  // of the machine or an environment variable of that name: the first of them.
  std::optional<std::string_view> attribute(std::string_view name);
  // The names of variables, of what is known of the FlowFile, and of attributes.
  void for_each_name(const std::function<void(std::string_view)>& visit) const;

  std::string& buffer() { return scratch_.buffer(); }
  std::string_view keep(std::string_view text) { return scratch_.copy(text); }
  Value text(std::string_view made) { return Value::of_text(keep(made)); }
  char* allocate(std::size_t size_bytes) { return scratch_.allocate(size_bytes); }
  // The value as a text; not for null.
  std::string_view text_of(const Value& value);

  // Loops over several attributes: `current` is what the source gives while the rest of the
  // expression is evaluated for it.
  void push_current(const Node* source, Value current) { currents_.push_back({source, current}); }
  void set_current(Value current) { currents_.back().value = current; }
  void pop_current() { currents_.pop_back(); }
  Value current_of(const Node* source) const;

  // What a reducing function gathers over the turns of a loop.
  struct Reduction {
    const Node* function = nullptr;
    std::string text = {};
    std::int64_t count = 0;
    std::int64_t turns = 0;
  };
  std::size_t begin_reducing();
  void end_reducing(std::size_t begun);
  // Null outside of a loop.
  Reduction* reduction(const Node* function);

 private:
  struct Current {
    const Node* source;
    Value value;
  };

  const Environment& environment_;
  const ExpressionInputs& inputs_;
  const int depth_;
  Scratch& scratch_ = Scratch::of_thread();
  const Scratch::Lease lease_{scratch_};
  std::vector<Current> currents_;
  int reducing_ = 0;
  std::vector<Reduction> reductions_;
};

}  // namespace weir::expression
