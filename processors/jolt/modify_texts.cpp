#include <array>
#include <utility>

#include "engine/json/write.h"
#include "engine/text/java_case.h"
#include "engine/text/utf16.h"
#include "processors/jolt/modify_functions.h"

// Functions of texts.
namespace weir::jolt {
namespace {

Value made(const Call& call, std::string_view text) {
  return Value::string(text, call.arena);
}

template <auto convert>
Result each_text(const Call& call) {
  return over_each(call, [](const Call& inner, const Value& value) -> Result {
    if (!value.is_string()) return std::nullopt;
    return made(inner, convert(value.as_text()));
  });
}

Result concat(const Call& call) {
  return over_list(
      call,
      [](const Call& inner, std::span<const Value> items) -> Result {
        std::string text;
        for (const Value& item : items) {
          if (!item.is_null()) json::append_java_text(item, text);
        }
        return made(inner, text);
      },
      nullptr);
}

Result substring(const Call& call) {
  return over_list(
      call,
      [](const Call& inner, std::span<const Value> items) -> Result {
        if (items.size() != 3 || !items[0].is_string()) return std::nullopt;
        if (!is_integer(items[1]) || !is_integer(items[2])) return std::nullopt;
        const std::int64_t begin = items[1].as_integer();
        const std::int64_t end = items[2].as_integer();
        if (begin >= end || begin < 0) return std::nullopt;
        const auto part = text::substring(items[0].as_text(), begin, end);
        return part ? Result(made(inner, *part)) : std::nullopt;
      },
      nullptr);
}

// A separator follows each text that is not the last argument, as Jolt has it: an empty last one
// leaves it there.
Result join(const Call& call) {
  const auto parts = driven(call);
  if (!parts || !parts->first.is_string()) return std::nullopt;
  if (!parts->rest_is_list && parts->rest.size() == 1) return std::nullopt;
  std::string text;
  for (std::size_t index = 0; index < parts->rest.size(); ++index) {
    const Value& item = parts->rest[index];
    if (item.is_null() || (item.is_string() && item.as_text().empty())) continue;
    json::append_java_text(item, text);
    if (index + 1 < parts->rest.size()) text += parts->first.as_text();
  }
  return made(call, text);
}

// String.split: no empty texts at the end, none before a match of nothing at the beginning.
Value split_text(const Call& call, const Pattern& separator, std::string_view text) {
  std::vector<std::string_view> pieces;
  Match match;
  std::size_t from = 0;
  for (bool found = separator.find(text, 0, match); found;
       found = separator.find_next(text, match)) {
    if (match.end() == 0) continue;
    pieces.push_back(text.substr(from, match.start() - from));
    from = match.end();
  }
  if (pieces.empty()) {
    pieces.push_back(text);
  } else {
    pieces.push_back(text.substr(from));
    while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  }
  Value out = Value::array(call.arena, pieces.size());
  for (const std::string_view piece : pieces) out.push_back(call.arena, made(call, piece));
  return out;
}

Result split(const Call& call) {
  const auto parts = driven(call);
  if (!parts || !parts->first.is_string()) return std::nullopt;
  std::optional<Pattern> compiled;
  const Pattern* separator = call.separator;
  if (!separator) {
    auto made_now = Pattern::compile(parts->first.as_text());
    if (!made_now) return std::nullopt;
    compiled = std::move(*made_now);
    separator = &*compiled;
  }
  const auto split_one = [&](const Value& value) -> Result {
    if (!value.is_string()) return std::nullopt;
    return split_text(call, *separator, value.as_text());
  };
  if (!parts->rest_is_list && parts->rest.size() == 1) return split_one(parts->rest.front());
  Value out = Value::array(call.arena, parts->rest.size());
  for (const Value& item : parts->rest) out.push_back(call.arena, split_one(item).value_or(item));
  return out;
}

Result pad(const Call& call, bool left) {
  constexpr std::int64_t widest = 500;
  const auto parts = driven(call);
  if (!parts || !parts->first.is_string() || parts->rest.size() < 2) return std::nullopt;
  const Value& width = parts->rest[0];
  const Value& filler = parts->rest[1];
  if (!is_integer(width) || !filler.is_string()) return std::nullopt;
  if (width.as_integer() <= 0 || width.as_integer() > widest) return std::nullopt;
  if (text::utf16_length(filler.as_text()) != 1) return std::nullopt;
  const std::string_view source = parts->first.as_text();
  const auto length = static_cast<std::int64_t>(text::utf16_length(source));
  std::string padding;
  for (std::int64_t at = length; at < width.as_integer(); ++at) padding += filler.as_text();
  return made(call, left ? padding + std::string(source) : std::string(source) + padding);
}

constexpr std::array<std::pair<std::string_view, Function>, 9> functions = {{
    {"toLower", each_text<text::to_lower>},
    {"toUpper", each_text<text::to_upper>},
    {"trim", each_text<text::trim>},
    {"concat", concat},
    {"substring", substring},
    {"join", join},
    {"split", split},
    {"leftPad", [](const Call& call) { return pad(call, true); }},
    {"rightPad", [](const Call& call) { return pad(call, false); }},
}};

}  // namespace

Function find_text_function(std::string_view name) {
  for (const auto& [known, function] : functions) {
    if (known == name) return function;
  }
  return nullptr;
}

}  // namespace weir::jolt
