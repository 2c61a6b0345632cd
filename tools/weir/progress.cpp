#include "tools/weir/progress.h"

#include <fmt/format.h>

#include "engine/api/units.h"
#include "tools/common/text.h"

namespace weir::tools {

bool Progress::changed(const runtime::EngineStatus& status, std::size_t bulletins) const {
  return status.hops != hops_ || status.queued_count != queued_ || bulletins != bulletins_;
}

std::string Progress::line(const runtime::EngineStatus& status, std::size_t bulletins,
                           std::int64_t steady_ns) {
  double rate = 0;
  if (at_ns_ != 0 && steady_ns > at_ns_) {
    rate = static_cast<double>(status.hops - hops_) * 1e9 / static_cast<double>(steady_ns - at_ns_);
  }
  std::size_t full = 0;
  for (const auto& connection : status.connections) full += connection.full;
  std::string text =
      fmt::format("queued {} ({}) | {} hops, {}/s", with_thousands(status.queued_count),
                  format_data_size(status.queued_bytes), with_thousands(status.hops),
                  with_thousands(static_cast<std::uint64_t>(rate)));
  if (full > 0) text += fmt::format(" | {} full", full);
  if (bulletins > 0) text += fmt::format(" | {} bulletins", bulletins);
  hops_ = status.hops;
  queued_ = status.queued_count;
  bulletins_ = bulletins;
  at_ns_ = steady_ns;
  return text;
}

}  // namespace weir::tools
