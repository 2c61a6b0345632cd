#include "tests/flows/flow_test.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/api/units.h"

namespace weir::flows {
namespace {

struct SyntaxError {
  std::string what;
};

std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

// The first word; `text` keeps the rest.
std::string_view take_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw SyntaxError{fmt::format("'{}' is not a whole number", text)};
  }
  return value;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw SyntaxError{"\\x needs two hexadecimal digits in small letters"};
}

std::string unescape(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      result += text[at];
      continue;
    }
    if (++at == text.size()) throw SyntaxError{"a \\ at the end of a line stands for nothing"};
    switch (text[at]) {
      case 'n':
        result += '\n';
        break;
      case 'r':
        result += '\r';
        break;
      case 't':
        result += '\t';
        break;
      case 's':
        result += ' ';
        break;
      case '\\':
        result += '\\';
        break;
      case 'x':
        if (at + 2 >= text.size()) throw SyntaxError{"\\x needs two hexadecimal digits"};
        result += static_cast<char>(hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2]));
        at += 2;
        break;
      default:
        throw SyntaxError{fmt::format("\\{} is unknown", text[at])};
    }
  }
  return result;
}

std::string decode_base64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw SyntaxError{"this is not base64"};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    result += static_cast<char>(bits >> count & 0xFF);
  }
  return result;
}

bool is_pattern(std::string_view text) {
  return text.size() >= 2 && text.front() == '/' && text.back() == '/';
}
std::string pattern_of(std::string_view text) {
  if (!is_pattern(text)) throw SyntaxError{"a pattern stands between slashes: /.../"};
  return std::string(text.substr(1, text.size() - 2));
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  FlowTest run() {
    while (next_line()) {
      const auto line = trim(line_text_);
      if (line.empty() || line.front() == '#') continue;
      line_text_.front() == ' ' ? flow_file_line(line) : statement(line);
    }
    if (test_.flow.empty()) throw SyntaxError{"there is no flow"};
    return std::move(test_);
  }
  int line() const { return line_; }

 private:
  bool next_line() {
    if (rest_.empty()) return false;
    const auto end = std::min(rest_.find('\n'), rest_.size());
    line_text_ = rest_.substr(0, end);
    rest_ = rest_.substr(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }

  void flow() {
    if (!test_.flow.empty()) throw SyntaxError{"a test has one flow"};
    test_.flow_line = line_ + 1;
    while (next_line()) {
      if (trim(line_text_) == "end") return;
      test_.flow += std::string(line_text_) + "\n";
    }
    throw SyntaxError{"the flow has no end"};
  }

  Step& add(Step::Kind kind, std::string_view target = {}) {
    Step step;
    step.kind = kind;
    step.line = line_;
    step.target = target;
    test_.steps.push_back(std::move(step));
    return test_.steps.back();
  }

  void statement(std::string_view text) {
    const auto word = take_word(text);
    takes_flow_files_ = false;
    if (word == "flow") {
      flow();
    } else if (word == "property") {
      test_.properties += std::string(text) + "\n";
    } else if (word == "send") {
      add(Step::Kind::send, text);
      takes_flow_files_ = true;
    } else if (word == "run") {
      const auto duration = parse_duration(text.empty() ? "1 sec" : text);
      if (!duration) throw SyntaxError{duration.error()};
      add(Step::Kind::run).duration = *duration;
    } else if (word == "restart") {
      add(Step::Kind::restart);
    } else if (word == "start") {
      add(Step::Kind::start, text);
    } else if (word == "stop") {
      add(Step::Kind::stop, text);
    } else if (word == "file") {
      const auto name = take_word(text);
      add(Step::Kind::write_file, name).text = unescape(text);
    } else if (word == "expect") {
      expectation(text);
    } else {
      throw SyntaxError{fmt::format("'{}' is no statement", word)};
    }
  }

  void expectation(std::string_view text) {
    std::string_view rest = text;
    const auto word = take_word(rest);
    if (word == "count") {
      const auto at = rest.rfind(' ');
      if (at == std::string_view::npos) throw SyntaxError{"expect count CONNECTION NUMBER"};
      add(Step::Kind::expect_count, trim(rest.substr(0, at))).count = number(rest.substr(at + 1));
    } else if (word == "bulletin") {
      add(Step::Kind::expect_bulletin).text = pattern_of(rest);
    } else if (word == "provenance") {
      Step& step = add(Step::Kind::expect_provenance);
      while (!rest.empty()) {
        const auto event = take_word(rest);
        const auto star = event.find('*');
        step.events.emplace_back(event.substr(0, star), star == std::string_view::npos
                                                            ? 1
                                                            : number(event.substr(star + 1)));
      }
    } else if (word == "file") {
      const auto name = take_word(rest);
      add(Step::Kind::expect_file, name).text = unescape(rest);
    } else if (word == "no") {
      const auto what = take_word(rest);
      if (what != "bulletin" && what != "file") throw SyntaxError{"expect no bulletin, or no file"};
      add(what == "file" ? Step::Kind::expect_no_file : Step::Kind::expect_no_bulletin, rest);
    } else {
      add(Step::Kind::expect_flow_files, text);
      takes_flow_files_ = true;
    }
  }

  void flow_file_line(std::string_view text) {
    if (!takes_flow_files_) throw SyntaxError{"nothing above takes FlowFiles"};
    auto& flow_files = test_.steps.back().flow_files;
    if (text.front() == '-') {
      flow_files.emplace_back().line = line_;
      text = trim(text.substr(1));
      if (text.empty()) return;
    }
    if (flow_files.empty()) throw SyntaxError{"a FlowFile begins with -"};
    FlowFileText& flow_file = flow_files.back();
    const std::string_view whole = text;
    const auto word = take_word(text);
    if (text.starts_with("= ") || text == "=") {
      flow_file.attributes.emplace_back(word, unescape(trim(text.substr(1))));
    } else if (text == "absent") {
      flow_file.absent.emplace_back(word);
    } else if (word == "times") {
      flow_file.times = number(text);
    } else if (word == "size") {
      flow_file.size_bytes = number(text);
    } else if (word == "empty") {
      flow_file.content = "";
    } else if (word == "text") {
      flow_file.content = unescape(text);
    } else if (word == "base64") {
      flow_file.content = decode_base64(text);
    } else if (word == "repeat") {
      const auto count = number(take_word(text));
      std::string& content = flow_file.content.emplace();
      const auto piece = unescape(text);
      for (std::uint64_t i = 0; i < count; ++i) content += piece;
    } else if (word == "matches") {
      flow_file.content_pattern = pattern_of(text);
    } else {
      throw SyntaxError{fmt::format("'{}' tells nothing of a FlowFile", whole)};
    }
  }

  std::string_view rest_;
  std::string_view line_text_;
  int line_ = 0;
  bool takes_flow_files_ = false;
  FlowTest test_;
};

}  // namespace

FlowFileText FlowFileText::numbered(std::uint64_t number) const {
  FlowFileText made = *this;
  const std::string text = std::to_string(number);
  if (made.content) replace_all(*made.content, "{{n}}", text);
  if (made.content_pattern) replace_all(*made.content_pattern, "{{n}}", text);
  for (auto& [name, value] : made.attributes) replace_all(value, "{{n}}", text);
  return made;
}

std::expected<FlowTest, std::string> parse_flow_test(std::string_view text) {
  Parser parser(text);
  try {
    return parser.run();
  } catch (const SyntaxError& error) {
    return std::unexpected(fmt::format("{}: {}", parser.line(), error.what));
  }
}

}  // namespace weir::flows
