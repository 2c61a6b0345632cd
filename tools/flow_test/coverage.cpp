#include "tools/flow_test/coverage.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace weir::flow_test {
namespace {

void add(CoveredProcessor& sum, const CoveredProcessor& one) {
  if (!one.tested) return;
  sum.tested = true;
  sum.type = one.type;
  for (const auto& [name, count] : one.relationships) {
    const auto has_name = [&](const auto& known) { return known.first == name; };
    const auto known = std::ranges::find_if(sum.relationships, has_name);
    if (known == sum.relationships.end()) {
      sum.relationships.emplace_back(name, count);
    } else {
      known->second += count;
    }
  }
}

}  // namespace

std::size_t FlowCoverage::taken() const {
  std::size_t count = 0;
  for (const auto& one : processors) {
    count += static_cast<std::size_t>(std::ranges::count_if(
        one.relationships, [](const auto& relationship) { return relationship.second > 0; }));
  }
  return count;
}

std::size_t FlowCoverage::total() const {
  std::size_t count = 0;
  for (const auto& one : processors) count += one.relationships.size();
  return count;
}

std::vector<FlowCoverage> merge_coverage(std::span<const TestResult> results) {
  std::vector<FlowCoverage> flows;
  for (const TestResult& result : results) {
    auto flow = std::ranges::find(flows, result.flow, &FlowCoverage::flow);
    if (flow == flows.end()) flow = flows.insert(flows.end(), {result.flow, {}});
    for (const CoveredProcessor& one : result.coverage) {
      auto& all = flow->processors;
      auto sum = std::ranges::find(all, one.id, &CoveredProcessor::id);
      if (sum == all.end()) sum = all.insert(all.end(), {one.id, one.path, "", false, {}});
      add(*sum, one);
    }
  }
  return flows;
}

double percent(std::size_t taken, std::size_t total) {
  return total == 0 ? 0.0 : 100.0 * static_cast<double>(taken) / static_cast<double>(total);
}

double percent(std::span<const FlowCoverage> flows) {
  std::size_t taken = 0, total = 0;
  for (const FlowCoverage& flow : flows) {
    taken += flow.taken();
    total += flow.total();
  }
  return percent(taken, total);
}

nlohmann::ordered_json coverage_json(std::span<const FlowCoverage> flows) {
  using nlohmann::ordered_json;
  ordered_json all = ordered_json::array();
  for (const FlowCoverage& flow : flows) {
    ordered_json processors = ordered_json::array();
    for (const CoveredProcessor& one : flow.processors) {
      ordered_json relationships = ordered_json::object();
      for (const auto& [name, count] : one.relationships) relationships[name] = count;
      processors.push_back({{"processor", one.path},
                            {"type", one.type},
                            {"tested", one.tested},
                            {"relationships", relationships}});
    }
    all.push_back({{"flow", flow.flow},
                   {"processors", processors},
                   {"taken", flow.taken()},
                   {"relationships", flow.total()},
                   {"percent", percent(flow.taken(), flow.total())}});
  }
  return {{"percent", percent(flows)}, {"flows", all}};
}

}  // namespace weir::flow_test
