#include "engine/expression/loop.h"

#include <algorithm>
#include <map>

#include "engine/expression/pattern_cache.h"
#include "engine/text/utf16.h"

namespace weir::expression {
namespace {

// Java's order of a HashMap's keys, which is what join shows: by the bucket of the name's hash.
// Each name once.
std::uint32_t java_hash(std::string_view name) {
  std::uint32_t hash = 0;
  std::size_t at = 0;
  while (at < name.size()) {
    const char32_t code_point = text::next_code_point(name, at);
    if (code_point >= 0x10000) {
      hash = hash * 31 + (0xD800 + ((code_point - 0x10000) >> 10));
      hash = hash * 31 + (0xDC00 + ((code_point - 0x10000) & 0x3FF));
    } else {
      hash = hash * 31 + code_point;
    }
  }
  return hash ^ (hash >> 16);
}

void order_as_java(std::vector<std::string_view>& names) {
  std::uint32_t buckets = 16;
  while (names.size() > buckets * 3 / 4) buckets *= 2;
  std::vector<std::pair<std::uint32_t, std::string_view>> keyed;
  keyed.reserve(names.size());
  for (const auto name : names) keyed.emplace_back(java_hash(name) & (buckets - 1), name);
  std::ranges::sort(keyed);
  names.clear();
  for (const auto& [bucket, name] : keyed) {
    if (names.empty() || names.back() != name) names.push_back(name);
  }
}

Value attribute_value(Evaluation& evaluation, std::string_view name) {
  const auto value = evaluation.attribute(name);
  return value ? Value::of_text(*value) : Value();
}

std::vector<Value> split(std::string_view text, const Pattern& delimiter) {
  std::vector<Value> pieces;
  Match match;
  std::size_t from = 0;
  for (bool found = delimiter.find(text, 0, match); found;
       found = delimiter.find_next(text, match)) {
    // No empty piece in front where an empty match stands at the very beginning.
    if (match.end() == 0) continue;
    if (match.start() == match.end() && match.start() == text.size()) break;
    pieces.push_back(Value::of_text(text.substr(from, match.start() - from)));
    from = match.end();
  }
  if (pieces.empty()) return {Value::of_text(text)};
  pieces.push_back(Value::of_text(text.substr(from)));
  while (!pieces.empty() && pieces.back().text().empty()) pieces.pop_back();
  return pieces;
}

// Takes the turn's value away again, whatever happens within the turn.
class Turns {
 public:
  Turns(Evaluation& evaluation, const Node& source) : evaluation_(evaluation) {
    evaluation.push_current(&source, {});
  }
  ~Turns() { evaluation_.pop_current(); }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

 private:
  Evaluation& evaluation_;
};

}  // namespace

std::optional<LoopKind> loop_kind(std::string_view name) {
  static const std::map<std::string_view, LoopKind> kinds = {
      {"anyAttribute", LoopKind::any_attribute},
      {"allAttributes", LoopKind::all_attributes},
      {"anyMatchingAttribute", LoopKind::any_matching},
      {"allMatchingAttributes", LoopKind::all_matching},
      {"anyDelineatedValue", LoopKind::any_delineated},
      {"allDelineatedValues", LoopKind::all_delineated},
  };
  const auto found = kinds.find(name);
  if (found == kinds.end()) return std::nullopt;
  return found->second;
}

std::vector<Value> NamedAttributes::gather(Evaluation& evaluation) const {
  std::vector<Value> values;
  values.reserve(names_.size());
  for (const std::string& name : names_) values.push_back(attribute_value(evaluation, name));
  return values;
}

std::vector<Value> MatchingAttributes::gather(Evaluation& evaluation) const {
  std::vector<std::string_view> names;
  evaluation.for_each_name([&](std::string_view name) { names.push_back(name); });
  order_as_java(names);
  std::vector<Value> values;
  for (const Pattern& pattern : patterns_) {
    for (const auto name : names) {
      if (pattern.matches(name)) values.push_back(attribute_value(evaluation, name));
    }
  }
  return values;
}

DelineatedValues::DelineatedValues(LoopKind kind, NodePtr text, NodePtr delimiter)
    : LoopSource(kind), text_(std::move(text)), delimiter_(std::move(delimiter)) {
  deepen(*text_);
  deepen(*delimiter_);
}

std::vector<Value> DelineatedValues::gather(Evaluation& evaluation) const {
  const Value text = text_->evaluate(evaluation);
  if (text.is_null()) return {};
  const Value delimiter = delimiter_->evaluate(evaluation);
  if (delimiter.is_null()) return {};
  return split(text.text(), cached_pattern(delimiter.text()));
}

BooleanLoop::BooleanLoop(const LoopSource& source, NodePtr logic)
    : Node(Type::boolean), source_(source), logic_(std::move(logic)) {
  deepen(*logic_);
}

Value BooleanLoop::evaluate(Evaluation& evaluation) const {
  std::vector<Value> values = source_.gather(evaluation);
  if (values.empty()) values.emplace_back();
  const bool any = is_any(source_.kind());
  const Turns turns(evaluation, source_);
  bool first = true;
  for (const Value& value : values) {
    evaluation.set_current(value);
    const Value result = logic_->evaluate(evaluation);
    if (result.is_null()) {
      if (first) return Value::of_boolean(false);
    } else if (result.boolean() == any) {
      return Value::of_boolean(any);
    }
    first = false;
  }
  return Value::of_boolean(!any);
}

ReducingLoop::ReducingLoop(const LoopSource& source, NodePtr logic)
    : Node(logic->type()), source_(source), logic_(std::move(logic)) {
  loop_result_ = true;
  deepen(*logic_);
}

Value ReducingLoop::evaluate(Evaluation& evaluation) const {
  std::vector<Value> values = source_.gather(evaluation);
  if (values.empty()) values.emplace_back();
  const Turns turns(evaluation, source_);
  const std::size_t begun = evaluation.begin_reducing();
  Value result;
  for (const Value& value : values) {
    evaluation.set_current(value);
    result = logic_->evaluate(evaluation);
  }
  if (result.kind() == Value::Kind::text) result = evaluation.text(result.text());
  evaluation.end_reducing(begun);
  return result;
}

}  // namespace weir::expression
