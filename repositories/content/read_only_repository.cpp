#include <fmt/format.h>

#include <cerrno>
#include <limits>
#include <stdexcept>

#include "repositories/content/claim_reader.h"
#include "repositories/content/content_repository.h"

namespace weir::content {
namespace {

constexpr std::size_t kOpenFiles = 64;

// Keeps every claim object it ever made: a command of weirctl ends soon.
class ReadOnlyContentRepository final : public ContentRepository, public ClaimOwner {
 public:
  ReadOnlyContentRepository(storage::FileSystem& files,
                            const std::map<std::string, storage::Path>& containers)
      : files_(files), open_files_(kOpenFiles) {
    for (const auto& [name, directory] : containers) open_container(name, directory);
  }

  std::unique_ptr<ContentReader> read(const ContentClaim& claim) override {
    if (!claim) return std::make_unique<FileContentReader>(ReaderMark{}, nullptr, ClaimLocation{});
    const ClaimLocation location = claim.location();
    const Container* container = container_named(location.container);
    if (!container) throw ContentMissingError(location, "its directory is not configured");
    auto file = open(*container, location);
    if (!file) throw ContentMissingError(location, "the file is gone");
    if (!whole(*file, location)) {
      throw ContentMissingError(location,
                                fmt::format("the file ends at {}", file->known_size_bytes.load()));
    }
    return std::make_unique<FileContentReader>(ReaderMark{}, std::move(file), location);
  }

  std::unique_ptr<ContentReader> read_location(const ClaimLocation& location) override {
    if (location.container.empty()) return read({});
    const Container* container = container_named(location.container);
    if (!container) return nullptr;
    auto file = open(*container, location);
    if (!file || !whole(*file, location) || given_back(*container, location)) return nullptr;
    return std::make_unique<FileContentReader>(ReaderMark{}, std::move(file), location);
  }

  ContentClaim resolve(const ClaimLocation& location) override {
    if (location.container.empty() || location.length == 0) return {};
    const Key key{location.container, location.section, location.identifier};
    ResourceClaimPtr claim;
    {
      const std::lock_guard lock(claims_mutex_);
      auto& known = claims_[key];
      if (!known) {
        known = std::make_unique<ResourceClaim>(*this, location.container, location.section,
                                                location.identifier);
      }
      claim = known.get();
    }
    return {std::move(claim), location.offset, location.length};
  }

  std::vector<ContainerStatus> status() override {
    std::vector<ContainerStatus> all;
    for (const auto& container : containers_) {
      const auto space = files_.space(container->directory);
      ContainerStatus status{container->name, container->directory, space.capacity_bytes,
                             space.available_bytes};
      list_content_files(files_, {{container->name, container->directory}},
                         [&](const ContentFile& file) {
                           if (file.archived) status.archived_bytes += file.location.length;
                           if (!file.archived) ++status.claims;
                         });
      all.push_back(std::move(status));
    }
    return all;
  }

  std::unique_ptr<ContentWriter> writer() override { refuse(); }
  void recovered(bool) override { refuse(); }
  void sync_all() override { refuse(); }
  void begin_checkpoint() override { refuse(); }
  std::vector<ResourceClaimPtr> sparse_candidates() override { refuse(); }
  void finish_checkpoint(const LiveRanges&) override { refuse(); }
  bool has_room() override { refuse(); }

 private:
  using Key = std::tuple<std::string, std::uint32_t, std::uint64_t>;

  [[noreturn]] static void refuse() {
    throw std::logic_error("the content repository is open for reading only");
  }

  void unreferenced(ResourceClaim&) noexcept override {}

  void open_container(const std::string& name, const storage::Path& directory) {
    const auto bytes = files_.read_small(marker_path(directory));
    if (!bytes) {
      throw storage::RefusedError(
          fmt::format("{} holds no content repository of weir", directory.native()));
    }
    if (const auto marker = decode_marker(*bytes)) refuse_other_version(directory, *marker);
    containers_.push_back(std::make_unique<Container>(name, directory));
  }

  const Container* container_named(std::string_view name) const {
    for (const auto& container : containers_) {
      if (container->name == name) return container.get();
    }
    return nullptr;
  }

  std::shared_ptr<OpenFile> open(const Container& container, const ClaimLocation& location) {
    return open_files_.get(container, location.section, location.identifier, [&] {
      return open_content_file(files_, container.directory, location.section, location.identifier);
    });
  }

  static bool whole(OpenFile& file, const ClaimLocation& location) {
    return location.length <= std::numeric_limits<std::uint64_t>::max() - location.offset &&
           file.reaches(location.offset + location.length);
  }

  // The running engine may move the file between the two looks.
  bool given_back(const Container& container, const ClaimLocation& location) {
    for (const auto path_of : {live_path, archive_path}) {
      try {
        return files_.has_hole(path_of(container.directory, location.section, location.identifier),
                               location.offset, location.length);
      } catch (const storage::IoError& error) {
        if (error.error_number() != ENOENT) throw;
      }
    }
    return true;
  }

  storage::FileSystem& files_;
  std::vector<std::unique_ptr<Container>> containers_;
  OpenFiles open_files_;
  std::map<Key, std::unique_ptr<ResourceClaim>> claims_;
};

}  // namespace

std::unique_ptr<ContentRepository> open_content_repository_read_only(
    storage::FileSystem& files, std::map<std::string, storage::Path> containers) {
  return std::make_unique<ReadOnlyContentRepository>(files, containers);
}

}  // namespace weir::content
