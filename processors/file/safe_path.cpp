#include "processors/file/safe_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weir::processors {
namespace {

bool lies_below(const std::filesystem::path& path, const std::filesystem::path& base) {
  const auto [end, stop] = std::ranges::mismatch(base, path);
  return end == base.end() || (std::next(end) == base.end() && end->empty());
}

// Where an open folder really is.
std::filesystem::path real_path(int descriptor) {
  return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor));
}

}  // namespace

std::expected<OpenFolder, std::string> OpenFolder::open(const std::filesystem::path& directory,
                                                        const std::filesystem::path& base,
                                                        bool create_missing) {
  const auto fail = [&](std::string_view why) {
    return std::unexpected(fmt::format("{}: {}", directory.native(), why));
  };
  std::error_code error;
  if (create_missing) {
    if (!base.empty()) {
      std::filesystem::create_directories(base, error);
      // What exists of the path, links resolved, and `..` of the rest taken literally.
      const auto real_base = std::filesystem::canonical(base, error);
      const auto real = std::filesystem::weakly_canonical(directory, error);
      if (error) return fail(error.message());
      if (!lies_below(real, real_base)) return fail("it is outside the directory of the flow");
    }
    std::filesystem::create_directories(directory, error);
    if (error) return fail(error.message());
  }
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return fail(std::strerror(errno));
  OpenFolder folder(descriptor);
  if (!base.empty()) {
    const auto real_base = std::filesystem::canonical(base, error);
    if (error) return fail(error.message());
    if (!lies_below(real_path(descriptor), real_base)) {
      return fail("it is outside the directory of the flow");
    }
  }
  return folder;
}

OpenFolder::~OpenFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::filesystem::path fixed_part(std::string_view property) {
  const std::size_t expression = property.find("${");
  if (expression == std::string_view::npos) return {};
  const std::string_view before = property.substr(0, expression);
  const std::size_t slash = before.rfind('/');
  if (slash == std::string_view::npos) return {};
  return std::filesystem::path(before.substr(0, std::max<std::size_t>(slash, 1)));
}

std::string problem_of_name(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name == "." || name == "..") return "it names a folder";
  if (name.find('/') != std::string_view::npos) return "it has a path in it";
  if (name.find('\0') != std::string_view::npos) return "it has a NUL in it";
  return {};
}

}  // namespace weir::processors
