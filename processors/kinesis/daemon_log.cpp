#include "processors/kinesis/daemon_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "engine/text/utf8_sequence.h"

namespace weir::processors::kinesis {
namespace {

constexpr std::size_t kMostLineBytes = 64 << 10;
constexpr std::uint64_t kMostLinesASecond = 1000;
constexpr std::size_t kMostStatements = 500;
constexpr std::size_t kMostCauses = 50;
constexpr std::size_t kMostSaidBytes = 2000;
constexpr std::size_t kMostSearchedBytes = 8000;  // for causes
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kMinuteNs = 60 * kSecondNs;
constexpr std::size_t kLeastSecretBytes = 3;  // a shorter one would mask half of every word
// One request that fails so often is no accident.
constexpr int kTriesOfACause = 3;

constexpr std::string_view kRetries = "software.amazon.awssdk.retries.";

// What the KCL says above its importance, or says in the course of things.
struct Noise {
  std::string_view logger, words;
};
constexpr Noise kNoise[] = {
    {"WorkerMetricsSelector", "Did not find an operating range metadata provider"},
    {"LeaseAssignmentManager", "Not able to assign all expiredOrUnAssignedLeases"},
    {"DefaultChannelPipeline", "An exceptionCaught() event was fired"},
    {"CloudWatchPublisherRunnable", "Dropping metrics []"},
    {"ThrottlingReporter", "has been throttled"},
};
// What of its INFO a user wants to know.
constexpr Noise kNews[] = {
    {"DynamoDBLockBasedLeaderDecider", "is new leader"},
    {"DynamoDBLeaseRenewer", "lost lease with key"},
    {"ProcessTask", "Reached end of shard"},
    {"MultiLangDaemon", "Process shutdown is complete"},
};

std::string_view last_part(std::string_view logger) {
  return logger.substr(logger.rfind('.') + 1);
}

template <std::size_t N>
bool among(const Noise (&all)[N], const DaemonEvent& event) {
  return std::ranges::any_of(all, [&](const Noise& one) {
    return last_part(event.logger) == one.logger &&
           event.message.find(one.words) != std::string_view::npos;
  });
}

std::string_view until(std::string_view& text, char divider) {
  const auto at = text.find(divider);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::optional<LogLevel> level_named(std::string_view name) {
  if (name == "TRACE") return LogLevel::trace;
  if (name == "DEBUG") return LogLevel::debug;
  if (name == "INFO") return LogLevel::info;
  if (name == "WARN") return LogLevel::warn;
  if (name == "ERROR") return LogLevel::error;
  return std::nullopt;
}

// As the log configuration writes it; nothing for a line of another origin.
std::optional<DaemonEvent> parse_event(std::string_view line) {
  if (!line.starts_with('@')) return std::nullopt;
  line.remove_prefix(1);
  const auto level = level_named(until(line, '\t'));
  if (!level) return std::nullopt;
  DaemonEvent event{.level = *level};
  event.logger = until(line, '\t');
  event.message = until(line, '\t');
  event.exception = line;
  if (event.logger.empty()) return std::nullopt;
  while (event.exception.ends_with(' ') || event.exception.ends_with('|')) {
    event.exception.remove_suffix(1);
  }
  return event;
}

// "Request attempt 3 encountered ..." -> 3
int attempt(std::string_view message) {
  constexpr std::string_view words = "Request attempt ";
  const auto at = message.find(words);
  if (at == std::string_view::npos) return 0;
  int number = 0;
  const char* begin = message.data() + at + words.size();
  std::from_chars(begin, message.data() + message.size(), number);
  return number;
}

// The statement without what varies: each word that holds a digit is one '#', and the numbers of
// requests, which may be of any letters, are left out. In news it counts which shard they are
// about.
std::string statement_of(LogLevel level, std::string_view text) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(level)));
  if (level == LogLevel::info) return key.append(text);
  constexpr std::string_view request = "Request ID: ";
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(request)) {
      at = std::min(text.find(')', at), text.size());
      continue;
    }
    const auto in_word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(text[i]);
      return std::isalnum(c) != 0 || c == '-' || c == '_';
    };
    std::size_t end = at;
    bool digit = false;
    while (end < text.size() && in_word(end)) {
      digit = digit || std::isdigit(static_cast<unsigned char>(text[end])) != 0;
      ++end;
    }
    if (end == at) {
      key += text[at++];
      continue;
    }
    if (digit) {
      key += '#';
    } else {
      key += text.substr(at, end - at);
    }
    at = end;
  }
  return key;
}

// Text that any log and bulletin can hold.
std::string printable(std::string_view bytes, std::size_t most) {
  std::string text;
  std::size_t at = 0;
  while (at < bytes.size() && text.size() < most) {
    const text::Utf8Sequence next = text::utf8_sequence(bytes, at);
    if (!next.well_formed) {
      text += text::replacement_character;
    } else if (next.length == 1 &&
               (static_cast<unsigned char>(bytes[at]) < 0x20 || bytes[at] == 0x7F)) {
      text += ' ';
    } else {
      text += bytes.substr(at, next.length);
    }
    at += next.length;
  }
  if (at < bytes.size()) text += "...";
  return text;
}

bool names_a_secret(std::string_view name) {
  return name.find("KEY") != std::string_view::npos ||
         name.find("SECRET") != std::string_view::npos ||
         name.find("TOKEN") != std::string_view::npos;
}

// "http://user:password@host" -> "password"
std::string_view password_in(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  std::string_view authority = url.substr(scheme + 3);
  authority = authority.substr(0, authority.find('/'));
  const auto at = authority.rfind('@');
  const auto colon = authority.find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return {};
  return authority.substr(colon + 1, at - colon - 1);
}

}  // namespace

DaemonLog::DaemonLog(DaemonNames names, Clock& clock, ComponentLog& log)
    : names_(std::move(names)), clock_(clock), log_(log), second_ns_(clock.steady_ns()) {}

void DaemonLog::begin(const std::map<std::string, std::string>& environment) {
  secrets_.clear();
  for (const auto& [name, value] : environment) {
    if (names_a_secret(name)) secrets_.push_back(value);
    secrets_.emplace_back(password_in(value));
  }
  std::erase_if(secrets_, [](const std::string& s) { return s.size() < kLeastSecretBytes; });
  std::ranges::sort(secrets_, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  lines_.clear();
  stopping_ = released_ = false;
  last_cause_.clear();
  last_error_.clear();
}

void DaemonLog::read(From from, std::string_view bytes) {
  Line& open = lines_[from];
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    const std::size_t room = kMostLineBytes - open.text.size();
    open.text += part.substr(0, room);
    open.cut = open.cut || part.size() > room;
    if (end == std::string_view::npos) return;
    line(from, open);
    bytes.remove_prefix(end + 1);
  }
}

void DaemonLog::end() {
  for (auto& [from, open] : lines_) {
    if (!open.text.empty()) line(from, open);
  }
}

void DaemonLog::line(From from, Line& line) {
  std::string text = std::move(line.text);
  const bool cut = line.cut;
  line = {};
  if (!within_budget()) return;
  if (text.ends_with('\r')) text.pop_back();
  mask(text);
  // The end of a line that was cut may be the beginning of a secret.
  if (cut && !secrets_.empty()) {
    text.resize(text.size() - std::min(text.size(), secrets_.front().size()));
  }
  if (const auto event = parse_event(text)) {
    this->event(*event);
  } else if (!text.empty()) {
    java_line(from, text);
  }
}

bool DaemonLog::within_budget() {
  const std::int64_t now_ns = clock_.steady_ns();
  if (now_ns - second_ns_ >= kSecondNs) {
    second_ns_ = now_ns;
    lines_in_second_ = 0;
  }
  if (++lines_in_second_ <= kMostLinesASecond) return true;
  leave_out();
  return false;
}

void DaemonLog::leave_out() {
  if (left_out_++ == 0) left_out_since_ns_ = clock_.steady_ns();
  due(left_out_since_ns_ + kMinuteNs);
}

void DaemonLog::due(std::int64_t at_ns) {
  deadline_ns_ = std::min(deadline_ns_.value_or(at_ns), at_ns);
}

void DaemonLog::event(const DaemonEvent& event) {
  if (last_part(event.logger) == "PeriodicShardSyncManager" &&
      event.message.starts_with("Shutting down periodic shard sync task scheduler")) {
    released_ = true;
  }
  const std::string_view root = event.exception.substr(0, event.exception.find(" | "));
  std::string text = fmt::format("KCL {}: {}", last_part(event.logger), event.message);
  if (!root.empty()) text += fmt::format(" ({})", root);
  LogLevel level = level_of(event, text);
  if (level == LogLevel::error) last_error_ = printable(text, kMostSaidBytes);
  if (cause(event)) level = LogLevel::debug;
  say(level, text);
}

LogLevel DaemonLog::level_of(const DaemonEvent& event, std::string& text) {
  if (event.level < LogLevel::info) return event.level;
  if (event.level == LogLevel::info) {
    constexpr std::string_view taken = "Created new shardConsumer for";
    if (last_part(event.logger) == "Scheduler" && event.message.starts_with(taken)) {
      const auto at = event.message.find("shardId=");
      std::string_view shard = event.message.substr(at == std::string_view::npos ? 0 : at + 8);
      text = fmt::format("KCL: takes up {}", shard.substr(0, shard.find_first_of(",)")));
      return LogLevel::info;
    }
    return among(kNews, event) ? LogLevel::info : LogLevel::debug;
  }
  if (stopping_ || among(kNoise, event)) return LogLevel::debug;
  if (event.exception.find("LeaderDecider uninitialized") != std::string_view::npos) {
    return LogLevel::debug;  // each second of a shutdown
  }
  return event.level;
}

// Lines that no logger wrote: Java's own words, a stack trace, what a bridge complains about, the
// daemon's usage.
void DaemonLog::java_line(From from, std::string_view text) {
  // The KCL logs the bridges' words as events, too.
  if (from == From::err && text.starts_with("weir-kinesis-bridge:")) return;
  DaemonEvent event{.level = LogLevel::warn, .message = text};
  const bool frame = text.starts_with("\tat ") || text.starts_with("\t...");
  const bool failure = text.find("Exception") != std::string_view::npos ||
                       text.find("Error") != std::string_view::npos ||
                       text.find("rror occurred") != std::string_view::npos ||
                       text.find("insufficient memory") != std::string_view::npos;
  if (frame || stopping_ || (from == From::out && !failure)) event.level = LogLevel::debug;
  if (failure && event.level == LogLevel::warn) event.level = LogLevel::error;
  const std::string said = fmt::format("Java: {}", text);
  if (event.level == LogLevel::error) last_error_ = printable(said, kMostSaidBytes);
  if (event.level > LogLevel::debug && cause(event)) event.level = LogLevel::debug;
  say(event.level, said);
}

bool DaemonLog::cause(const DaemonEvent& event) {
  const bool retry = event.logger.starts_with(kRetries);
  if (retry ? attempt(event.message) < kTriesOfACause : event.level < LogLevel::warn) return false;
  if (event.logger.starts_with("io.netty.")) return false;
  DaemonEvent looked_at = event;
  looked_at.message = looked_at.message.substr(0, kMostSearchedBytes);
  looked_at.exception = looked_at.exception.substr(0, kMostSearchedBytes);
  auto found = find_cause(looked_at, names_);
  if (!found) return false;
  found->sentence = printable(found->sentence, kMostSaidBytes);
  last_cause_ = found->sentence;
  const std::int64_t now_ns = clock_.steady_ns();
  if (caused_.size() >= kMostCauses) {
    std::erase_if(caused_, [&](const auto& one) { return now_ns - one.second >= kMinuteNs; });
    if (caused_.size() >= kMostCauses) return true;
  }
  const auto [said, fresh] = caused_.try_emplace(found->key, now_ns);
  if (!fresh && now_ns - said->second < kMinuteNs) return true;
  said->second = now_ns;
  if (!stopping_) log_.write(found->level, found->sentence);
  return true;
}

void DaemonLog::say(LogLevel level, std::string_view bytes) {
  if (!log_.enabled(level)) return;
  progress();
  const std::string text = printable(bytes, kMostSaidBytes);
  const std::int64_t now_ns = clock_.steady_ns();
  std::string key = statement_of(level, text);
  const auto known = said_.find(key);
  if (known != said_.end() && now_ns - known->second.since_ns < kMinuteNs) {
    Said& said = known->second;
    ++said.again;
    said.text = text;
    due(said.since_ns + kMinuteNs);
    return;
  }
  if (said_.size() >= kMostStatements) {
    std::erase_if(said_, [&](const auto& entry) {
      return entry.second.again == 0 && now_ns - entry.second.since_ns >= kMinuteNs;
    });
  }
  if (said_.size() >= kMostStatements) {
    leave_out();
    return;
  }
  said_[std::move(key)] = Said{.since_ns = now_ns, .level = level, .text = text};
  log_.write(level, text);
}

std::optional<std::int64_t> DaemonLog::deadline_ns() const {
  return deadline_ns_;
}

void DaemonLog::progress() {
  const std::int64_t now_ns = clock_.steady_ns();
  if (!deadline_ns_ || now_ns < *deadline_ns_) return;
  deadline_ns_.reset();
  for (auto entry = said_.begin(); entry != said_.end();) {
    Said& said = entry->second;
    const bool over = now_ns - said.since_ns >= kMinuteNs;
    if (over && said.again == 0) {
      entry = said_.erase(entry);
      continue;
    }
    if (over) {
      log_.write(said.level,
                 fmt::format("{} (said {} more times in the last minute)", said.text, said.again));
      said.since_ns = now_ns;
      said.again = 0;
    }
    if (said.again > 0) due(said.since_ns + kMinuteNs);
    ++entry;
  }
  say_left_out();
}

void DaemonLog::say_left_out() {
  if (left_out_ == 0) return;
  const std::int64_t due_ns = left_out_since_ns_ + kMinuteNs;
  if (clock_.steady_ns() < due_ns) {
    due(due_ns);
    return;
  }
  log_.write(LogLevel::warn,
             fmt::format("the KCL wrote too much: {} lines of its log were left out", left_out_));
  left_out_ = 0;
}

void DaemonLog::mask(std::string& text) const {
  constexpr std::string_view stars = "***";
  for (const std::string& secret : secrets_) {
    for (auto at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + stars.size())) {
      text.replace(at, secret.size(), stars);
    }
  }
}

}  // namespace weir::processors::kinesis
