#include "tools/flow_test/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/api/pattern.h"
#include "tools/common/text.h"
#include "tools/flow_test/json_content.h"
#include "tools/flow_test/text_syntax.h"

namespace weir::flow_test {
namespace {

constexpr std::size_t kShownBytes = 200;
constexpr std::size_t kAround = 60;  // bytes shown on both sides of a difference
constexpr std::size_t kListed = 10;  // FlowFiles shown of what is there
// Beyond so many comparisons FlowFiles in any order are matched one by one.
constexpr std::size_t kMostPairs = 4'000'000;

std::string expanded(std::string text, const std::string& folder) {
  replace_all(text, "{{dir}}", folder);
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    result += tools::printable(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    result += "\\n";
    rest.remove_prefix(end + 1);
  }
  return result;
}

// A piece of a long text around a place.
std::string excerpt(std::string_view text, std::size_t at) {
  if (text.size() <= 2 * kAround) return shown(text);
  const std::size_t from = at > kAround ? at - kAround : 0;
  const std::string_view piece = text.substr(from, 2 * kAround);
  return fmt::format("{}\"{}\"{}", from == 0 ? "" : "...", escaped(piece),
                     from + piece.size() < text.size() ? "..." : "");
}

std::optional<Difference> compare_bytes(const std::string& expected, const std::string& got) {
  if (expected == got) return std::nullopt;
  const auto [e, g] = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end());
  const auto at = static_cast<std::size_t>(e - expected.begin());
  Difference difference;
  difference.message = "its content is another one";
  if (std::max(expected.size(), got.size()) > 2 * kAround) {
    const auto line = 1 + std::count(expected.begin(), e, '\n');
    difference.message += fmt::format(", from byte {} (line {}) on; {} bytes expected, {} there",
                                      at + 1, line, expected.size(), got.size());
  }
  difference.expected = excerpt(expected, at);
  difference.got = excerpt(got, at);
  return difference;
}

std::optional<Difference> compare_json(const std::string& expected, const std::string& got) {
  const auto found = parse_json(got);
  if (!found) {
    return Difference{0, "its content is no JSON: " + found.error(), shown(expected), shown(got)};
  }
  const std::string difference = json_difference(*parse_json(expected), *found);
  if (difference.empty()) return std::nullopt;
  return Difference{0, "its JSON differs " + difference, shown(expected), shown(got)};
}

std::optional<Difference> compare_content(const FlowFileText& expected, const std::string& got,
                                          const std::string& folder) {
  if (expected.content) {
    const std::string content = expanded(*expected.content, folder);
    auto difference = expected.json ? compare_json(content, got) : compare_bytes(content, got);
    if (difference) return difference;
  }
  if (expected.content_pattern) {
    const std::string pattern = expanded(*expected.content_pattern, folder);
    if (!pattern_matches(pattern, got, true)) {
      return Difference{0, "its content does not match", "/" + pattern + "/", shown(got)};
    }
  }
  for (const std::string& piece : expected.contained) {
    const std::string text = expanded(piece, folder);
    if (!got.contains(text)) {
      return Difference{0, "its content does not contain", shown(text), shown(got)};
    }
  }
  if (expected.size_bytes && got.size() != *expected.size_bytes) {
    return Difference{0, "its content has another size",
                      fmt::format("{} bytes", *expected.size_bytes),
                      fmt::format("{} bytes", got.size())};
  }
  return std::nullopt;
}

std::optional<Difference> compare_one(const FlowFileText& expected, const Seen& seen,
                                      const std::string& folder) {
  if (auto difference = compare_content(expected, seen.content, folder)) return difference;
  for (const auto& [name, given] : expected.attributes) {
    const std::string value = expanded(given.text, folder);
    const std::string* const is = seen.attributes->find(name);
    const bool same =
        is != nullptr && (given.pattern ? pattern_matches(value, *is, true) : *is == value);
    if (same) continue;
    return Difference{0,
                      fmt::format("its attribute {}{}", tools::printable(name),
                                  is == nullptr   ? " is missing"
                                  : given.pattern ? " does not match"
                                                  : " is another one"),
                      given.pattern ? "/" + value + "/" : shown(value),
                      is == nullptr ? "no such attribute" : shown(*is)};
  }
  for (const std::string& name : expected.absent) {
    if (const auto* is = seen.attributes->find(name)) {
      return Difference{0, fmt::format("it has an attribute {}", tools::printable(name)), "none",
                        shown(*is)};
    }
  }
  return std::nullopt;
}

std::string counted(std::size_t count) {
  return count == 1 ? "1 FlowFile" : fmt::format("{} FlowFiles", count);
}

std::string listed(const std::vector<Seen>& seen) {
  std::string text = counted(seen.size());
  for (std::size_t i = 0; i < std::min(seen.size(), kListed); ++i) {
    const std::string* const name = seen[i].attributes->find("filename");
    text += fmt::format("\n{}. {}{}", i + 1, excerpt(seen[i].content, 0),
                        name == nullptr ? "" : "  filename = " + tools::printable(*name));
  }
  if (seen.size() > kListed) text += "\n...";
  return text;
}

std::vector<FlowFileText> all_of(const Step& step) {
  std::vector<FlowFileText> all;
  for (const FlowFileText& one : step.flow_files) {
    for (std::uint64_t number = 1; number <= one.times; ++number)
      all.push_back(one.numbered(number));
  }
  return all;
}

// Finds for each expected FlowFile one of its own: bipartite matching by augmenting paths.
class Matching {
 public:
  Matching(const std::vector<FlowFileText>& expected, const std::vector<Seen>& seen,
           const std::string& folder)
      : expected_(expected), seen_(seen), folder_(folder), taken_(seen.size(), kNone) {}

  // The first expected one for which there is none left.
  const FlowFileText* unmatched() {
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      std::vector<bool> tried(seen_.size(), false);
      if (!place(i, tried, 0)) return &expected_[i];
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  static constexpr int kMostDepth = 1000;

  bool place(std::size_t wanted, std::vector<bool>& tried, int depth) {
    if (depth > kMostDepth) return false;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (tried[i] || compare_one(expected_[wanted], seen_[i], folder_)) continue;
      tried[i] = true;
      if (taken_[i] != kNone && !place(taken_[i], tried, depth + 1)) continue;
      taken_[i] = wanted;
      return true;
    }
    return false;
  }

  const std::vector<FlowFileText>& expected_;
  const std::vector<Seen>& seen_;
  const std::string& folder_;
  std::vector<std::size_t> taken_;
};

std::optional<Difference> compare_any_order(const Step& step, const std::vector<Seen>& seen,
                                            const std::string& folder) {
  const std::vector<FlowFileText> all = all_of(step);
  if (all.size() != seen.size()) {
    return Difference{step.line, fmt::format("{}: another number of FlowFiles", step.target),
                      counted(all.size()), listed(seen)};
  }
  if (all.size() > kMostPairs / std::max<std::size_t>(seen.size(), 1)) {
    return Difference{step.line, "too many FlowFiles to compare in any order", {}, {}};
  }
  const FlowFileText* const missing = Matching(all, seen, folder).unmatched();
  if (missing == nullptr) return std::nullopt;
  return Difference{missing->line, fmt::format("{}: no FlowFile is like this one", step.target),
                    "one as the test says in this line", listed(seen)};
}

}  // namespace

std::string shown(std::string_view text) {
  const std::string quoted = "\"" + escaped(text.substr(0, kShownBytes)) + "\"";
  if (text.size() <= kShownBytes) return quoted;
  return fmt::format("{}... ({} bytes)", quoted, text.size());
}

bool pattern_matches(const std::string& pattern, std::string_view text, bool whole) {
  const auto compiled = Pattern::compile(pattern);
  if (!compiled) throw SyntaxError{compiled.error()};
  return whole ? compiled->matches(text) : compiled->contains(text);
}

std::optional<Difference> compare_flow_files(const Step& step, const std::vector<Seen>& seen,
                                             const std::string& folder) {
  if (step.any_order) return compare_any_order(step, seen, folder);
  std::uint64_t wanted = 0;
  for (const FlowFileText& one : step.flow_files) wanted += one.times;
  std::size_t at = 0;
  for (const FlowFileText& expected : step.flow_files) {
    for (std::uint64_t number = 1; number <= expected.times && at < seen.size(); ++number, ++at) {
      auto difference = compare_one(expected.numbered(number), seen[at], folder);
      if (!difference) continue;
      difference->line = expected.line;
      difference->message = fmt::format("{}: FlowFile {} of {}: {}", step.target, at + 1,
                                        seen.size(), difference->message);
      return difference;
    }
  }
  if (wanted == seen.size()) return std::nullopt;
  return Difference{step.line, fmt::format("{}: another number of FlowFiles", step.target),
                    counted(wanted), listed(seen)};
}

}  // namespace weir::flow_test
