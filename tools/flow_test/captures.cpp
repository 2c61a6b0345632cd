#include "tools/flow_test/captures.h"

namespace weir::flow_test {

std::string read_content(content::ContentRepository& contents,
                         const flowfile::FlowFileRecord& record) {
  if (record.size() == 0) return {};
  const auto reader = contents.read(record.claim);
  std::string text(reader->size(), '\0');
  for (std::size_t at = 0; at < text.size();) {
    const auto got =
        reader->read_at(at, std::as_writable_bytes(std::span(text.data() + at, text.size() - at)));
    if (got == 0) throw storage::StorageError("a content ends early");
    at += got;
  }
  return text;
}

void Captures::routed(const std::string& component_id, const std::string& relationship,
                      const flowfile::FlowFilePtr& flow_file) {
  const Key key(component_id, relationship);
  ++counts_[key];
  if (contents_ == nullptr || !watched_.contains(key)) return;
  seen_[key].push_back({read_content(*contents_, *flow_file), flow_file->attributes});
}

const std::vector<Seen>& Captures::seen(const Key& key) const {
  static const std::vector<Seen> kNone;
  const auto found = seen_.find(key);
  return found == seen_.end() ? kNone : found->second;
}

}  // namespace weir::flow_test
