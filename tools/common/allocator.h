#pragma once

namespace weir::tools {

// Sets the C library's allocator up for an engine. First thing in `main`, before any thread.
void tune_allocator();

}  // namespace weir::tools
