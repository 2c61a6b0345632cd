#include "processors/file/file_filter.h"

#include <fmt/format.h>

#include <filesystem>

#include "processors/support/declare.h"

namespace weir::processors {
namespace {

Validator existing_directory() {
  return [](std::string_view value) -> std::optional<std::string> {
    std::error_code ignored;
    if (std::filesystem::is_directory(std::filesystem::path(value), ignored)) return std::nullopt;
    return fmt::format("there is no folder {}", value);
  };
}

Pattern compile(const PropertyValue& value) {
  auto compiled = Pattern::compile(value.text());
  if (!compiled) throw ProcessException(compiled.error());
  return *compiled;
}

std::int64_t to_ms(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

namespace file_properties {

const PropertyDescriptor input_directory{.name = "Input Directory",
                                         .description = "The folder whose files are taken.",
                                         .required = true,
                                         .validator = existing_directory(),
                                         .expression_scope = ExpressionScope::environment};
const PropertyDescriptor recurse{
    .name = "Recurse Subdirectories",
    .description =
        "Whether files of sub-folders are taken as well. A folder that can be reached "
        "in several ways (symlinks) is visited once.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor file_filter{
    .name = "File Filter",
    .description = "Only files whose whole name matches are taken.",
    .default_value = R"([^\.].*)",
    .required = true,
    .validator = validators::regular_expression()};
const PropertyDescriptor path_filter{
    .name = "Path Filter",
    .description = "Only files of folders whose path below the input directory matches are taken.",
    .validator = validators::regular_expression()};
const PropertyDescriptor minimum_age{
    .name = "Minimum File Age",
    .description =
        "A file that was modified less long ago is left for later. With 0, a file that "
        "is still being written may be taken before it is complete.",
    .default_value = "0 sec",
    .required = true,
    .validator = validators::duration()};
const PropertyDescriptor maximum_age{
    .name = "Maximum File Age",
    .description = "A file that was modified longer ago is not taken.",
    .validator = validators::duration(std::chrono::milliseconds(100))};
const PropertyDescriptor minimum_size{.name = "Minimum File Size",
                                      .description = "A smaller file is not taken.",
                                      .default_value = "0 B",
                                      .required = true,
                                      .validator = validators::data_size()};
const PropertyDescriptor maximum_size{.name = "Maximum File Size",
                                      .description = "A larger file is not taken.",
                                      .validator = validators::data_size()};
const PropertyDescriptor ignore_hidden{
    .name = "Ignore Hidden Files",
    .description = "Whether files whose name begins with a dot are left.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};

}  // namespace file_properties

using namespace file_properties;

FileFilter::FileFilter(const PropertyContext& context)
    : name_(compile(context.property(file_filter))),
      least_age_ms_(to_ms(context.property(minimum_age).duration())),
      least_bytes_(context.property(minimum_size).data_size()),
      ignore_hidden_(context.property(ignore_hidden).boolean()) {
  if (const PropertyValue path = context.property(path_filter); path.is_set()) {
    path_ = compile(path);
  }
  if (const PropertyValue age = context.property(maximum_age); age.is_set()) {
    most_age_ms_ = to_ms(age.duration());
  }
  if (const PropertyValue size = context.property(maximum_size); size.is_set()) {
    most_bytes_ = size.data_size();
  }
}

bool FileFilter::takes_name(const std::string& folder, const std::string& name) const {
  if (ignore_hidden_ && name.starts_with('.')) return false;
  return name_.matches(name) && (!path_ || path_->matches(folder));
}

bool FileFilter::takes(const FileFacts& facts, std::int64_t now_ms) const {
  const std::int64_t age_ms = now_ms - facts.modified_ms();
  if (age_ms < least_age_ms_ && least_age_ms_ > 0) return false;
  if (most_age_ms_ && age_ms > *most_age_ms_) return false;
  return facts.size_bytes >= least_bytes_ && (!most_bytes_ || facts.size_bytes <= *most_bytes_);
}

std::string FileFilter::settings() const {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", name_.expression(), path_ ? path_->expression() : "",
                     least_age_ms_, most_age_ms_.value_or(-1), least_bytes_,
                     most_bytes_ ? std::to_string(*most_bytes_) : "", ignore_hidden_);
}

}  // namespace weir::processors
