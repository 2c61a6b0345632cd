#pragma once

#include <cstddef>

namespace weir::text {

// Decodes groups of four symbols of the standard alphabet, up to the first that holds any other
// character, and gives how many groups that were. Writes nothing behind `out + groups * 3`.
// Vector instructions are used where the processor has them.
std::size_t decode_base64_groups(const char* in, std::size_t groups, char* out);

}  // namespace weir::text
