#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "engine/api/component.h"
#include "engine/api/pattern.h"

namespace weir::processors {

// The terms of a dictionary file, one a line.
class Terms {
 public:
  // Throws IoError where the file cannot be read. Blank lines are no terms. With a filter only
  // lines count that it matches as a whole; where it has a group, that part of the line.
  Terms(const std::filesystem::path& file, const std::optional<Pattern>& filter);

  bool contains(std::string_view value) const { return terms_.contains(value); }
  std::size_t size() const { return terms_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> terms_;
};

// The terms of a file that may change: looked at once a second at most, and read again when its
// time has changed. Thread safe.
class Dictionary {
 public:
  // Reads the file. Throws IoError.
  Dictionary(std::filesystem::path file, std::optional<Pattern> filter, Clock& clock);

  // The terms as of now. A file that cannot be read again is logged; what was read before counts.
  std::shared_ptr<const Terms> terms(ComponentLog& log);

 private:
  const std::filesystem::path file_;
  const std::optional<Pattern> filter_;
  Clock& clock_;

  std::mutex mutex_;
  std::shared_ptr<const Terms> terms_;
  std::optional<std::filesystem::file_time_type> changed_;
  std::int64_t looked_ns_ = 0;
};

}  // namespace weir::processors
