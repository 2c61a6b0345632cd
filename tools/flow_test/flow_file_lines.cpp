#include "tools/flow_test/flow_file_lines.h"

#include <fmt/format.h>

#include "engine/api/units.h"
#include "repositories/storage/error.h"
#include "tools/common/config_option.h"
#include "tools/flow_test/text_syntax.h"

namespace weir::flow_test {
namespace {

constexpr std::uint64_t kMostContentBytes = 1 << 30;
constexpr std::uint64_t kMostFlowFiles = 10'000'000;

const std::vector<std::string>& words() {
  static const std::vector<std::string> kWords = {"text", "base64",       "empty",   "repeat",
                                                  "json", "content-file", "matches", "contains",
                                                  "size", "times",        "to"};
  return kWords;
}

// A pattern in which {{n}} and {{dir}} still stand.
std::string pattern_with_variables(std::string_view text) {
  std::string tried(text);
  replace_all(tried, "{{n}}", "1");
  replace_all(tried, "{{dir}}", "d");
  compiled_pattern(tried);
  return std::string(text.substr(1, text.size() - 2));
}

}  // namespace

void FlowFileLines::begin(Use use, std::vector<FlowFileText>& into) {
  use_ = use;
  flow_files_ = &into;
  block_ = false;
}

void FlowFileLines::add(std::string_view raw, int line) {
  if (use_ == Use::none)
    throw SyntaxError{"nothing above takes FlowFiles; statements begin a line"};
  std::string_view text = trim(raw);
  if (text.front() == '-' && (text.size() == 1 || text[1] == ' ')) {
    flow_files_->emplace_back().line = line;
    block_ = false;
    raw = raw.substr(raw.find('-') + 1);
    text = trim(raw);
    if (text.empty()) return;
  }
  if (flow_files_->empty()) throw SyntaxError{"a FlowFile begins with -"};
  if (text.front() == '|') return add_block_line(raw);
  block_ = false;
  const std::string_view whole = text;
  const Word word = take_word(text);
  if (text == "=" || text.starts_with("= ")) return add_attribute(word.text, trim(text.substr(1)));
  if (text == "absent" && use_ == Use::expected) {
    flow_files_->back().absent.push_back(word.text);
    return;
  }
  if (!word.quoted && (add_content(word.text, text) || add_expectation(word.text, text))) return;
  throw SyntaxError{fmt::format("'{}' tells nothing of a FlowFile", whole),
                    nearest_name(word.text, words())};
}

void FlowFileLines::add_block_line(std::string_view raw) {
  FlowFileText& flow_file = flow_files_->back();
  if (!block_) {
    if (!flow_file.json || !flow_file.content->empty()) set_content("");
    block_ = true;
  }
  raw.remove_prefix(raw.find('|') + 1);
  if (raw.starts_with(' ')) raw.remove_prefix(1);
  if (raw.ends_with('\r')) raw.remove_suffix(1);
  *flow_file.content += raw;
  *flow_file.content += '\n';
}

void FlowFileLines::set_content(std::string content) {
  FlowFileText& flow_file = flow_files_->back();
  if (flow_file.content) throw SyntaxError{"the FlowFile has a content already"};
  flow_file.content = std::move(content);
}

bool FlowFileLines::add_content(std::string_view word, std::string_view rest) {
  FlowFileText& flow_file = flow_files_->back();
  if (word == "empty" && rest.empty()) {
    set_content("");
  } else if (word == "text") {
    set_content(unescape(rest));
  } else if (word == "base64") {
    set_content(decode_base64(rest));
  } else if (word == "json") {
    set_content(std::string(rest));
    flow_file.json = true;
  } else if (word == "repeat") {
    const auto count = whole_number(take_word(rest).text);
    const std::string piece = unescape(rest);
    if (!piece.empty() && count > kMostContentBytes / piece.size()) {
      throw SyntaxError{"a content has at most 1 GB"};
    }
    std::string content;
    content.reserve(count * piece.size());
    for (std::uint64_t i = 0; i < count && !piece.empty(); ++i) content += piece;
    set_content(std::move(content));
  } else if (word == "content-file") {
    const Word name = take_word(rest);
    try {
      set_content(tools::read_whole_file((folder_ / name.text).string()));
    } catch (const storage::IoError& error) {
      throw SyntaxError{error.what()};
    }
  } else if (word == "times") {
    flow_file.times = whole_number(rest);
    if (flow_file.times > kMostFlowFiles) throw SyntaxError{"at most 10 million times"};
  } else if (word == "to" && use_ == Use::sent_on_by_sink) {
    flow_file.relationship = take_word(rest).text;
  } else {
    return false;
  }
  return true;
}

bool FlowFileLines::add_expectation(std::string_view word, std::string_view rest) {
  if (word != "matches" && word != "contains" && word != "size") return false;
  if (use_ != Use::expected) {
    throw SyntaxError{fmt::format("'{}' is only for FlowFiles that are expected", word)};
  }
  FlowFileText& flow_file = flow_files_->back();
  if (word == "matches") {
    if (!is_pattern(rest)) throw SyntaxError{"a pattern stands between slashes: /.../"};
    flow_file.content_pattern = pattern_with_variables(rest);
  } else if (word == "contains") {
    flow_file.contained.push_back(unescape(rest));
  } else {
    flow_file.size_bytes = whole_number(rest);
  }
  return true;
}

void FlowFileLines::add_attribute(const std::string& name, std::string_view value) {
  ExpectedValue expected;
  expected.pattern = use_ == Use::expected && is_pattern(value);
  expected.text = expected.pattern ? pattern_with_variables(value) : unescape(value);
  flow_files_->back().attributes.emplace_back(name, std::move(expected));
}

}  // namespace weir::flow_test
