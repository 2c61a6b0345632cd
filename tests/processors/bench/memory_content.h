#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "repositories/content/claim.h"

namespace weir::bench {

// Contents of FlowFiles in plain memory. Bytes live as long as a claim refers to them.
class MemoryContent : public content::ClaimOwner {
 public:
  content::ContentClaim store(std::string bytes);
  // The whole resource that the claim is a range of.
  std::shared_ptr<const std::string> resource(const content::ContentClaim& claim) const;
  std::string read(const content::ContentClaim& claim) const;
  std::size_t resources() const { return bytes_.size(); }
  std::uint64_t bytes_stored() const { return bytes_stored_; }  // ever, by `store`

  void unreferenced(content::ResourceClaim& claim) noexcept override;

 private:
  std::map<std::uint64_t, std::shared_ptr<const std::string>> bytes_;
  std::uint64_t next_identifier_ = 1;
  std::uint64_t bytes_stored_ = 0;
};

}  // namespace weir::bench
