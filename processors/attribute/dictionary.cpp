#include "processors/attribute/dictionary.h"

#include <cerrno>
#include <fstream>

#include "engine/text/character_set.h"
#include "processors/support/java_text.h"
#include "repositories/storage/error.h"

namespace weir::processors {
namespace {

constexpr std::int64_t look_again_ns = 1'000'000'000;

std::string read_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw storage::IoError("read", file, errno == 0 ? EIO : errno);
  return text;
}

// nullopt where it is not there.
std::optional<std::filesystem::file_time_type> time_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

}  // namespace

Terms::Terms(const std::filesystem::path& file, const std::optional<Pattern>& filter) {
  const std::string text = text::repair_utf8(read_file(file));
  Match match;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;  // between CR and LF stands an empty line, which is no term
    if (trim(line).empty()) continue;
    if (!filter) {
      terms_.emplace(line);
    } else if (filter->matches(line, match)) {
      const std::size_t group = match.group_count() == 1 ? 1 : 0;
      if (match.participated(group)) terms_.emplace(match.group(group));
    }
  }
}

Dictionary::Dictionary(std::filesystem::path file, std::optional<Pattern> filter, Clock& clock)
    : file_(std::move(file)),
      filter_(std::move(filter)),
      clock_(clock),
      terms_(std::make_shared<const Terms>(file_, filter_)),
      changed_(time_of(file_)),
      looked_ns_(clock.steady_ns()) {}

std::shared_ptr<const Terms> Dictionary::terms(ComponentLog& log) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now_ns = clock_.steady_ns();
  if (now_ns - looked_ns_ < look_again_ns) return terms_;
  looked_ns_ = now_ns;
  const auto changed = time_of(file_);
  if (changed == changed_) return terms_;
  changed_ = changed;
  try {
    terms_ = std::make_shared<const Terms>(file_, filter_);
  } catch (const storage::IoError& error) {
    log.error("The dictionary stays as it was: {}", error.what());
  }
  return terms_;
}

}  // namespace weir::processors
