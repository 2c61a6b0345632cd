#include "tools/weir/console.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <mutex>

#include "engine/runtime/log_level.h"
#include "tools/common/terminal.h"

namespace weir::tools {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

std::string_view colour_of(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return colour::red;
  if (level == spdlog::level::warn) return colour::yellow;
  return level == spdlog::level::info ? colour::green : colour::dim;
}

void write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

class Console::Sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  Sink() : terminal_(is_terminal(stderr)), colours_(use_colours(stderr)) {}

  bool on_terminal() const { return terminal_; }

  void show_status(const std::string& line) {
    if (!terminal_) return;
    const std::lock_guard lock(mutex_);
    // A line that wraps could not be cleared; it is plain ASCII, so bytes are columns.
    const std::string shown = line.substr(0, terminal_columns(stderr) - 1);
    if (shown == status_) return;
    status_ = shown;
    write(kClearLine);
    write(status_);
    std::fflush(stderr);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    const std::string_view line(text.data(), text.size());
    if (!status_.empty()) write(kClearLine);
    if (colours_ && message.color_range_end > message.color_range_start) {
      write(line.substr(0, message.color_range_start));
      write(colour_of(message.level));
      write(line.substr(message.color_range_start,
                        message.color_range_end - message.color_range_start));
      write(colour::reset);
      write(line.substr(message.color_range_end));
    } else {
      write(line);
    }
    write(status_);
    std::fflush(stderr);
  }
  void flush_() override { std::fflush(stderr); }

 private:
  const bool terminal_;
  const bool colours_;
  std::string status_;  // guarded by the base's mutex
};

Console::Console(LogLevel level) : sink_(std::make_shared<Sink>()) {
  auto logger = std::make_shared<spdlog::logger>("weir", sink_);
  logger->set_level(runtime::to_spdlog(level));
  logger->set_pattern(sink_->on_terminal() ? "%H:%M:%S.%e %^%-5l%$ %v"
                                           : "%Y-%m-%dT%H:%M:%S.%e %-5l %v");
  spdlog::set_default_logger(std::move(logger));
}

Console::~Console() {
  sink_->show_status("");
  sink_->flush();
}

bool Console::on_terminal() const {
  return sink_->on_terminal();
}
void Console::show_status(const std::string& line) {
  sink_->show_status(line);
}

}  // namespace weir::tools
