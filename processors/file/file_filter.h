#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/component.h"
#include "engine/api/pattern.h"
#include "processors/file/file_attributes.h"

// The properties that GetFile and ListFile share, and the choice of files behind them.
namespace weir::processors {

namespace file_properties {
extern const PropertyDescriptor input_directory, recurse, file_filter, path_filter, minimum_age,
    maximum_age, minimum_size, maximum_size, ignore_hidden;
}  // namespace file_properties

// Chooses files by name, path, age and size. Immutable, thread safe.
class FileFilter {
 public:
  explicit FileFilter(const PropertyContext& context);

  // By name alone: no system call is spent on a file that this refuses. `folder` is relative to
  // the input directory, without a slash at its end.
  bool takes_name(const std::string& folder, const std::string& name) const;
  bool takes(const FileFacts& facts, std::int64_t now_ms) const;
  // The settings as text: a listing that was made with others starts anew.
  std::string settings() const;

 private:
  Pattern name_;
  std::optional<Pattern> path_;
  std::int64_t least_age_ms_ = 0;
  std::optional<std::int64_t> most_age_ms_;
  std::uint64_t least_bytes_ = 0;
  std::optional<std::uint64_t> most_bytes_;
  bool ignore_hidden_ = true;
};

}  // namespace weir::processors
