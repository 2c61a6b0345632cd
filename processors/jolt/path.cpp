#include "processors/jolt/path.h"

#include <fmt/format.h>

#include <optional>

#include "engine/text/java_case.h"

namespace weir::jolt {
namespace {

// "data[2].x" is "data.[2].x".
std::string dot_before_brackets(std::string_view text) {
  std::string out;
  char previous = '.';
  for (const char c : text) {
    if (c == '[' && previous != '\\' && previous != '@' && previous != '.') out += '.';
    out += c;
    previous = c;
  }
  return out;
}

// What follows an '@': "(1,a.b)" or the name up to the next dot, which is put in parentheses.
std::string take_reference(const Place& place, std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  if (at == text.size()) return {};
  if (text[at] == '.') throw SpecError(place, fmt::format("\"@.\" in \"{}\"", text));
  if (text[at] != '(') {
    const std::size_t dot = text.find('.', begin + 1);
    if (dot == std::string_view::npos) {
      at = text.size();
      return std::string(text.substr(begin));
    }
    at = dot + 1;
    return fmt::format("({})", text.substr(begin, dot - begin));
  }
  const std::size_t end = text.find_first_of("()", begin + 1);
  if (end == std::string_view::npos) {
    throw SpecError(place, fmt::format("\"@(\" without \")\" in \"{}\"", text));
  }
  if (text[end] == '(') {
    throw SpecError(place, fmt::format("too many \"(\" after \"@\" in \"{}\"", text));
  }
  at = end + 1;
  return std::string(text.substr(begin, at - begin));
}

// The steps of a path, with their escapes but those of dots.
std::vector<std::string> split_path(const Place& place, std::string_view text) {
  std::vector<std::string> steps;
  std::string step;
  const auto finish = [&] {
    if (!step.empty()) steps.push_back(std::move(step));
    step.clear();
  };
  bool escaped = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    const bool escapes = c == '\\' && !escaped;
    if (escaped && c != '.' && c != '\\') {
      step += '\\';
      step += c;
    } else if (c == '@') {
      step += '@';
      step += take_reference(place, text, at);
      if (!step.contains('[') || step.contains(']')) finish();
    } else if (c == '.' && !escaped) {
      finish();
    } else if (!escapes) {
      step += c;
    }
    escaped = escapes;
  }
  finish();
  return steps;
}

bool has_unescaped(std::string_view text, char c) {
  return text.contains(c) && !text.contains(std::string{'\\', c});
}

// Where a step of writing stands: the output as a whole, a member, or an element.
class Slot {
 public:
  explicit Slot(Walk& walk) : walk_(walk) {}

  Value get() const {
    if (index_) return container_.items()[*index_];
    if (!name_) return walk_.output;
    const Value* const member = container_.find(*name_);
    return member ? *member : Value();
  }
  void set(Value value) {
    if (index_) {
      container_.set_item(*index_, value);
    } else if (name_) {
      container_.set(walk_.run.arena, walk_.run.arena.copy(*name_), value);
    } else {
      walk_.output = value;
    }
  }
  void go_to_member(Value object, std::string_view name) {
    container_ = object;
    name_ = name;
    index_.reset();
  }
  // The array grows to it.
  void go_to_element(Value array, std::size_t index) {
    if (index >= array.size()) {
      check_index(index);
      while (array.size() <= index) {
        charge(walk_.run, Value(), 0);
        array.push_back(walk_.run.arena, Value());
      }
    }
    container_ = array;
    index_ = index;
  }

 private:
  Walk& walk_;
  Value container_;
  std::optional<std::string_view> name_;
  std::optional<std::size_t> index_;
};

}  // namespace

Path::Path(std::vector<ElementPtr> elements) : elements_(std::move(elements)) {
  for (const ElementPtr& element : elements_) {
    if (!canonical_.empty()) canonical_ += '.';
    canonical_ += element->canonical();
  }
}

std::vector<ElementPtr> Path::elements_of(const Place& place, std::string_view text) {
  if (has_unescaped(text, '*') || has_unescaped(text, '$')) {
    throw SpecError(place, fmt::format("the path \"{}\" may not contain * or $", text));
  }
  std::vector<ElementPtr> elements;
  for (const std::string& step : split_path(place, dot_before_brackets(text))) {
    ElementPtr element = PathElement::parse(place, step);
    if (!element->can_be_evaluated()) {
      throw SpecError(place, fmt::format("\"{}\" cannot stand in the path \"{}\"", step, text));
    }
    elements.push_back(std::move(element));
  }
  if (elements.size() > longest_path) {
    throw SpecError(place, fmt::format("a path of more than {} steps", longest_path));
  }
  return elements;
}

Path Path::of_reading(const Place& place, std::string_view text) {
  if (text::is_blank(text)) throw SpecError(place, "a path of white space only");
  return Path(elements_of(place, text));
}

Path Path::of_writing(const Place& place, std::string_view text) {
  // The leading step keeps a bracket at the beginning from being one of the text before it.
  std::vector<ElementPtr> elements = elements_of(place, "root." + std::string(text));
  elements.erase(elements.begin());
  if (text::is_blank(text)) elements.clear();
  return Path(std::move(elements));
}

bool Path::evaluate(const WalkedPath& path, std::vector<PathKey>& keys) const {
  if (keys.size() < elements_.size()) keys.resize(elements_.size());
  for (std::size_t step = 0; step < elements_.size(); ++step) {
    PathKey& key = keys[step];
    key.text.clear();
    if (!elements_[step]->evaluate(path, key.text)) return false;
    if (elements_[step]->kind() != ElementKind::array || elements_[step]->appends()) continue;
    const auto index = parse_int(key.text);
    if (!index || *index < 0) return false;
    key.index = static_cast<std::size_t>(*index);
  }
  return true;
}

Input Path::read(Value tree, const WalkedPath& path) const {
  std::vector<PathKey> keys;
  if (!evaluate(path, keys)) return {};
  for (std::size_t step = 0; step < elements_.size(); ++step) {
    if (elements_[step]->kind() != ElementKind::array) {
      const Value* const member = tree.is_object() ? tree.find(keys[step].text) : nullptr;
      if (!member) return {};
      tree = *member;
      continue;
    }
    if (!tree.is_array() || elements_[step]->appends() || keys[step].index >= tree.size()) {
      return {};
    }
    tree = tree.items()[keys[step].index];
  }
  return Input::of(tree);
}

void Path::write(Value data, Walk& walk) const {
  std::vector<PathKey>& keys = walk.keys;
  if (!evaluate(walk.path, keys)) return;
  Slot slot(walk);
  for (std::size_t step = 0; step < elements_.size(); ++step) {
    const bool is_array = elements_[step]->kind() == ElementKind::array;
    Value container = slot.get();
    if (container.is_null()) {
      container = is_array ? Value::array(walk.run.arena) : Value::object(walk.run.arena);
      slot.set(container);
    }
    if (is_array ? !container.is_array() : !container.is_object()) return;
    if (is_array) {
      slot.go_to_element(container,
                         elements_[step]->appends() ? container.size() : keys[step].index);
    } else {
      slot.go_to_member(container, keys[step].text);
    }
  }
  // The copy keeps a later write below it from changing the input.
  charge(walk.run, data, static_cast<int>(elements_.size()));
  data = data.clone(walk.run.arena);
  Value present = slot.get();
  if (present.is_null()) {
    slot.set(data);
  } else if (present.is_array()) {
    present.push_back(walk.run.arena, data);
  } else {
    Value both = Value::array(walk.run.arena, 2);
    both.push_back(walk.run.arena, present);
    both.push_back(walk.run.arena, data);
    slot.set(both);
  }
}

}  // namespace weir::jolt
