#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "repositories/content/content_repository.h"
#include "repositories/storage/checksum.h"

namespace weir::content {
namespace {

constexpr std::string_view kContainer = "volatile";
constexpr std::size_t kPieceBytes = 256 * 1024;

using Block = std::vector<std::byte>;

// One content. Its bytes outlive it in readers.
struct MemoryClaim final : ResourceClaim {
  MemoryClaim(ClaimOwner& owner, std::uint64_t its_identifier)
      : ResourceClaim(owner, std::string(kContainer), 0, its_identifier) {}
  std::shared_ptr<const Block> bytes;
};

class MemoryReader final : public ContentReader {
 public:
  MemoryReader(std::shared_ptr<const Block> bytes, std::uint64_t offset, std::uint64_t length)
      : bytes_(std::move(bytes)), offset_(offset), length_(length) {}

  std::uint64_t size() const override { return length_; }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= length_) return 0;
    const std::size_t size = std::min<std::uint64_t>(out.size(), length_ - offset);
    std::memcpy(out.data(), bytes_->data() + offset_ + offset, size);
    return size;
  }
  Source source() const override { return {}; }

 private:
  std::shared_ptr<const Block> bytes_;
  std::uint64_t offset_;
  std::uint64_t length_;
};

// Every content is a resource claim of its own and goes with its last handle: no checkpoint has
// to wait for a journal here.
class VolatileContentRepository final : public ContentRepository, public ClaimOwner {
 public:
  explicit VolatileContentRepository(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  std::unique_ptr<ContentWriter> writer() override;

  std::unique_ptr<ContentReader> read(const ContentClaim& claim) override {
    if (!claim) return std::make_unique<MemoryReader>(nullptr, 0, 0);
    auto bytes = static_cast<MemoryClaim&>(*claim.resource()).bytes;
    if (!bytes) throw ContentMissingError(claim.location(), "it was in memory and is gone");
    if (!within(*bytes, claim.offset(), claim.length())) {
      throw ContentMissingError(claim.location(), "the content is shorter");
    }
    return std::make_unique<MemoryReader>(std::move(bytes), claim.offset(), claim.length());
  }

  std::unique_ptr<ContentReader> read_location(const ClaimLocation& location) override {
    if (location.container.empty()) return read({});
    if (location.container != kContainer) return nullptr;
    std::shared_ptr<const Block> bytes;
    {
      const std::lock_guard lock(claims_mutex_);
      const auto found = claims_.find(location.identifier);
      if (found != claims_.end()) bytes = found->second->bytes;
    }
    if (!bytes || !within(*bytes, location.offset, location.length)) return nullptr;
    return std::make_unique<MemoryReader>(std::move(bytes), location.offset, location.length);
  }

  ContentClaim resolve(const ClaimLocation& location) override {
    if (location.container.empty() || location.length == 0) return {};
    ResourceClaimPtr claim;
    {
      const std::lock_guard lock(claims_mutex_);
      auto& known = claims_[location.identifier];
      if (!known) known = std::make_unique<MemoryClaim>(*this, location.identifier);
      claim = known.get();
    }
    return {std::move(claim), location.offset, location.length};
  }

  void recovered(bool) override {}
  void sync_all() override {}
  void begin_checkpoint() override {}
  std::vector<ResourceClaimPtr> sparse_candidates() override { return {}; }
  void finish_checkpoint(const LiveRanges&) override {}
  bool has_room() override { return used_bytes_ < max_bytes_; }

  std::vector<ContainerStatus> status() override {
    const std::lock_guard lock(claims_mutex_);
    const std::uint64_t used = used_bytes_;
    return {{std::string(kContainer),
             {},
             max_bytes_,
             max_bytes_ - std::min(used, max_bytes_),
             claims_.size(),
             0}};
  }

  void take(std::uint64_t bytes) {
    if (used_bytes_.fetch_add(bytes) + bytes <= max_bytes_) return;
    used_bytes_ -= bytes;
    throw storage::IoError("append", "volatile content repository", ENOSPC);
  }
  void give(std::uint64_t bytes) { used_bytes_ -= bytes; }

  ResourceClaimPtr keep(Block bytes) {
    const std::lock_guard lock(claims_mutex_);
    auto claim = std::make_unique<MemoryClaim>(*this, next_identifier_++);
    claim->bytes = std::make_shared<const Block>(std::move(bytes));
    ResourceClaimPtr handle(claim.get());
    claims_.emplace(claim->identifier, std::move(claim));
    return handle;
  }

 private:
  static bool within(const Block& bytes, std::uint64_t offset, std::uint64_t length) {
    return offset <= bytes.size() && length <= bytes.size() - offset;
  }

  void unreferenced(ResourceClaim& claim) noexcept override {
    const auto& bytes = static_cast<MemoryClaim&>(claim).bytes;
    if (bytes) give(bytes->size());
    const std::uint64_t identifier = claim.identifier;
    claims_.erase(identifier);
  }

  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> used_bytes_{0};

  // Guarded by claims_mutex_.
  std::unordered_map<std::uint64_t, std::unique_ptr<MemoryClaim>> claims_;
  std::uint64_t next_identifier_ = 1;
};

class MemoryWriter final : public ContentWriter {
 public:
  explicit MemoryWriter(VolatileContentRepository& repository) : repository_(repository) {}
  ~MemoryWriter() override { abandon(); }

  void begin() override { abandon(); }
  void append(storage::Bytes data) override {
    repository_.take(data.size());
    taken_ += data.size();
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }
  void append_from(const storage::ReadableFile& source, std::uint64_t offset,
                   std::uint64_t length) override {
    Block piece(std::min<std::uint64_t>(length, kPieceBytes));
    while (length > 0) {
      const auto wanted = std::span(piece).first(std::min<std::uint64_t>(length, piece.size()));
      if (source.read_at(offset, wanted) < wanted.size()) {
        throw storage::StorageError("the source file ends before the range to append does");
      }
      append(wanted);
      offset += wanted.size();
      length -= wanted.size();
    }
  }
  std::uint64_t written() const override { return bytes_.size(); }
  ContentClaim finish() override {
    if (bytes_.empty()) return {};
    const std::uint64_t size = bytes_.size();
    const std::uint64_t sum = storage::checksum(bytes_);
    bytes_.shrink_to_fit();
    taken_ = 0;
    return {repository_.keep(std::exchange(bytes_, {})), 0, size, sum};
  }
  void abandon() override {
    repository_.give(std::exchange(taken_, 0));
    bytes_.clear();
  }
  void flush() override {}
  void sync() override {}

 private:
  VolatileContentRepository& repository_;
  Block bytes_;
  std::uint64_t taken_ = 0;
};

std::unique_ptr<ContentWriter> VolatileContentRepository::writer() {
  return std::make_unique<MemoryWriter>(*this);
}

}  // namespace

std::unique_ptr<ContentRepository> open_volatile_content_repository(std::uint64_t max_bytes) {
  return std::make_unique<VolatileContentRepository>(max_bytes);
}

}  // namespace weir::content
