#pragma once

#include <expected>
#include <filesystem>
#include <string>

namespace weir::processors {

// An open folder. Files are made and renamed relative to it, so that nobody can put another
// folder or link in its place meanwhile.
class OpenFolder {
 public:
  // Opens `directory`, making it first where asked. With a `base` that is not empty, the folder
  // must really lie below it (or be it), whatever `..` and symlinks are in between; nothing is
  // made outside of it. The error is a sentence.
  static std::expected<OpenFolder, std::string> open(const std::filesystem::path& directory,
                                                     const std::filesystem::path& base,
                                                     bool create_missing);
  OpenFolder(OpenFolder&& other) noexcept : descriptor_(other.descriptor_) {
    other.descriptor_ = -1;
  }
  OpenFolder& operator=(OpenFolder&&) = delete;
  ~OpenFolder();

  int descriptor() const { return descriptor_; }

 private:
  explicit OpenFolder(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// The part of a Directory property before its first expression, up to the last slash: what the
// flow's author chose, whatever attributes say. Empty where it begins with an expression.
std::filesystem::path fixed_part(std::string_view property);

// Why `name` cannot be the name of a file in a folder, or "".
std::string problem_of_name(std::string_view name);

}  // namespace weir::processors
