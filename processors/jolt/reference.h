#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "processors/jolt/spec.h"

namespace weir::jolt {

// "&", "&1", "&(1,2)": how far up the walk, and which part of the key there.
struct Reference {
  std::size_t up = 0;
  std::size_t group = 0;

  // `text` begins with its sign. `with_group`: the form in parentheses is allowed. Throws
  // SpecError.
  static Reference parse(const Place& place, std::string_view text, bool with_group);
  std::string canonical(char sign) const;
};

}  // namespace weir::jolt
