#include "engine/runtime/services.h"

#include <spdlog/spdlog.h>

#include "engine/runtime/log_level.h"

namespace weir::runtime {

void BulletinBoard::add(LogLevel level, const std::string& component_id,
                        const std::string& component_name, std::string_view message) {
  const std::lock_guard lock(mutex_);
  bulletins_.push_back(
      {next_number_++, clock_.now_ms(), level, component_id, component_name, std::string(message)});
  if (bulletins_.size() > kKept) bulletins_.pop_front();
}

std::vector<Bulletin> BulletinBoard::after(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  std::vector<Bulletin> found;
  for (const Bulletin& bulletin : bulletins_) {
    if (bulletin.number > number) found.push_back(bulletin);
  }
  return found;
}

bool BulletinLog::enabled(LogLevel level) const {
  return level >= bulletin_level_ || spdlog::should_log(to_spdlog(level));
}

void BulletinLog::write(LogLevel level, std::string_view message) {
  if (level >= bulletin_level_ && bulletin_level_ != LogLevel::none) {
    board_.add(level, component_id_, component_name_, message);
  }
  spdlog::log(to_spdlog(level), "{}: {}", component_name_, message);
}

LogLevel parse_log_level(std::string_view name) {
  if (name == "TRACE") return LogLevel::trace;
  if (name == "DEBUG") return LogLevel::debug;
  if (name == "INFO") return LogLevel::info;
  if (name == "ERROR" || name == "FATAL") return LogLevel::error;
  if (name == "NONE") return LogLevel::none;
  return LogLevel::warn;
}

}  // namespace weir::runtime
