#pragma once

#include <cstddef>
#include <string>

namespace weir::text {

// Why a text could not be read or compiled. Never thrown: it comes in a std::expected.
struct Error {
  std::size_t offset = 0;  // bytes into the text that was read
  std::string message;
};

}  // namespace weir::text
