#include "tools/weir/progress.h"

#include <fmt/format.h>

#include "engine/api/units.h"
#include "tools/common/text.h"

namespace weir::tools {

bool Progress::update(const runtime::EngineStatus& status, std::size_t bulletins,
                      std::int64_t steady_ns) {
  const bool changed =
      status.hops != hops_ || status.queued_count != queued_ || bulletins != bulletins_;
  const double seconds = static_cast<double>(std::max<std::int64_t>(steady_ns - at_ns_, 1)) / 1e9;
  const double rate = static_cast<double>(status.hops - hops_) / seconds;
  std::size_t full = 0;
  for (const auto& connection : status.connections) full += connection.full;
  line_ = fmt::format("queued {} ({}) | {} hops, {}/s", with_thousands(status.queued_count),
                      format_data_size(status.queued_bytes), with_thousands(status.hops),
                      with_thousands(static_cast<std::uint64_t>(rate)));
  if (full > 0) line_ += fmt::format(" | {} full", full);
  if (bulletins > 0) line_ += fmt::format(" | {} bulletins", bulletins);
  hops_ = status.hops;
  queued_ = status.queued_count;
  bulletins_ = bulletins;
  at_ns_ = steady_ns;
  return changed;
}

}  // namespace weir::tools
