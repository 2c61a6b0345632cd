#pragma once

#include <map>
#include <memory>
#include <string>

#include "processors/aws/surroundings.h"

namespace weir::tests {

// An environment and files that a test makes up, and may change.
struct SampleWorld {
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;

  // Refers to this.
  processors::aws::Surroundings surroundings();
};

}  // namespace weir::tests
