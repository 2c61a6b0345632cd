#include "engine/runtime/prioritizer.h"

#include <charconv>
#include <optional>

#include "engine/api/flow_file.h"

namespace weir::runtime {
namespace {

using flowfile::FlowFileRecord;

int order(std::int64_t a, std::int64_t b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

std::optional<std::int64_t> as_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// NiFi's rule: a FlowFile with the attribute goes before one without; numbers before words, and
// the smaller number or the earlier word first.
int compare_priority(const FlowFileRecord& a, const FlowFileRecord& b) {
  const std::string* pa = a.attributes->find(attribute::priority);
  const std::string* pb = b.attributes->find(attribute::priority);
  if (pa == nullptr || pb == nullptr) return order(pa == nullptr, pb == nullptr);
  const auto na = as_number(*pa);
  const auto nb = as_number(*pb);
  if (na && nb) return order(*na, *nb);
  if (na.has_value() != nb.has_value()) return na ? -1 : 1;
  return pa->compare(*pb);
}

}  // namespace

Prioritizers::Prioritizers(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "FirstInFirstOutPrioritizer") kinds_.push_back(Kind::first_in_first_out);
    if (name == "NewestFlowFileFirstPrioritizer") kinds_.push_back(Kind::newest_first);
    if (name == "OldestFlowFileFirstPrioritizer") kinds_.push_back(Kind::oldest_first);
    if (name == "PriorityAttributePrioritizer") kinds_.push_back(Kind::priority_attribute);
  }
  // Arrival is what decides in the end anyway: a lone FIFO keeps the plain queue.
  if (kinds_ == std::vector{Kind::first_in_first_out}) kinds_.clear();
}

int Prioritizers::compare(const FlowFileRecord& a, const FlowFileRecord& b) const {
  for (const Kind kind : kinds_) {
    int result = 0;
    switch (kind) {
      case Kind::first_in_first_out:
        return 0;
      case Kind::newest_first:
        result = order(b.entry_ms, a.entry_ms);
        if (result == 0)
          result = order(static_cast<std::int64_t>(b.id), static_cast<std::int64_t>(a.id));
        break;
      case Kind::oldest_first:
        result = order(a.lineage_start_ms, b.lineage_start_ms);
        break;
      case Kind::priority_attribute:
        result = compare_priority(a, b);
        break;
    }
    if (result != 0) return result;
  }
  return 0;
}

}  // namespace weir::runtime
