#include "processors/jolt/path_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "engine/json/write.h"
#include "processors/jolt/path.h"
#include "processors/jolt/reference.h"
#include "processors/jolt/star_pattern.h"

namespace weir::jolt {
namespace {

Matched* fill(Matched& storage, std::string_view text, const WalkedPath& path) {
  storage.text = text;
  storage.original_size = path.last().matched->original_size;
  return &storage;
}

class Literal : public PathElement {
 public:
  explicit Literal(std::string key) : PathElement(ElementKind::literal, std::move(key)) {
    std::string canonical;
    for (const char c : raw()) canonical += c == '.' ? std::string("\\.") : std::string(1, c);
    canonical_of(std::move(canonical));
  }
  Matched* match(std::string_view key, const WalkedPath&, Matched& storage) const override {
    if (key != raw()) return nullptr;
    storage.text = raw();
    return &storage;
  }
  bool can_be_evaluated() const override { return true; }
  bool evaluate(const WalkedPath&, std::string& out) const override {
    out += raw();
    return true;
  }
};

// It stands for its parent, so that &0 and &1 both mean the parent's key.
class At : public PathElement {
 public:
  At() : PathElement(ElementKind::at, "@") {}
  Matched* match(std::string_view, const WalkedPath& path, Matched&) const override {
    return path.last().matched;
  }
};

class Dollar : public PathElement {
 public:
  Dollar(const Place& place, const std::string& key) : PathElement(ElementKind::dollar, key) {
    if (!key.starts_with('$')) throw SpecError(place, "a \"$\" must stand at the front of its key");
    reference_ = Reference::parse(place, key, true);
    canonical_of(reference_.canonical('$'));
  }
  Matched* match(std::string_view, const WalkedPath& path, Matched& storage) const override {
    storage.text = path.from_end(reference_.up).matched->part(reference_.group);
    return &storage;
  }

 private:
  Reference reference_;
};

class Hash : public PathElement {
 public:
  Hash(const Place& place, const std::string& key) : PathElement(ElementKind::hash, key) {
    if (!key.starts_with('#')) throw SpecError(place, "a \"#\" must stand at the front of its key");
    if (key.size() == 1) throw SpecError(place, "a text is missing after \"#\"");
    text_ = key.substr(1);
    if (text_.starts_with('(')) {
      if (!text_.ends_with(')')) throw SpecError(place, "a \")\" is missing");
      text_ = text_.substr(1, text_.size() - 2);
    }
    canonical_of(fmt::format("#({})", text_));
  }
  Matched* match(std::string_view, const WalkedPath&, Matched& storage) const override {
    storage.text = text_;
    return &storage;
  }

 private:
  std::string text_;
};

class Ampersand : public PathElement {
 public:
  Ampersand(const Place& place, const std::string& key) : PathElement(ElementKind::ampersand, key) {
    std::string canonical;
    for (std::size_t at = 0; at < key.size();) {
      if (key[at] != '&') {
        const std::size_t end = std::min(key.find('&', at), key.size());
        parts_.emplace_back(key.substr(at, end - at));
        at = end;
        continue;
      }
      const std::size_t end = std::min(key.find_first_not_of("0123456789(),", at + 1), key.size());
      const Reference reference = Reference::parse(place, key.substr(at, end - at), true);
      canonical += text_before() + reference.canonical('&');
      parts_.emplace_back(reference);
      at = end;
    }
    canonical_of(std::move(canonical));
  }
  Matched* match(std::string_view key, const WalkedPath& path, Matched& storage) const override {
    evaluate(path, storage.owned);
    if (storage.owned != key) return nullptr;
    storage.text = storage.owned;
    return &storage;
  }
  bool can_be_evaluated() const override { return true; }
  bool evaluate(const WalkedPath& path, std::string& out) const override {
    for (const auto& part : parts_) {
      if (const std::string* text = std::get_if<std::string>(&part)) {
        out += *text;
      } else {
        const Reference& reference = std::get<Reference>(part);
        out += path.from_end(reference.up).matched->part(reference.group);
      }
    }
    return true;
  }

 private:
  // Text behind the last reference is no part of the canonical form: Jolt takes "&1a" and "&1b"
  // for the same key.
  std::string text_before() const {
    if (parts_.empty() || !std::holds_alternative<std::string>(parts_.back())) return {};
    return std::get<std::string>(parts_.back());
  }

  std::vector<std::variant<std::string, Reference>> parts_;
};

class Transpose : public PathElement {
 public:
  Transpose(const Place& place, const std::string& key) : PathElement(ElementKind::transpose, key) {
    const auto wrong = [&](std::string_view what) {
      return SpecError(place, fmt::format("\"{}\": {}", key, what));
    };
    if (key.size() < 2 || key[0] != '@') throw wrong("an \"@\" must stand at the front");
    std::string_view inside = std::string_view(key).substr(1);
    if (inside.contains('@')) throw wrong("no \"@\" within another");
    if (inside.contains('*') || inside.contains("[]")) throw wrong("no * and no [] after \"@\"");
    if (inside.starts_with('(')) {
      if (!inside.ends_with(')')) throw wrong("a \")\" is missing");
      inside = inside.substr(1, inside.size() - 2);
    }
    if (inside.empty()) throw wrong("nothing stands between the parentheses");
    if (inside[0] >= '0' && inside[0] <= '9') {
      const std::size_t comma = inside.find(',');
      const auto up = parse_int(inside.substr(0, comma));
      if (!up || *up < 0) throw wrong("the number of levels is no number");
      up_ = static_cast<std::size_t>(*up);
      inside = comma == std::string_view::npos ? std::string_view() : inside.substr(comma + 1);
    }
    if (!inside.empty()) path_ = Path::of_reading(place, inside);
    canonical_of(fmt::format("@({},{})", up_, path_ ? path_->canonical() : ""));
  }
  Matched* match(std::string_view, const WalkedPath& path, Matched&) const override {
    return path.last().matched;
  }
  Input look_up(const WalkedPath& path) const override {
    const Value tree = path.from_end(up_).tree;
    return path_ ? path_->read(tree, path) : Input::of(tree);
  }
  bool can_be_evaluated() const override { return true; }
  bool evaluate(const WalkedPath& path, std::string& out) const override {
    const Input found = look_up(path);
    if (found.value.is_null() || found.value.is_container()) return false;
    if (found.value.is_number()) {
      out += std::to_string(int_value(found.value));
    } else {
      json::append_java_text(found.value, out);
    }
    return true;
  }

 private:
  std::size_t up_ = 0;
  std::optional<Path> path_;
};

class Array : public PathElement {
 public:
  Array(const Place& place, const std::string& key) : PathElement(ElementKind::array, key) {
    if (!key.starts_with('[') || !key.ends_with(']')) {
      throw SpecError(place, fmt::format("\"{}\" is no array index", key));
    }
    const std::string inside = key.substr(1, key.size() - 2);
    if (inside.empty()) return;
    if (inside[0] == '&') {
      form_ = Form::reference;
      reference_ = Reference::parse(place, inside, true);
      canonical_of(fmt::format("[{}]", reference_.canonical('&')));
    } else if (inside[0] == '#') {
      form_ = Form::hash;
      reference_ = Reference::parse(place, inside, false);
      canonical_of(fmt::format("[#{}]", reference_.up));
    } else if (inside[0] == '@') {
      form_ = Form::transpose;
      transpose_ = std::make_unique<Transpose>(place, inside);
      canonical_of(fmt::format("[{}]", transpose_->canonical()));
    } else {
      form_ = Form::index;
      const auto index = parse_int(inside);
      if (!index || *index < 0) {
        throw SpecError(place, fmt::format("\"{}\" is no index of an array", inside));
      }
      index_ = *index;
      digits_ = inside;
    }
  }
  // Only as an index of an array that is known as one, which `modify` alone cares for.
  Matched* match(std::string_view key, const WalkedPath& path, Matched& storage) const override {
    if (!evaluate(path, storage.owned) || storage.owned != key) return nullptr;
    if (path.last().matched->original_size < 0) return nullptr;
    return fill(storage, storage.owned, path);
  }
  bool can_be_evaluated() const override { return true; }
  bool evaluate(const WalkedPath& path, std::string& out) const override {
    switch (form_) {
      case Form::append:
        out += raw();
        return true;
      case Form::index:
        out += digits_;
        return true;
      case Form::hash:
        out += std::to_string(path.from_end(reference_.up).matched->hash_count);
        return true;
      case Form::transpose:
        return transpose_->evaluate(path, out);
      case Form::reference:
        break;
    }
    out += path.from_end(reference_.up).matched->part(reference_.group);
    return true;
  }
  std::int32_t explicit_index() const override { return index_; }
  bool appends() const override { return form_ == Form::append; }

 private:
  enum class Form { append, index, reference, hash, transpose };
  Form form_ = Form::append;
  std::int32_t index_ = -1;
  std::string digits_;
  Reference reference_;
  std::unique_ptr<const Transpose> transpose_;
};

class StarAll : public PathElement {
 public:
  StarAll() : PathElement(ElementKind::star_all, "*") {}
  Matched* match(std::string_view key, const WalkedPath& path, Matched& storage) const override {
    return fill(storage, key, path);
  }
  bool matches_text(std::string_view) const override { return true; }
};

class Star : public PathElement {
 public:
  Star(ElementKind kind, const std::string& key) : PathElement(kind, key), pattern_(key) {}
  Matched* match(std::string_view key, const WalkedPath&, Matched& storage) const override {
    if (!pattern_.matches(key, storage.stars)) return nullptr;
    storage.text = key;
    return &storage;
  }
  bool matches_text(std::string_view key) const override { return pattern_.matches(key); }

 private:
  StarPattern pattern_;
};

ElementPtr make_star(const Place& place, const std::string& key, std::size_t stars,
                     bool with_double) {
  if (count_stars(key) != stars) {
    throw SpecError(place, fmt::format("\"{}\" mixes stars with escaped stars", key));
  }
  if (stars == 1) return std::make_unique<Star>(ElementKind::star_single, key);
  if (stars > 2 || !with_double) return std::make_unique<Star>(ElementKind::star_regex, key);
  if (key.ends_with("**")) throw SpecError(place, "a text is missing between two stars");
  return std::make_unique<Star>(ElementKind::star_double, key);
}

// The key without what a backslash protects: what is left decides what kind of key it is.
std::string unprotected(std::string_view key) {
  std::string out;
  bool escaped = false;
  for (const char c : key) {
    const bool escapes = c == '\\' && !escaped;
    if (c != '\\' && !escaped) out += c;
    escaped = escapes;
  }
  return out;
}

std::string without_escapes(std::string_view key) {
  std::string out;
  bool escaped = false;
  for (const char c : key) {
    const bool escapes = c == '\\' && !escaped;
    if (!escapes) out += c;
    escaped = escapes;
  }
  return out;
}

ElementPtr make_array(const Place& place, std::string_view inspected, const std::string& key) {
  if (std::ranges::count(inspected, '[') != 1 || std::ranges::count(inspected, ']') != 1) {
    throw SpecError(place, fmt::format("\"{}\" has brackets that do not belong together", key));
  }
  return std::make_unique<Array>(place, key);
}

}  // namespace

Matched* PathElement::match(std::string_view, const WalkedPath&, Matched&) const {
  return nullptr;
}
bool PathElement::matches_text(std::string_view) const {
  return false;
}
bool PathElement::evaluate(const WalkedPath&, std::string&) const {
  return false;
}
Input PathElement::look_up(const WalkedPath&) const {
  return {};
}

// The order of the questions is Jolt's: a key such as "a@b" or "[&1]" has several signs.
ElementPtr PathElement::parse(const Place& place, std::string_view key) {
  const std::string inspected = unprotected(key);
  const std::string plain = without_escapes(key);
  if (inspected == "@") return std::make_unique<At>();
  if (inspected == "*") return std::make_unique<StarAll>();
  if (inspected.starts_with('[')) return make_array(place, inspected, plain);
  if (inspected.starts_with('@') || inspected.contains("@(")) {
    return std::make_unique<Transpose>(place, std::string(key));
  }
  if (inspected.contains('@')) {
    throw SpecError(place, fmt::format("\"{}\": an \"@\" must stand at the front", key));
  }
  if (inspected.contains('$')) return std::make_unique<Dollar>(place, plain);
  if (inspected.contains('[')) return make_array(place, inspected, plain);
  if (inspected.contains('&')) {
    if (inspected.contains('*')) {
      throw SpecError(place, fmt::format("\"{}\" mixes * and &", key));
    }
    return std::make_unique<Ampersand>(place, plain);
  }
  if (const std::size_t stars = count_stars(inspected); stars > 0) {
    return make_star(place, plain, stars, true);
  }
  if (inspected.contains('#')) return std::make_unique<Hash>(place, plain);
  return std::make_unique<Literal>(plain);
}

ElementPtr parse_star_key(const Place& place, std::string_view key, bool with_double) {
  if (key == "*") return std::make_unique<StarAll>();
  const std::size_t stars = count_stars(key);
  if (stars == 0) return std::make_unique<Literal>(std::string(key));
  return make_star(place, std::string(key), stars, with_double);
}

bool is_more_specific(int rank_a, const PathElement& a, int rank_b, const PathElement& b) {
  if (rank_a != rank_b) return rank_a < rank_b;
  if (a.canonical().size() != b.canonical().size()) {
    return a.canonical().size() > b.canonical().size();
  }
  return a.canonical() < b.canonical();
}

}  // namespace weir::jolt
