#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "processors/jolt/transform.h"
#include "processors/jolt/values.h"

namespace weir::jolt {

// The key that a spec's key matched, on the stack of whoever walks down there. `text` refers to
// the data, to the spec, or to `owned`.
struct Matched {
  Matched() = default;
  Matched(const Matched&) = delete;
  Matched& operator=(const Matched&) = delete;

  // What &(n,group) means: 0 the whole key, from 1 on what the stars stand for. Throws
  // TransformError where there is no such star.
  std::string_view part(std::size_t group) const;

  std::string_view text = {};
  std::vector<std::string_view> stars = {};
  std::string owned = {};
  std::int32_t hash_count = 0;      // matches among its children: [#n]
  std::int32_t original_size = -1;  // of the array that it is an index of; -1: no array
};

// One level of the walk down data and spec together.
struct PathStep {
  Value tree = {};
  Matched* matched = nullptr;
};

class WalkedPath {
 public:
  void push(Value tree, Matched* matched) { steps_.push_back({tree, matched}); }
  void pop() { steps_.pop_back(); }
  const PathStep& last() const { return steps_.back(); }
  // 0 is the last. Throws TransformError where the walk did not come from that far up.
  const PathStep& from_end(std::size_t up) const;

 private:
  std::vector<PathStep> steps_;
};

// A step of a path as it stands for this place of the data.
struct PathKey {
  std::string text;
  std::size_t index = 0;  // of an array
};

// What one application of a transform carries along.
struct Walk {
  Run& run;
  WalkedPath path = {};
  Value output = {};               // of shift
  std::vector<PathKey> keys = {};  // of the path that is written, kept for their memory
};

// A value that may be missing, which is not the same as null.
struct Input {
  bool present = false;
  Value value = {};

  static Input of(Value value) { return {true, value}; }
};

}  // namespace weir::jolt
