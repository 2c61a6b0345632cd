#include "processors/json/json_content.h"

#include <fmt/format.h>

namespace weir::processors {
namespace {

// What one large document needed is not kept for the small ones that follow.
constexpr std::size_t most_kept_bytes = 1024 * 1024;

void shrink(std::string& text) {
  if (text.capacity() > most_kept_bytes) std::string().swap(text);
}

}  // namespace

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
