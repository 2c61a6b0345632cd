#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::jolt {

// "tag-*-*": each star stands for one character or more, for as few as can be. Linear.
class StarPattern {
 public:
  explicit StarPattern(std::string_view key);

  std::size_t star_count() const { return middles_.size() + 1; }
  bool matches(std::string_view text) const { return run(text, nullptr); }
  // Fills `stars` with what each star stands for.
  bool matches(std::string_view text, std::vector<std::string_view>& stars) const {
    return run(text, &stars);
  }

 private:
  bool run(std::string_view text, std::vector<std::string_view>* stars) const;

  std::string prefix_;
  std::vector<std::string> middles_;  // between two stars each
  std::string suffix_;
};

std::size_t count_stars(std::string_view key);

}  // namespace weir::jolt
