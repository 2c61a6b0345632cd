#pragma once

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace weir::content {

class ResourceClaim;

// Told when the last handle of a resource claim is gone. Called from any thread, must not throw.
class ClaimOwner {
 public:
  virtual ~ClaimOwner() = default;
  // Called with `claims_mutex_` held. May delete the claim.
  virtual void unreferenced(ResourceClaim& claim) noexcept = 0;

 protected:
  friend class ResourceClaim;
  // The count of a claim falls to zero only under this lock. So an owner that finds zero handles
  // while it holds the lock knows that no other thread still touches the claim, and may delete it.
  // Nobody may give back a handle while holding it.
  std::mutex claims_mutex_;
};

// One append-only file of the content repository, alive in memory while anything refers to it.
// Counted by its handles: every FlowFile record (queued, in a session, or summed up in a swap
// file's entry) that has content in the file holds one, through its ContentClaim. Nobody counts
// by hand, so no order of clone, write, remove and rollback can get the count wrong. When the
// count falls to zero the repository may remove the file at the next checkpoint, not before.
class ResourceClaim {
 public:
  ResourceClaim(ClaimOwner& owner, std::string container_name, std::uint32_t its_section,
                std::uint64_t its_identifier)
      : container(std::move(container_name)),
        section(its_section),
        identifier(its_identifier),
        owner_(owner) {}
  ResourceClaim(const ResourceClaim&) = delete;
  ResourceClaim& operator=(const ResourceClaim&) = delete;

  const std::string container;
  const std::uint32_t section;
  const std::uint64_t identifier;

  std::uint32_t handles() const { return handles_.load(std::memory_order_acquire); }

 private:
  friend void intrusive_ptr_add_ref(ResourceClaim* claim) noexcept {
    claim->handles_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(ResourceClaim* claim) noexcept {
    std::uint32_t handles = claim->handles_.load(std::memory_order_relaxed);
    while (handles > 1) {
      if (claim->handles_.compare_exchange_weak(handles, handles - 1, std::memory_order_acq_rel,
                                                std::memory_order_relaxed)) {
        return;
      }
    }
    claim->release_last();
  }

  void release_last() noexcept {
    const std::lock_guard lock(owner_.claims_mutex_);
    if (handles_.fetch_sub(1, std::memory_order_acq_rel) == 1) owner_.unreferenced(*this);
  }

  ClaimOwner& owner_;
  std::atomic<std::uint32_t> handles_{0};
};

using ResourceClaimPtr = boost::intrusive_ptr<ResourceClaim>;

// Where a content lies, as plain values: what records on disk and provenance events hold. An
// empty container means "no content".
struct ClaimLocation {
  std::string container;
  std::uint32_t section = 0;
  std::uint64_t identifier = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  bool operator==(const ClaimLocation&) const = default;
};

// A content: a range of a resource claim. A value; copying it shares the bytes. Without resource
// it is the empty content.
class ContentClaim {
 public:
  ContentClaim() = default;
  ContentClaim(ResourceClaimPtr resource, std::uint64_t offset, std::uint64_t length)
      : resource_(std::move(resource)), offset_(offset), length_(length) {}
  // `checksum` is storage::checksum of the whole content, known where the bytes went through
  // memory when they were written.
  ContentClaim(ResourceClaimPtr resource, std::uint64_t offset, std::uint64_t length,
               std::uint64_t checksum)
      : resource_(std::move(resource)),
        offset_(offset),
        length_(length),
        checksum_(checksum),
        has_checksum_(true) {}

  explicit operator bool() const { return static_cast<bool>(resource_); }
  const ResourceClaimPtr& resource() const { return resource_; }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t length() const { return length_; }
  bool has_checksum() const { return has_checksum_; }
  std::uint64_t checksum() const { return checksum_; }

  // The bytes [from, from + size) of this content, shared, not copied. The caller keeps within
  // `length()`. The part has no checksum of its own unless it is the whole.
  ContentClaim part(std::uint64_t from, std::uint64_t size) const {
    if (from == 0 && size == length_) return *this;
    if (size == 0) return {};
    return {resource_, offset_ + from, size};
  }

  ClaimLocation location() const {
    if (!resource_) return {};
    return {resource_->container, resource_->section, resource_->identifier, offset_, length_};
  }

  bool same_bytes(const ContentClaim& other) const {
    return resource_ == other.resource_ && offset_ == other.offset_ && length_ == other.length_;
  }

 private:
  ResourceClaimPtr resource_;
  std::uint64_t offset_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t checksum_ = 0;
  bool has_checksum_ = false;
};

}  // namespace weir::content
