#include "engine/json/literal.h"

#include <string>

#include "engine/json/parse.h"
#include "engine/json/path_compiler.h"

namespace weir::json {
namespace {

class LiteralReader {
 public:
  LiteralReader(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}

  std::optional<Value> read() {
    const auto value = read_value();
    skip_space();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  static constexpr int most_nesting = 200;

  char current() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }

  std::optional<Value> read_value() {
    skip_space();
    switch (current()) {
      case '[':
        return read_array();
      case '{':
        return read_object();
      case '\'':
      case '"':
        return read_quoted();
      default:
        return read_word();
    }
  }

  std::optional<Value> read_array() {
    if (++nesting_ > most_nesting) return std::nullopt;
    Value made = Value::array(arena_);
    for (++at_;;) {
      skip_space();
      if (current() == ',') {
        ++at_;
        continue;
      }
      if (current() == ']') break;
      const auto item = at_ < text_.size() ? read_value() : std::nullopt;
      if (!item) return std::nullopt;
      made.push_back(arena_, *item);
      skip_space();
      if (current() != ',' && current() != ']') return std::nullopt;
    }
    ++at_;
    --nesting_;
    return made;
  }

  std::optional<Value> read_object() {
    if (++nesting_ > most_nesting) return std::nullopt;
    Value made = Value::object(arena_);
    for (++at_;;) {
      skip_space();
      if (current() == ',') {
        ++at_;
        continue;
      }
      if (current() == '}') break;
      const bool is_quoted = current() == '\'' || current() == '"';
      const auto name = is_quoted ? read_quoted() : read_bare(":");
      skip_space();
      if (!name || current() != ':') return std::nullopt;
      ++at_;
      const auto value = read_value();
      if (!value) return std::nullopt;
      made.set(arena_, name->as_text(), *value);
      skip_space();
      if (current() != ',' && current() != '}') return std::nullopt;
    }
    ++at_;
    --nesting_;
    return made;
  }

  std::optional<Value> read_quoted() {
    const std::size_t begin = at_;
    const std::size_t end = PathCursor(text_).find_unescaped(begin, text_[begin]);
    if (end == PathCursor::none) return std::nullopt;
    at_ = end + 1;
    std::string unescaped;
    if (!unescape(text_.substr(begin + 1, end - begin - 1), unescaped)) return std::nullopt;
    return Value::string(unescaped, arena_);
  }

  std::optional<Value> read_bare(std::string_view ends) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends.contains(text_[at_])) ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    word = word.substr(0, word.find_last_not_of(" \t\r\n") + 1);
    if (word.empty()) return std::nullopt;
    return Value::string(word);
  }

  std::optional<Value> read_word() {
    const auto word = read_bare(",]}");
    if (!word) return std::nullopt;
    const auto value = parse(word->as_text(), arena_, {.whole_text = true});
    return value ? *value : *word;
  }

  std::string_view text_;
  Arena& arena_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

std::optional<Value> parse_literal(std::string_view text, Arena& arena) {
  return LiteralReader(text, arena).read();
}

}  // namespace weir::json
