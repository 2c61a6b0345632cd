#pragma once

namespace weir::tools {

// What every program of this folder ends with.
inline constexpr int kDone = 0;
inline constexpr int kFoundProblem = 1;
inline constexpr int kWrongUsage = 2;  // also a flow or properties file that cannot be used

}  // namespace weir::tools
