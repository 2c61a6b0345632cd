#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "processors/jolt/spec.h"
#include "processors/jolt/walked_path.h"

namespace weir::jolt {

enum class ElementKind {
  literal,
  at,           // @
  transpose,    // @(1,a.b)
  dollar,       // $1
  hash,         // #text
  ampersand,    // tag-&1
  array,        // [], [2], [&1], [#2], [@(1,n)]
  star_regex,   // *-*-*
  star_double,  // *-*
  star_single,  // *-
  star_all,     // *
};

// One key of a spec, or one step of an output path. Thread safe.
class PathElement {
 public:
  // Throws SpecError.
  static std::unique_ptr<const PathElement> parse(const Place& place, std::string_view key);
  virtual ~PathElement() = default;

  ElementKind kind() const { return kind_; }
  bool is_star() const { return kind_ >= ElementKind::star_regex; }
  const std::string& raw() const { return raw_; }              // without escapes
  const std::string& canonical() const { return canonical_; }  // one spelling of equal keys

  // Whether a key of the data matches. Null: no. Else `storage`, filled, or the parent's match.
  virtual Matched* match(std::string_view key, const WalkedPath& path, Matched& storage) const;
  // Stars only: as `match`, without the walk.
  virtual bool matches_text(std::string_view key) const;
  // Whether it may stand in an output path.
  virtual bool can_be_evaluated() const { return false; }
  // The key that it stands for. False: there is none, so nothing is written or read.
  virtual bool evaluate(const WalkedPath& path, std::string& out) const;
  // Transpose only: the value in the data.
  virtual Input look_up(const WalkedPath& path) const;
  // Array only: the index of [2]; -1 for the other forms.
  virtual std::int32_t explicit_index() const { return -1; }
  // Array only: whether it is [].
  virtual bool appends() const { return false; }

 protected:
  PathElement(ElementKind kind, std::string raw)
      : kind_(kind), raw_(std::move(raw)), canonical_(raw_) {}
  std::string canonical_of(std::string text) { return canonical_ = std::move(text); }

 private:
  ElementKind kind_;
  std::string raw_;
  std::string canonical_;
};

using ElementPtr = std::unique_ptr<const PathElement>;

// A key with stars only as wildcards, as `remove` and `cardinality` have them: no escapes, no
// references. `with_double`: two stars are a kind of their own.
ElementPtr parse_star_key(const Place& place, std::string_view key, bool with_double);

// For sorting keys that compete: the more specific first. `rank` 1 is first.
bool is_more_specific(int rank_a, const PathElement& a, int rank_b, const PathElement& b);

}  // namespace weir::jolt
