#include "repositories/content/file_system_content_repository.h"

#include <fmt/format.h>

#include <cerrno>

#include "repositories/content/file_content_writer.h"

namespace weir::content {
namespace {

// A restart within this time of the last mark starts behind the mark, not at the clock.
constexpr std::int64_t kIdentifierMarkAheadMs = 60'000;
constexpr std::size_t kOpenFiles = 128;
constexpr std::size_t kWritableClaims = 64;
constexpr std::size_t kSpareBuffers = 8;
constexpr std::int64_t kSpaceKnownMs = 1000;
// Sources wait before the disk is full to the last byte: what is queued must still be able to
// commit its way out. At most this share, so that a small disk is of use as well.
constexpr std::uint64_t kReserveBytes = 64u << 20;
constexpr std::uint64_t kReserveDivisor = 10;

storage::RefusedError unusable(const storage::Path& directory, const storage::IoError& error) {
  return storage::RefusedError(fmt::format("content repository directory {} cannot be used: {}",
                                           directory.native(), error.what()));
}

// Anything in a folder without marker that is not what a start or a new disk leaves there.
std::optional<std::string> foreign_entry(storage::FileSystem& files,
                                         const storage::Path& directory) {
  for (const auto& entry : files.list(directory)) {
    if (entry.name == "lock" || entry.name == "container.tmp" || entry.name == "lost+found") {
      continue;
    }
    return entry.name;
  }
  return std::nullopt;
}

}  // namespace

FileSystemContentRepository::FileSystemContentRepository(storage::FileSystem& files,
                                                         ContentRepositoryConfig config,
                                                         std::function<std::int64_t()> now_ms,
                                                         storage::FindingReporter& reporter)
    : files_(files),
      config_(std::move(config)),
      now_ms_(std::move(now_ms)),
      reporter_(reporter),
      open_files_(kOpenFiles),
      archive_(
          files, containers_,
          {.max_age_ms = config_.archive_max_age.count(), .max_usage = config_.archive_max_usage},
          [this](Container& container, std::uint32_t section, std::uint64_t identifier) {
            return remove_archived(container, section, identifier);
          }) {
  if (config_.containers.empty()) {
    throw storage::RefusedError("the content repository has no directory");
  }
  for (const auto& [name, directory] : config_.containers) open_container(name, directory);
  start_identifiers();
}

FileSystemContentRepository::~FileSystemContentRepository() {
  stop_ = true;
  if (scan_thread_.joinable()) scan_thread_.join();
}

void FileSystemContentRepository::open_container(const std::string& name,
                                                 const storage::Path& directory) {
  try {
    files_.create_directories(directory);
    auto container = std::make_unique<Container>(name, directory);
    container->lock = files_.lock(lock_path(directory));
    const auto bytes = files_.read_small(marker_path(directory));
    if (!bytes) {
      if (const auto entry = foreign_entry(files_, directory)) {
        throw storage::RefusedError(
            fmt::format("content repository directory {} holds {} and no file `container`: it is "
                        "not a content repository of weir",
                        directory.native(), *entry));
      }
    } else if (const auto marker = decode_marker(*bytes)) {
      refuse_other_version(directory, *marker);
      identifier_mark_ms_ = std::max(identifier_mark_ms_, created_ms(marker->identifier_limit));
    } else {
      reporter_.report({marker_path(directory), 0, bytes->size(),
                        "the file is damaged and was written anew; content is not affected"});
    }
    containers_.push_back(std::move(container));
  } catch (const storage::IoError& error) {
    throw unusable(directory, error);
  }
}

void FileSystemContentRepository::start_identifiers() {
  const std::int64_t now = now_ms_();
  const std::int64_t first_ms = std::max(now, identifier_mark_ms_);
  identifiers_ = Identifiers(first_ms);
  first_identifier_ = static_cast<std::uint64_t>(first_ms) << kIdentifierClockShift;
  try {
    move_identifier_mark(first_ms + kIdentifierMarkAheadMs);
  } catch (const storage::IoError& error) {
    // A full disk is no reason not to start: the mark moves before the first file is made.
    if (!error.disk_full()) throw unusable(error.path().parent_path(), error);
    identifier_mark_ms_ = first_ms;
  }
}

void FileSystemContentRepository::move_identifier_mark(std::int64_t to_ms) {
  const Marker marker{kMarkerVersion, static_cast<std::uint64_t>(to_ms) << kIdentifierClockShift};
  const std::string bytes = encode_marker(marker);
  for (const auto& container : containers_) {
    files_.replace_small(marker_path(container->directory), bytes);
  }
  identifier_mark_ms_ = to_ms;
}

Container* FileSystemContentRepository::container_named(std::string_view name) const {
  for (const auto& container : containers_) {
    if (container->name == name) return container.get();
  }
  return nullptr;
}

Container& FileSystemContentRepository::next_container(std::int64_t now_ms) {
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    Container& container = *containers_[next_container_++ % containers_.size()];
    if (container.full_until_ms <= now_ms) return container;
  }
  return *containers_[next_container_++ % containers_.size()];
}

std::unique_ptr<ContentWriter> FileSystemContentRepository::writer() {
  return std::make_unique<FileContentWriter>(*this);
}

FileClaim& FileSystemContentRepository::acquire() {
  const std::int64_t now = now_ms_();
  const std::lock_guard lock(claims_mutex_);
  FileClaim* claim = nullptr;
  if (!writable_.empty()) {
    claim = writable_.back();
    writable_.pop_back();
  } else {
    const std::uint64_t identifier = identifiers_.next(now);
    if (identifiers_.last_ms() >= identifier_mark_ms_) {
      move_identifier_mark(identifiers_.last_ms() + kIdentifierMarkAheadMs);
    }
    Container& container = next_container(now);
    claim = &table_.insert(std::make_unique<FileClaim>(*this, &container, container.name,
                                                       section_of(identifier), identifier));
    claim->closed = false;
  }
  claim->in_use = true;
  ++claim->open_writers;
  return *claim;
}

void FileSystemContentRepository::give_back(FileClaim& claim, bool closed) {
  std::unique_ptr<storage::WritableFile> closed_outside_the_lock;
  const std::lock_guard lock(claims_mutex_);
  claim.in_use = false;
  if (closed || claim.closed || claim.size_bytes >= config_.max_appendable_bytes ||
      writable_.size() >= kWritableClaims) {
    claim.closed = true;
    closed_outside_the_lock = std::move(claim.file);
    list_large(claim);
  } else {
    writable_.push_back(&claim);
  }
}

void FileSystemContentRepository::writer_ends(const std::vector<FileClaim*>& claims) {
  const std::lock_guard lock(claims_mutex_);
  for (FileClaim* claim : claims) {
    --claim->open_writers;
    if (claim->handles() == 0) list_zero(*claim);  // also where it never had one
  }
}

void FileSystemContentRepository::ensure_section(Container& container, std::uint32_t section) {
  if (container.section_exists[section]) return;
  const std::lock_guard lock(container.sections_mutex);
  if (container.section_exists[section]) return;
  files_.create_directories(section_path(container.directory, section));
  container.section_exists[section] = true;
}

void FileSystemContentRepository::open_for_append(FileClaim& claim) {
  if (claim.file) return;
  ensure_section(*claim.place, claim.section);
  claim.file = files_.open_append(claim.path(), storage::FileSystem::Create::must_not_exist);
  const std::lock_guard lock(claims_mutex_);
  claim.has_file = true;
}

void FileSystemContentRepository::appended(FileClaim& claim) {
  claim.size_bytes = claim.file->size();
  const std::lock_guard lock(claims_mutex_);
  ++claim.appends;
  list_dirty(claim);
}

void FileSystemContentRepository::append_failed(FileClaim& claim, const storage::IoError& error) {
  if (error.disk_full()) claim.place->full_until_ms = now_ms_() + kSpaceKnownMs;
  // Bytes of earlier contents stay readable; what the failed append left behind is nobody's.
  const std::lock_guard lock(claims_mutex_);
  claim.closed = true;
}

std::unique_ptr<std::byte[]> FileSystemContentRepository::take_buffer() {
  {
    const std::lock_guard lock(buffers_mutex_);
    if (!buffers_.empty()) {
      auto buffer = std::move(buffers_.back());
      buffers_.pop_back();
      return buffer;
    }
  }
  return std::make_unique_for_overwrite<std::byte[]>(kWriteBufferBytes);
}

void FileSystemContentRepository::give_buffer(std::unique_ptr<std::byte[]> buffer) {
  const std::lock_guard lock(buffers_mutex_);
  if (buffers_.size() < kSpareBuffers) buffers_.push_back(std::move(buffer));
}

std::unique_ptr<ContentReader> FileSystemContentRepository::read(const ContentClaim& claim) {
  if (!claim) return std::make_unique<FileContentReader>(ReaderMark{}, nullptr, ClaimLocation{});
  auto& file_claim = static_cast<FileClaim&>(*claim.resource());
  if (!file_claim.place) {
    throw ContentMissingError(claim.location(), "its directory is not configured");
  }
  ReaderMark mark(claim.resource());
  auto file = open_files_.get(*file_claim.place, file_claim.section, file_claim.identifier, [&] {
    return open_content_file(files_, file_claim.place->directory, file_claim.section,
                             file_claim.identifier);
  });
  if (!file) throw ContentMissingError(claim.location(), "the file is gone");
  if (claim.length() > UINT64_MAX - claim.offset() ||
      !file->reaches(claim.offset() + claim.length())) {
    throw ContentMissingError(claim.location(),
                              fmt::format("the file ends at {}", file->known_size_bytes.load()));
  }
  return std::make_unique<FileContentReader>(std::move(mark), std::move(file), claim.location());
}

std::unique_ptr<ContentReader> FileSystemContentRepository::read_location(
    const ClaimLocation& location) {
  if (location.container.empty()) return read({});
  Container* const container = container_named(location.container);
  if (!container || location.length > UINT64_MAX - location.offset) return nullptr;
  ResourceClaimPtr claim;
  {
    const std::lock_guard lock(claims_mutex_);
    FileClaim* known =
        table_.find(container, container->name, location.section, location.identifier);
    if (known && !known->doomed) claim = known;
  }
  ReaderMark mark(std::move(claim));
  auto file = open_files_.get(*container, location.section, location.identifier, [&] {
    return open_content_file(files_, container->directory, location.section, location.identifier);
  });
  const std::uint64_t end = location.offset + location.length;
  if (!file || !file->reaches(end)) return nullptr;
  if (given_back(*container, location)) return nullptr;
  return std::make_unique<FileContentReader>(std::move(mark), std::move(file), location);
}

ContentClaim FileSystemContentRepository::resolve(const ClaimLocation& location) {
  if (location.container.empty() || location.length == 0) return {};
  Container* const place = container_named(location.container);
  ResourceClaimPtr claim;
  {
    std::unique_lock lock(claims_mutex_);
    FileClaim* known = nullptr;
    const auto look = [&] {
      known = table_.find(place, location.container, location.section, location.identifier);
      return !known || !known->doomed;
    };
    disposed_.wait(lock, look);
    if (!known) {
      known = &table_.insert(std::make_unique<FileClaim>(*this, place, location.container,
                                                         location.section, location.identifier));
      known->has_file = place != nullptr;
      known->name_durable = true;
    }
    if (!recovering_) known->never_sparse = true;
    claim = known;
  }
  return {std::move(claim), location.offset, location.length};
}

bool FileSystemContentRepository::has_room() {
  const std::lock_guard lock(room_mutex_);
  const std::int64_t now = now_ms_();
  if (now < room_known_until_ms_) return room_;
  room_ = std::ranges::all_of(containers_, [&](const auto& container) {
    const auto space = files_.space(container->directory);
    if (space.capacity_bytes == 0) return true;  // a file system that does not tell
    return space.available_bytes >= std::min(kReserveBytes, space.capacity_bytes / kReserveDivisor);
  });
  room_known_until_ms_ = now + kSpaceKnownMs;
  return room_;
}

std::vector<ContainerStatus> FileSystemContentRepository::status() {
  std::vector<ContainerStatus> all;
  for (const auto& container : containers_) {
    const auto space = files_.space(container->directory);
    const std::lock_guard lock(claims_mutex_);
    all.push_back({container->name, container->directory, space.capacity_bytes,
                   space.available_bytes, table_.count(container.get()),
                   container->archived_bytes});
  }
  return all;
}

std::unique_ptr<ContentRepository> open_file_system_content_repository(
    storage::FileSystem& files, ContentRepositoryConfig config,
    std::function<std::int64_t()> now_ms, storage::FindingReporter& reporter) {
  return std::make_unique<FileSystemContentRepository>(files, std::move(config), std::move(now_ms),
                                                       reporter);
}

}  // namespace weir::content
