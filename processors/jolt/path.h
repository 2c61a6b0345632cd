#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "processors/jolt/path_element.h"

namespace weir::jolt {

// A path in dots: where `shift` writes ("photos[&1].url"), or what "@(1,a.b[0])" reads. Thread
// safe.
class Path {
 public:
  // The part after "@(n,": may not be empty. Throws SpecError, as below.
  static Path of_reading(const Place& place, std::string_view text);
  // An output path; empty or blank: the output as a whole.
  static Path of_writing(const Place& place, std::string_view text);
  // The steps of a text such as "@(1,a)" in `modify`, unevaluated.
  static std::vector<ElementPtr> elements_of(const Place& place, std::string_view text);

  // The value at the path below `tree`; references refer to `path`.
  Input read(Value tree, const WalkedPath& path) const;
  // Puts a copy of `data` there, as `shift` does: containers are made, what is there becomes an
  // array. Nothing happens where a container of the other kind is in the way.
  void write(Value data, Walk& walk) const;
  const std::string& canonical() const { return canonical_; }

 private:
  explicit Path(std::vector<ElementPtr> elements);
  bool evaluate(const WalkedPath& path, std::vector<PathKey>& keys) const;

  std::vector<ElementPtr> elements_;
  std::string canonical_;
};

}  // namespace weir::jolt
