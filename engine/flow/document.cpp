#include "engine/flow/document.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <unordered_set>

namespace weir::flow {
namespace {

// Far beyond any real flow; keeps recursion and memory bounded whatever a file holds.
constexpr std::size_t deepest = 200;
constexpr std::size_t largest_bytes = 256u << 20;

// NiFi writes a whole flow in one line: columns are counted from the nearest mark.
constexpr std::size_t mark_distance = 1024;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // no UTF-8 continuation byte
}

bool is_gzip(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::expected<std::string, std::string> decompress(std::string_view bytes) {
  z_stream stream{};
  constexpr int gzip_only = 15 + 16;
  if (inflateInit2(&stream, gzip_only) != Z_OK) return std::unexpected("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::string piece(1 << 16, '\0');
  int result = Z_OK;
  while (result == Z_OK && text.size() <= largest_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (text.size() > largest_bytes) return std::unexpected("the unpacked file is too large");
  if (result == Z_BUF_ERROR) return std::unexpected("the gzip file ends too early");
  if (result != Z_STREAM_END) return std::unexpected("the gzip file is damaged");
  return text;
}

// nlohmann's parser says what it read but not where. This follows over the same text: each
// reported token is found again behind the last one.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // The next token's offset; moves behind the token.
  std::uint32_t take() {
    skip_between();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) return static_cast<std::uint32_t>(text_.size());
    const char first = text_[at_++];
    if (first == '"') {
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      ++at_;
    } else if (std::string_view("{}[]").find(first) == std::string_view::npos) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    }
    return static_cast<std::uint32_t>(begin);
  }

 private:
  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == 'E' || c == '+' || c == '-' ||
           c == '.';
  }
  void skip_between() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '/') {
        const bool line = at_ + 1 < text_.size() && text_[at_ + 1] == '/';
        const std::size_t end = line ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + (line ? 1 : 2);
      } else if (std::string_view(" \t\r\n,:").find(c) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, Json& root, Spot& spots)
      : cursor_(text), text_(text), root_(root), spots_(spots) {}

  bool null() override { return value(nullptr); }
  bool boolean(bool given) override { return value(given); }
  bool number_integer(number_integer_t given) override { return value(given); }
  bool number_unsigned(number_unsigned_t given) override { return value(given); }
  bool number_float(number_float_t given, const string_t&) override { return value(given); }
  bool string(string_t& given) override { return value(std::move(given)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    key_ = cursor_.take();
    auto& members = level.json->get_ref<Json::object_t&>();
    if (!level.keys.insert(name).second) {
      duplicates_.push_back({key_, name});
      const auto known = std::ranges::find(members, name, [](const auto& m) { return m.first; });
      level.slot = static_cast<std::size_t>(known - members.begin());
      return true;
    }
    level.slot = members.size();
    members.emplace_back(std::move(name), nullptr);
    level.spot->children.emplace_back();
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    fail(position == 0 ? 0 : position - 1, reason(error.what()));
    return false;
  }

  struct Duplicate {
    std::uint32_t offset;
    std::string name;
  };
  const std::vector<Duplicate>& duplicates() const { return duplicates_; }
  std::size_t error_offset() const { return error_offset_; }
  const std::string& error() const { return error_; }

 private:
  struct Level {
    Json* json;
    Spot* spot;
    std::size_t slot = 0;  // of the member whose name was read last
    std::unordered_set<std::string> keys = {};
  };

  bool value(Json given) {
    place(std::move(given));
    return true;
  }

  std::pair<Json*, Spot*> place(Json given) {
    const std::uint32_t offset = cursor_.take();
    Json* json = &root_;
    Spot* spot = &spots_;
    std::uint32_t key = offset;
    if (!levels_.empty() && levels_.back().json->is_array()) {
      json = &levels_.back().json->get_ref<Json::array_t&>().emplace_back();
      spot = &levels_.back().spot->children.emplace_back();
    } else if (!levels_.empty()) {
      const Level& level = levels_.back();
      json = &level.json->get_ref<Json::object_t&>()
                  .begin()[static_cast<std::ptrdiff_t>(level.slot)]
                  .second;
      spot = &level.spot->children[level.slot];
      key = key_;
    }
    *json = std::move(given);
    *spot = Spot{key, offset, {}};
    return {json, spot};
  }

  bool open(Json given) {
    const auto [json, spot] = place(std::move(given));
    if (levels_.size() >= deepest) {
      fail(spot->value, fmt::format("nested more than {} levels deep", deepest));
      return false;
    }
    levels_.push_back(Level{json, spot});
    return true;
  }

  bool close() {
    cursor_.take();
    levels_.pop_back();
    return true;
  }

  void fail(std::size_t offset, std::string message) {
    error_offset_ = std::min(offset, text_.size());
    error_ = std::move(message);
    const char at = error_offset_ < text_.size() ? text_[error_offset_] : '\0';
    if (at != '}' && at != ']') return;
    const std::size_t before = text_.find_last_not_of(" \t\r\n", error_offset_ - 1);
    if (error_offset_ > 0 && before != std::string_view::npos && text_[before] == ',') {
      error_ = fmt::format("a comma before '{}': JSON takes none behind the last one", at);
      error_offset_ = before;
    }
  }

  // nlohmann's text without its number, its own idea of the place, and the bytes it read.
  static std::string reason(std::string_view text) {
    const std::size_t begin = text.find("syntax error while parsing ");
    if (begin == std::string_view::npos) return "a number is out of range";
    text.remove_prefix(begin);
    const std::size_t last_read = text.find("; last read: '");
    if (last_read == std::string_view::npos) return std::string(text);
    const std::size_t expected = text.rfind("; expected ");
    std::string kept(text.substr(0, last_read));
    if (expected != std::string_view::npos && expected > last_read) kept += text.substr(expected);
    return kept;
  }

  Cursor cursor_;
  std::string_view text_;
  Json& root_;
  Spot& spots_;
  std::vector<Level> levels_;
  std::uint32_t key_ = 0;
  std::vector<Duplicate> duplicates_;
  std::size_t error_offset_ = 0;
  std::string error_;
};

Problem file_problem(const std::string& file, Place place, std::string message) {
  Problem problem;
  problem.file = file;
  problem.place = place;
  problem.message = std::move(message);
  return problem;
}

}  // namespace

std::expected<Document, Problem> Document::parse(std::string_view bytes, const std::string& file,
                                                 std::vector<Problem>& problems) {
  Document document;
  if (bytes.size() > largest_bytes) {
    return std::unexpected(file_problem(file, {1, 1}, "the file is too large for a flow"));
  }
  if (is_gzip(bytes)) {
    auto text = decompress(bytes);
    if (!text) return std::unexpected(file_problem(file, {1, 1}, text.error()));
    document.text_ = std::move(*text);
  } else {
    document.text_ = bytes;
  }
  if (document.text_.starts_with("\xEF\xBB\xBF")) document.text_.erase(0, 3);
  document.index_text();
  if (document.text_.find_first_not_of(" \t\r\n") == std::string::npos) {
    return std::unexpected(file_problem(file, {1, 1}, "the file is empty"));
  }
  auto root = std::make_shared<Json>();
  Builder builder(document.text_, *root, document.spots_);
  const bool parsed =
      Json::sax_parse(document.text_, &builder, nlohmann::json::input_format_t::json, true, true);
  for (const auto& duplicate : builder.duplicates()) {
    problems.push_back(file_problem(file, document.place(duplicate.offset),
                                    fmt::format("'{}' is given twice", duplicate.name)));
  }
  if (!parsed) {
    const auto offset = static_cast<std::uint32_t>(builder.error_offset());
    return std::unexpected(file_problem(file, document.place(offset), builder.error()));
  }
  document.root_ = std::move(root);
  return document;
}

void Document::index_text() {
  line_starts_.push_back(0);
  std::uint32_t characters = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i % mark_distance == 0) characters_.push_back(characters);
    if (begins_character(text_[i])) ++characters;
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
  if (characters_.empty()) characters_.push_back(0);
}

std::size_t Document::characters_before(std::size_t offset) const {
  const std::size_t mark = std::min(offset / mark_distance, characters_.size() - 1);
  std::size_t characters = characters_[mark];
  for (std::size_t i = mark * mark_distance; i < offset && i < text_.size(); ++i) {
    if (begins_character(text_[i])) ++characters;
  }
  return characters;
}

Place Document::place(std::uint32_t offset) const {
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  const auto line = static_cast<std::size_t>(after - line_starts_.begin());
  const std::size_t column = characters_before(offset) - characters_before(line_starts_[line - 1]);
  return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column + 1)};
}

std::optional<Node> Node::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  std::size_t index = 0;
  for (const auto& [name, value] : json_->get_ref<const Json::object_t&>()) {
    if (name == key) return child(index, value);
    ++index;
  }
  return std::nullopt;
}

std::optional<Node> Node::get(std::string_view key) const {
  auto node = find(key);
  if (node && node->is_null()) return std::nullopt;
  return node;
}

std::vector<Node> Node::elements() const {
  std::vector<Node> nodes;
  if (!is_array()) return nodes;
  for (std::size_t i = 0; i < json_->size(); ++i) nodes.push_back(child(i, (*json_)[i]));
  return nodes;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> nodes;
  if (!is_object()) return nodes;
  for (const auto& [name, value] : json_->get_ref<const Json::object_t&>()) {
    nodes.emplace_back(name, child(nodes.size(), value));
  }
  return nodes;
}

Source Node::source() const {
  if (!document_) return std::make_shared<Json>(*json_);
  return {document_->root(), json_};
}

}  // namespace weir::flow
