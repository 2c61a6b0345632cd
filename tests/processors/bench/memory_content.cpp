#include "tests/processors/bench/memory_content.h"

namespace weir::bench {

content::ContentClaim MemoryContent::store(std::string bytes) {
  if (bytes.empty()) return {};
  const std::uint64_t identifier = next_identifier_++;
  const std::uint64_t length = bytes.size();
  bytes_stored_ += length;
  bytes_[identifier] = std::make_shared<const std::string>(std::move(bytes));
  return {content::ResourceClaimPtr(new content::ResourceClaim(*this, "memory", 0, identifier)), 0,
          length};
}

std::shared_ptr<const std::string> MemoryContent::resource(
    const content::ContentClaim& claim) const {
  if (!claim) return std::make_shared<const std::string>();
  return bytes_.at(claim.resource()->identifier);
}

std::string MemoryContent::read(const content::ContentClaim& claim) const {
  return resource(claim)->substr(claim.offset(), claim.length());
}

void MemoryContent::unreferenced(content::ResourceClaim& claim) noexcept {
  bytes_.erase(claim.identifier);
  delete &claim;
}

}  // namespace weir::bench
