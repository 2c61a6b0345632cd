#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/api/registry.h"

namespace weir::vectors {

enum class Verdict { passed, failed, excluded };

struct CaseResult {
  Verdict verdict = Verdict::passed;
  std::vector<std::string> mismatches;  // sentences; of an exclusion the reason
};

// Runs one case of processor-vectors.json against the processor of the registry. Files of the
// case live below a fresh folder in `scratch`.
CaseResult run_case(const nlohmann::json& vector_case, const ComponentRegistry& registry,
                    const std::string& scratch);

// Why a case is not run, or "": unknown processor, or an answer of NiFi that is a fault.
std::string exclusion(const nlohmann::json& vector_case, const ComponentRegistry& registry);

}  // namespace weir::vectors
