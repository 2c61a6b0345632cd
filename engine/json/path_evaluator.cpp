#include "engine/json/path_evaluator.h"

#include <algorithm>

namespace weir::json {

using Failure = EvaluationState::Failure;

bool EvaluationState::was_not_found() {
  if (failure != Failure::not_found) return false;
  failure = Failure::none;
  return true;
}

const Value* PathEvaluator::find_simple(const Program& program, const Value& document) {
  const Value* model = &document;
  for (const Token& token : program.tokens) {
    if (token.type == Token::Type::property) {
      if (!model->is_object()) return nullptr;
      model = model->find(token.names.front());
      if (!model) return nullptr;
      continue;
    }
    if (!model->is_array()) return nullptr;
    const auto items = model->items();
    std::int64_t index = token.indexes.front();
    if (index < 0) index += static_cast<std::int64_t>(items.size());
    if (index < 0 || index >= static_cast<std::int64_t>(items.size())) return nullptr;
    model = &items[static_cast<std::size_t>(index)];
  }
  return model;
}

bool PathEvaluator::evaluate(const Program& program, const Value& document, EvaluationState& state,
                             Value& value) {
  if (program.is_simple) {
    if (!state.step()) return false;
    const Value* const found = find_simple(program, document);
    if (!found) return state.fail(Failure::not_found, "nothing there");
    value = *found;
    return true;
  }
  PathEvaluator evaluator(program, state, {});
  return evaluator.run(document) && evaluator.result(value);
}

bool PathEvaluator::run(const Value& document) {
  PathRef ref;
  if (mode_.for_update) ref = {.kind = PathRef::Kind::root, .parent = state_.root};
  return evaluate(0, ref, document);
}

bool PathEvaluator::result(Value& value) {
  if (program_.is_definite) {
    if (results_.empty()) return state_.fail(Failure::not_found, "nothing there");
    value = results_.back();
    return true;
  }
  value = Value::array(state_.arena, results_.size());
  for (const Value& found : results_) value.push_back(state_.arena, found);
  return true;
}

bool PathEvaluator::add_result(const PathRef& ref, const Value& value) {
  if (state_.results_left-- == 0) {
    return state_.fail(Failure::limit, "the path finds too many values");
  }
  results_.push_back(value);
  if (mode_.for_update) refs_.push_back(ref);
  return true;
}

PathRef PathEvaluator::member_ref(const Value& parent, std::string_view name) const {
  if (!mode_.for_update) return {};
  return {.kind = PathRef::Kind::member, .parent = parent, .name = name};
}

PathRef PathEvaluator::item_ref(const Value& parent, std::int64_t index) const {
  if (!mode_.for_update) return {};
  return {.kind = PathRef::Kind::item, .parent = parent, .index = index};
}

bool PathEvaluator::evaluate(std::size_t at, const PathRef& ref, const Value& model) {
  if (!state_.step()) return false;
  if (at == program_.tokens.size()) return add_result(ref, model);
  switch (program_.tokens[at].type) {
    case Token::Type::property:
      return evaluate_property(at, model);
    case Token::Type::wildcard:
      return evaluate_wildcard(at, model);
    case Token::Type::scan:
      // Only $..length() and its like leave a scan without what it looks for.
      if (program_.tokens[at].is_leaf) return state_.fail(Failure::invalid, "nothing after '..'");
      return scan(at + 1, ref, model);
    case Token::Type::index:
    case Token::Type::slice:
      return evaluate_array(at, model);
    case Token::Type::filter:
      return evaluate_filter(at, ref, model);
    case Token::Type::function:
      return evaluate_function(at, ref, model);
  }
  return true;
}

bool PathEvaluator::evaluate_property(std::size_t at, const Value& model) {
  const Token& token = program_.tokens[at];
  if (!model.is_object()) {
    if (!token.is_upstream_definite) return true;
    return state_.fail(Failure::not_found, "no object to find a member in", token.names.front());
  }
  if (token.names.size() > 1 && token.is_leaf) return merge_names(at, model);
  for (const std::string& name : token.names) {
    if (!follow_name(at, model, name)) return false;
  }
  return true;
}

bool PathEvaluator::follow_name(std::size_t at, const Value& model, const std::string& name) {
  const Token& token = program_.tokens[at];
  if (const Value* const found = model.find(name)) {
    return evaluate(at + 1, member_ref(model, name), *found);
  }
  const bool may_miss = token.is_leaf || !token.is_upstream_definite || token.names.size() > 1;
  if (may_miss && !mode_.requires_properties) return true;
  return state_.fail(Failure::not_found, "no member", name);
}

// Several names at the end of a path give one object.
bool PathEvaluator::merge_names(std::size_t at, const Value& model) {
  const Token& token = program_.tokens[at];
  Value merged = Value::object(state_.arena, token.names.size());
  for (const std::string& name : token.names) {
    if (const Value* const found = model.find(name)) {
      merged.set(state_.arena, state_.arena.copy(name), *found);
    } else if (mode_.requires_properties) {
      return state_.fail(Failure::not_found, "no member", name);
    }
  }
  PathRef ref;
  if (mode_.for_update) {
    ref = {.kind = PathRef::Kind::members, .parent = model, .names = &token.names};
  }
  return add_result(ref, merged);
}

bool PathEvaluator::evaluate_wildcard(std::size_t at, const Value& model) {
  if (model.is_object()) {
    for (const Member& member : model.members()) {
      if (!evaluate(at + 1, member_ref(model, member.name), member.value)) return false;
    }
    return true;
  }
  if (model.is_array()) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (follow_index(at, model, static_cast<std::int64_t>(i))) continue;
      if (mode_.requires_properties || !state_.was_not_found()) return false;
    }
    return true;
  }
  if (program_.tokens[at].is_leaf) return true;
  return state_.fail(Failure::not_found, "no object or array");
}

bool PathEvaluator::evaluate_array(std::size_t at, const Value& model) {
  const Token& token = program_.tokens[at];
  if (!model.is_array()) {
    if (!token.is_upstream_definite) return true;
    return state_.fail(Failure::not_found, "no array to find an index in");
  }
  if (token.type == Token::Type::slice) return evaluate_slice(at, model);
  return std::ranges::all_of(token.indexes,
                             [&](std::int32_t index) { return follow_index(at, model, index); });
}

// [from:] and [:to] count negative numbers from the end; [from:to] does not.
bool PathEvaluator::evaluate_slice(std::size_t at, const Value& model) {
  const Slice& slice = program_.tokens[at].slice;
  const auto size = static_cast<std::int64_t>(model.size());
  std::int64_t from = slice.from.value_or(0);
  std::int64_t to = slice.to.value_or(INT32_MAX);
  if (!slice.to && from < 0) from = std::max<std::int64_t>(0, size + from);
  if (!slice.from && to < 0) to += size;
  to = std::min(to, size);
  for (std::int64_t i = from; i < to; ++i) {
    if (!follow_index(at, model, i)) return false;
  }
  return true;
}

bool PathEvaluator::follow_index(std::size_t at, const Value& model, std::int64_t index) {
  const auto items = model.items();
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t effective = index < 0 ? size + index : index;
  if (effective < 0 || effective >= size) return true;
  return evaluate(at + 1, item_ref(model, index), items[static_cast<std::size_t>(effective)]);
}

bool PathEvaluator::evaluate_filter(std::size_t at, const PathRef& ref, const Value& model) {
  const Token& token = program_.tokens[at];
  bool matches = false;
  if (model.is_object()) {
    if (!accept(token, model, matches)) return false;
    return !matches || evaluate(at + 1, ref, model);
  }
  if (model.is_array()) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (!accept(token, model.items()[i], matches)) return false;
      if (matches && !follow_index(at, model, static_cast<std::int64_t>(i))) return false;
    }
    return true;
  }
  if (!token.is_upstream_definite) return true;
  return state_.fail(Failure::bad_filter, "a filter applies to objects and arrays only");
}

bool PathEvaluator::accept(const Token& token, const Value& element, bool& matches) {
  matches = false;
  if (!state_.step()) return false;
  if (json::evaluate_filter(*token.filter, element, state_, matches)) return true;
  matches = false;
  if (state_.failure != Failure::bad_filter && state_.failure != Failure::not_found) return false;
  state_.failure = Failure::none;
  return true;
}

bool PathEvaluator::evaluate_function(std::size_t at, const PathRef& ref, const Value& model) {
  Value result;
  if (!json::evaluate_function(program_.tokens[at], model, state_, result)) return false;
  if (!add_result(ref, result)) return false;
  return program_.tokens[at].is_leaf || evaluate(at + 1, ref, result);
}

// Looks for `target` in the model and in everything below it.
bool PathEvaluator::scan(std::size_t target, const PathRef& ref, const Value& model) {
  if (model.is_object()) return scan_object(target, ref, model);
  if (model.is_array()) return scan_array(target, ref, model);
  return true;
}

bool PathEvaluator::scan_array(std::size_t target, const PathRef& ref, const Value& model) {
  bool matches = false;
  if (!scan_matches(target, model, matches)) return false;
  if (matches && program_.tokens[target].is_leaf) {
    if (!evaluate(target, ref, model)) return false;
  } else if (matches) {
    // As Jayway has it: what follows the target is looked for in every element.
    for (const Value& item : model.items()) {
      if (!evaluate(target + 1, ref, item)) return false;
    }
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!state_.step()) return false;
    const Value& item = model.items()[i];
    if (!scan(target, item_ref(model, static_cast<std::int64_t>(i)), item)) return false;
  }
  return true;
}

bool PathEvaluator::scan_object(std::size_t target, const PathRef& ref, const Value& model) {
  bool matches = false;
  if (!scan_matches(target, model, matches)) return false;
  if (matches && !evaluate(target, ref, model)) return false;
  for (const Member& member : model.members()) {
    if (!state_.step()) return false;
    if (!scan(target, member_ref(model, member.name), member.value)) return false;
  }
  return true;
}

bool PathEvaluator::scan_matches(std::size_t target, const Value& model, bool& matches) {
  const Token& token = program_.tokens[target];
  switch (token.type) {
    case Token::Type::property:
      matches =
          model.is_object() && (mode_.requires_properties || !token.is_definite() ||
                                std::ranges::all_of(token.names, [&](const std::string& name) {
                                  return model.find(name) != nullptr;
                                }));
      return true;
    case Token::Type::index:
    case Token::Type::slice:
      matches = model.is_array();
      return true;
    case Token::Type::wildcard:
      matches = true;
      return true;
    case Token::Type::filter:
      return accept(token, model, matches);
    default:
      matches = false;
      return true;
  }
}

}  // namespace weir::json
