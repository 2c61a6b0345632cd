#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weir::vectors {

// Runs one case of el-vectors.json. Empty where the answer is as recorded, else a sentence with
// what was expected and what came.
std::string run_el_case(const nlohmann::json& vector_case);

// Why a case of that identifier is not run, or "".
std::string el_exclusion(const std::string& id);

}  // namespace weir::vectors
