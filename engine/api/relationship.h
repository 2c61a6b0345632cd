#pragma once

#include <string>

namespace weir {

struct Relationship {
  std::string name;
  std::string description = {};
  bool auto_terminated_by_default = false;
};

}  // namespace weir
