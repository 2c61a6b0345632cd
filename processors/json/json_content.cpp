#include "processors/json/json_content.h"

#include <fmt/format.h>

#include "engine/json/write.h"

namespace weir::processors {
namespace {

// What one large document needed is not kept for the small ones that follow.
constexpr std::size_t most_kept_bytes = 1024 * 1024;

void shrink(std::string& text) {
  if (text.capacity() > most_kept_bytes) std::string().swap(text);
}

}  // namespace

const PropertyDescriptor& null_value_representation() {
  static const PropertyDescriptor descriptor{
      .name = "Null Value Representation",
      .description = "What is written for a result that is null.",
      .default_value = "empty string",
      .required = true,
      .allowable_values = {{"empty string"}, {"the string 'null'"}}};
  return descriptor;
}

const PropertyDescriptor& max_string_length() {
  static const PropertyDescriptor descriptor{
      .name = "Max String Length",
      .description = "A document with a longer string is not read, so that memory stays bounded.",
      .default_value = "20 MB",
      .required = true,
      .validator = validators::data_size()};
  return descriptor;
}

Validator json_path_validator() {
  return [](std::string_view value) -> std::optional<std::string> {
    const auto path = json::JsonPath::compile(value);
    if (path) return std::nullopt;
    return fmt::format("is no JSONPath: {} at character {}", path.error().message,
                       path.error().offset + 1);
  };
}

std::string_view null_text(const PropertyContext& context) {
  return context.property(null_value_representation()).text() == "empty string" ? "" : "null";
}

json::ParseOptions parse_options(const PropertyContext& context) {
  return {.longest_string_bytes = context.property(max_string_length()).data_size()};
}

json::JsonPath compile_path(std::string_view text) {
  auto path = json::JsonPath::compile(text);
  if (!path)
    throw ProcessException(fmt::format("{} is no JSONPath: {}", text, path.error().message));
  return *std::move(path);
}

void append_result(const json::Value& result, std::string_view null_text, std::string& out) {
  if (result.is_null()) {
    out += null_text;
  } else if (result.is_container()) {
    json::write(result, out);
  } else {
    json::append_java_text(result, out);
  }
}

JsonScratchPool::Lease JsonScratchPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<JsonScratch> scratch = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(scratch)};
    }
  }
  return {*this, std::make_unique<JsonScratch>()};
}

void JsonScratchPool::give_back(std::unique_ptr<JsonScratch> scratch) {
  shrink(scratch->content);
  shrink(scratch->text);
  for (auto& [name, value] : scratch->attributes) shrink(value);
  scratch->arena.clear();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(scratch));
}

std::expected<void, std::string> read_content(ProcessSession& session, const FlowFile& flow_file,
                                              std::string& content) {
  const std::uint64_t size = flow_file.size();
  if (size > most_json_bytes) {
    return std::unexpected(
        fmt::format("the content has {} bytes, more than {}", size, most_json_bytes));
  }
  content.resize(size);
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  content.resize(in->read_fully(std::as_writable_bytes(std::span(content.data(), size))));
  return {};
}

std::expected<json::Value, std::string> read_json(ProcessSession& session,
                                                  const FlowFile& flow_file, JsonScratch& scratch,
                                                  const json::ParseOptions& options) {
  if (auto read = read_content(session, flow_file, scratch.content); !read) {
    return std::unexpected(read.error());
  }
  scratch.arena.clear();
  auto root = json::parse(scratch.content, scratch.arena, options);
  if (!root) return std::unexpected(root.error().describe());
  return *root;
}

}  // namespace weir::processors
