#include "engine/json/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/json/path_compiler.h"
#include "engine/json/path_evaluator.h"

namespace weir::json {
namespace {

using Failure = EvaluationState::Failure;
using Reason = EvaluationError::Reason;

EvaluationError error_of(const EvaluationState& state) {
  EvaluationError error;
  if (state.failure == Failure::limit) error.reason = Reason::limit;
  if (state.failure == Failure::invalid) error.reason = Reason::invalid;
  if (state.failure == Failure::bad_filter) error.reason = Reason::invalid;
  error.message = state.reason;
  if (!state.detail.empty()) error.message += fmt::format(" ({})", state.detail);
  return error;
}

std::unexpected<EvaluationError> invalid(std::string message) {
  return std::unexpected(EvaluationError{Reason::invalid, std::move(message)});
}

// The element that a place holds: null where it is none.
const Value* target(const PathRef& ref) {
  if (ref.kind == PathRef::Kind::root) return &ref.parent;
  if (ref.kind == PathRef::Kind::member) return ref.parent.find(ref.name);
  if (ref.kind != PathRef::Kind::item) return nullptr;
  const auto items = ref.parent.items();
  if (ref.index < 0 || ref.index >= static_cast<std::int64_t>(items.size())) return nullptr;
  return &items[static_cast<std::size_t>(ref.index)];
}

bool is_bad_index(const PathRef& ref) {
  return ref.kind == PathRef::Kind::item && !target(ref);
}

// Removes what `refs` name from the array or object that they all stand in.
void remove_from(Value parent, std::span<const PathRef> refs) {
  std::vector<std::size_t> indexes;
  std::vector<std::string_view> names;
  for (const PathRef& ref : refs) {
    if (ref.kind == PathRef::Kind::item) {
      indexes.push_back(static_cast<std::size_t>(ref.index));
    } else if (ref.kind == PathRef::Kind::member) {
      names.push_back(ref.name);
    } else if (ref.kind == PathRef::Kind::members) {
      names.insert(names.end(), ref.names->begin(), ref.names->end());
    }
  }
  std::ranges::sort(indexes);
  indexes.erase(std::unique(indexes.begin(), indexes.end()), indexes.end());
  if (parent.is_array()) parent.erase_items(indexes);
  if (parent.is_object()) parent.erase(names);
}

using Refs = std::expected<std::vector<PathRef>, EvaluationError>;

Refs find_refs(const Program& program, EvaluationState& state) {
  PathEvaluator evaluator(program, state, {.for_update = true});
  try {
    if (!evaluator.run(state.root)) return std::unexpected(error_of(state));
  } catch (const PatternLimitExceeded& limit) {
    return std::unexpected(EvaluationError{Reason::limit, limit.what()});
  }
  if (!evaluator.has_results()) {
    return std::unexpected(EvaluationError{Reason::not_found, "nothing there"});
  }
  return evaluator.refs();
}

void append_fragment(const Token& token, std::string& out) {
  const auto list = [&](const auto& elements, auto&& print) {
    out += '[';
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out += ',';
      print(elements[i]);
    }
    out += ']';
  };
  switch (token.type) {
    case Token::Type::property:
      list(token.names, [&](const std::string& name) { out += fmt::format("'{}'", name); });
      return;
    case Token::Type::index:
      list(token.indexes, [&](std::int32_t index) { out += std::to_string(index); });
      return;
    case Token::Type::wildcard:
      out += "[*]";
      return;
    case Token::Type::scan:
      out += "..";
      return;
    case Token::Type::slice:
      out += '[';
      if (token.slice.from) out += std::to_string(*token.slice.from);
      out += ':';
      if (token.slice.to) out += std::to_string(*token.slice.to);
      out += ']';
      return;
    case Token::Type::filter:
      out += "[?]";
      return;
    case Token::Type::function:
      out += fmt::format(".{}({})", token.names.front(), token.parameters.empty() ? "" : "...");
      return;
  }
}

}  // namespace

std::expected<JsonPath, PathError> JsonPath::compile(std::string_view text) {
  const auto compiled = std::make_shared<Compiled>();
  compiled->text = text;
  CompileState state{.arena = compiled->arena};
  if (!PathCompiler::compile_whole(text, 0, state, compiled->program)) {
    return std::unexpected(std::move(state.failure.error));
  }
  JsonPath path;
  path.compiled_ = compiled;
  return path;
}

bool JsonPath::is_definite() const {
  return compiled_->program.is_definite;
}

const std::string& JsonPath::text() const {
  return compiled_->text;
}

std::string JsonPath::normalized() const {
  std::string out(1, compiled_->program.root);
  for (const Token& token : compiled_->program.tokens) append_fragment(token, out);
  return out;
}

std::expected<Value, EvaluationError> JsonPath::read(const Value& root, Arena& arena) const {
  const Program& program = compiled_->program;
  if (program.is_simple) {
    if (const Value* const found = PathEvaluator::find_simple(program, root)) return *found;
    return std::unexpected(EvaluationError{Reason::not_found, "nothing there"});
  }
  EvaluationState state{.root = root, .arena = arena};
  Value value;
  try {
    if (PathEvaluator::evaluate(program, root, state, value)) return value;
  } catch (const PatternLimitExceeded& limit) {
    return std::unexpected(EvaluationError{Reason::limit, limit.what()});
  }
  return std::unexpected(error_of(state));
}

JsonPath::Changed JsonPath::set(const Value& root, const Value& value, Arena& arena) const {
  EvaluationState state{.root = root, .arena = arena};
  const Refs refs = find_refs(compiled_->program, state);
  if (!refs) return std::unexpected(refs.error());
  for (const PathRef& ref : *refs) {
    Value parent = ref.parent;
    if (ref.kind == PathRef::Kind::root) return invalid("the root cannot be replaced");
    if (is_bad_index(ref)) return invalid("a negative index cannot be set");
    if (ref.kind == PathRef::Kind::item) {
      parent.set_item(static_cast<std::size_t>(ref.index), value);
    } else if (ref.kind == PathRef::Kind::member) {
      parent.set(arena, ref.name, value);
    } else if (ref.kind == PathRef::Kind::members) {
      for (const std::string& name : *ref.names) parent.set(arena, arena.copy(name), value);
    }
  }
  return {};
}

JsonPath::Changed JsonPath::add(const Value& root, const Value& value, Arena& arena) const {
  EvaluationState state{.root = root, .arena = arena};
  const Refs refs = find_refs(compiled_->program, state);
  if (!refs) return std::unexpected(refs.error());
  for (const PathRef& ref : *refs) {
    if (ref.kind == PathRef::Kind::none) continue;
    const Value* const found = target(ref);
    if (ref.kind == PathRef::Kind::members || is_bad_index(ref)) {
      return invalid("nothing can be added there");
    }
    if (!found || found->is_null()) continue;
    // Jayway cannot add to an array within an array.
    if (!found->is_array() || ref.kind == PathRef::Kind::item) return invalid("no array to add to");
    Value array = *found;
    array.push_back(arena, value);
  }
  return {};
}

JsonPath::Changed JsonPath::put(const Value& root, std::string_view key, const Value& value,
                                Arena& arena) const {
  if (key.empty()) return invalid("the key is empty");
  EvaluationState state{.root = root, .arena = arena};
  const Refs refs = find_refs(compiled_->program, state);
  if (!refs) return std::unexpected(refs.error());
  const std::string_view name = arena.copy(key);
  for (const PathRef& ref : *refs) {
    if (ref.kind == PathRef::Kind::none) continue;
    const Value* const found = target(ref);
    if (ref.kind == PathRef::Kind::members || is_bad_index(ref)) {
      return invalid("nothing can be put there");
    }
    if (!found || found->is_null()) continue;
    if (!found->is_object()) return invalid("no object to put a member into");
    Value object = *found;
    object.set(arena, name, value);
  }
  return {};
}

JsonPath::Changed JsonPath::remove(const Value& root, Arena& arena) const {
  EvaluationState state{.root = root, .arena = arena};
  Refs refs = find_refs(compiled_->program, state);
  if (!refs) return std::unexpected(refs.error());
  for (const PathRef& ref : *refs) {
    if (ref.kind == PathRef::Kind::root) return invalid("the root cannot be removed");
    if (is_bad_index(ref)) return invalid("a negative index cannot be removed");
  }
  // What goes from one array or object goes at once.
  std::ranges::stable_sort(*refs, std::less<>(),
                           [](const PathRef& ref) { return ref.parent.identity(); });
  for (std::size_t i = 0; i < refs->size();) {
    std::size_t end = i + 1;
    while (end < refs->size() && (*refs)[end].parent.identity() == (*refs)[i].parent.identity()) {
      ++end;
    }
    remove_from((*refs)[i].parent, std::span(*refs).subspan(i, end - i));
    i = end;
  }
  return {};
}

}  // namespace weir::json
