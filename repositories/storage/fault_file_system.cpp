#include "repositories/storage/fault_file_system.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>

#include "repositories/storage/error.h"
#include "repositories/storage/fault_disk.h"

namespace weir::storage {

using fault::Node;
using fault::NodePointer;

struct FaultFileSystem::State {
  class Readable;
  class Writable;
  class Lock;

  explicit State(std::uint64_t seed) : random(seed) {}

  std::mutex mutex;  // guards all below
  fault::Random random;
  fault::Tree tree;
  std::set<std::string> locks;
  std::uint64_t operations = 0;
  std::uint64_t cut_at = 0;  // number of the operation at which the power goes; 0: never
  bool lost = false;
  // Of the process that opens files now; files of an earlier one are dead.
  std::uint64_t process = 1;
  std::uint64_t boot = 1;
  struct Failure {
    int error_number = 0;
    std::uint64_t count = 0;
  };
  std::array<Failure, 7> failures;
  std::uint64_t capacity_bytes = std::uint64_t{1} << 40;
  bool capacity_limited = false;

  void require_power() const {
    if (lost) throw PowerLost();
  }
  void require_process(std::uint64_t opened_by) const {
    if (lost || opened_by != process) throw PowerLost();
  }

  // Counts an operation. True where the power goes during it: the caller does any part of it, or
  // nothing, and throws PowerLost.
  bool begin() {
    require_power();
    ++operations;
    if (operations == cut_at) lost = true;
    return lost;
  }

  int take_failure(Operation operation) {
    Failure& failure = failures[static_cast<std::size_t>(operation)];
    if (failure.count == 0) return 0;
    --failure.count;
    return failure.error_number;
  }

  // An operation that happens whole or not at all.
  template <typename Apply>
  void atomic(std::optional<Operation> kind, std::string_view name, const Path& path, Apply apply) {
    if (begin()) {
      if (fault::coin(random)) apply();
      throw PowerLost();
    }
    const int error_number = kind ? take_failure(*kind) : 0;
    if (error_number != 0) throw IoError(name, path, error_number);
    apply();
  }

  // Any number from 0 to `largest`.
  std::uint64_t up_to(std::uint64_t largest) {
    return std::uniform_int_distribution<std::uint64_t>(0, largest)(random);
  }

  std::uint64_t available_bytes() const {
    const std::uint64_t used = tree.used_bytes();
    return used < capacity_bytes ? capacity_bytes - used : 0;
  }

  // How many of `bytes` written at `offset` of the file still fit.
  std::uint64_t fitting(const fault::FileContent& file, std::uint64_t offset,
                        std::uint64_t bytes) const {
    if (!capacity_limited || offset + bytes <= file.size()) return bytes;
    const std::uint64_t growth = offset + bytes - file.size();
    const std::uint64_t available = available_bytes();
    return growth <= available ? bytes : bytes - (growth - available);
  }
};

namespace {

std::string lock_key(const Path& path) {
  return ("/" / path).lexically_normal().string();
}

}  // namespace

class FaultFileSystem::State::Readable : public ReadableFile {
 public:
  Readable(std::shared_ptr<State> state, NodePointer node, Path path)
      : state_(std::move(state)),
        node_(std::move(node)),
        path_(std::move(path)),
        process_(state_->process) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    const std::lock_guard guard(state_->mutex);
    state_->require_process(process_);
    const int error_number = state_->take_failure(Operation::read);
    if (error_number != 0) throw IoError("read", path_, error_number);
    const Bytes bytes = node_->content.bytes();
    if (offset >= bytes.size()) return 0;
    const std::size_t got = std::min<std::uint64_t>(out.size(), bytes.size() - offset);
    std::ranges::copy(bytes.subspan(offset, got), out.begin());
    return got;
  }

  std::uint64_t size() const override {
    const std::lock_guard guard(state_->mutex);
    state_->require_process(process_);
    return node_->content.size();
  }

 private:
  const std::shared_ptr<State> state_;
  const NodePointer node_;
  const Path path_;
  const std::uint64_t process_;
};

class FaultFileSystem::State::Writable : public WritableFile {
 public:
  Writable(std::shared_ptr<State> state, NodePointer node, Path path)
      : state_(std::move(state)),
        node_(std::move(node)),
        path_(std::move(path)),
        process_(state_->process),
        size_(node_->content.size()) {}

  void append(Bytes data) override {
    const std::lock_guard guard(state_->mutex);
    start("append");
    if (state_->begin()) {
      node_->content.write(size_, data.first(state_->up_to(data.size())));
      throw PowerLost();
    }
    if (const int error_number = state_->take_failure(Operation::append); error_number != 0) {
      node_->content.write(size_, data.first(state_->up_to(data.size())));
      throw IoError("append", path_, error_number);
    }
    const std::uint64_t fits = state_->fitting(node_->content, size_, data.size());
    node_->content.write(size_, data.first(fits));
    if (fits < data.size()) throw IoError("append", path_, ENOSPC);
    size_ += data.size();
    touch();
  }

  void append_from(const ReadableFile& source, std::uint64_t offset,
                   std::uint64_t length) override {
    // Before the length is believed, it is compared with what is there.
    const std::uint64_t there = source.size();
    if (offset > there || length > there - offset) {
      throw IoError("append from a source that ends early to", path_, ENODATA);
    }
    std::vector<std::byte> bytes(length);
    if (source.read_at(offset, bytes) != length) {
      throw IoError("append from a source that ends early to", path_, ENODATA);
    }
    append(bytes);
  }

  void sync() override {
    const std::lock_guard guard(state_->mutex);
    start("sync");
    if (state_->begin()) {
      if (fault::coin(state_->random)) node_->content.sync();
      throw PowerLost();
    }
    sync_error_ = state_->take_failure(Operation::sync);
    if (sync_error_ != 0) {
      node_->content.fail_sync();
      throw IoError("sync", path_, sync_error_);
    }
    node_->content.sync();
  }

  void truncate(std::uint64_t size) override {
    const std::lock_guard guard(state_->mutex);
    state_->require_process(process_);
    state_->atomic(std::nullopt, "truncate", path_, [&] { node_->content.truncate(size); });
    size_ = size;
    touch();
  }

  std::uint64_t size() const override { return size_; }

 private:
  void start(const char* operation) const {
    state_->require_process(process_);
    if (sync_error_ != 0) {
      throw IoError(std::string(operation) + " after a failed sync of", path_, sync_error_);
    }
  }
  void touch() { node_->modified_ns = static_cast<std::int64_t>(state_->operations); }

  const std::shared_ptr<State> state_;
  const NodePointer node_;
  const Path path_;
  const std::uint64_t process_;
  std::uint64_t size_;
  int sync_error_ = 0;
};

class FaultFileSystem::State::Lock : public FileLock {
 public:
  Lock(std::shared_ptr<State> state, std::string key)
      : state_(std::move(state)), key_(std::move(key)), process_(state_->process) {}
  ~Lock() override {
    const std::lock_guard guard(state_->mutex);
    if (process_ == state_->process) state_->locks.erase(key_);
  }

 private:
  const std::shared_ptr<State> state_;
  const std::string key_;
  const std::uint64_t process_;
};

FaultFileSystem::FaultFileSystem(std::uint64_t seed) : state_(std::make_shared<State>(seed)) {}
FaultFileSystem::~FaultFileSystem() = default;

std::uint64_t FaultFileSystem::operations() const {
  const std::lock_guard guard(state_->mutex);
  return state_->operations;
}

void FaultFileSystem::cut_power_at(std::uint64_t operation) {
  const std::lock_guard guard(state_->mutex);
  state_->cut_at = state_->operations + std::max<std::uint64_t>(operation, 1);
}

bool FaultFileSystem::power_lost() const {
  const std::lock_guard guard(state_->mutex);
  return state_->lost;
}

void FaultFileSystem::restart(UnsyncedFate fate) {
  kill_process();
  const std::lock_guard guard(state_->mutex);
  state_->tree.meet_fate(fate, state_->random);
  ++state_->boot;
}

void FaultFileSystem::kill_process() {
  const std::lock_guard guard(state_->mutex);
  state_->locks.clear();
  state_->lost = false;
  state_->cut_at = 0;
  ++state_->process;
}

void FaultFileSystem::fail(Operation operation, int error_number, std::uint64_t count) {
  const std::lock_guard guard(state_->mutex);
  state_->failures[static_cast<std::size_t>(operation)] = {error_number, count};
}

void FaultFileSystem::set_capacity(std::uint64_t bytes) {
  const std::lock_guard guard(state_->mutex);
  state_->capacity_bytes = bytes;
  state_->capacity_limited = true;
}

void FaultFileSystem::flip_bit(const Path& path, std::uint64_t bit) {
  const std::lock_guard guard(state_->mutex);
  state_->tree.get(path, "flip a bit of")->content.flip_bit(bit);
}

void FaultFileSystem::damage_truncate(const Path& path, std::uint64_t size) {
  const std::lock_guard guard(state_->mutex);
  state_->tree.get(path, "damage")->content.damage_truncate(size);
}

std::unique_ptr<ReadableFile> FaultFileSystem::open_read(const Path& path) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  NodePointer node = state_->tree.get(path, "open");
  if (node->directory) throw IoError("open", path, EISDIR);
  return std::make_unique<State::Readable>(state_, std::move(node), path);
}

std::unique_ptr<WritableFile> FaultFileSystem::open_append(const Path& path, Create create) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  NodePointer node = state_->tree.find(path);
  if (node && create == Create::must_not_exist) throw IoError("open", path, EEXIST);
  if (node && node->directory) throw IoError("open", path, EISDIR);
  if (!node) {
    state_->atomic(Operation::create, "open", path,
                   [&] { node = state_->tree.create(path, false); });
    node->modified_ns = static_cast<std::int64_t>(state_->operations);
  } else if (create == Create::truncate) {
    state_->atomic(Operation::create, "open", path, [&] { node->content.truncate(0); });
  }
  return std::make_unique<State::Writable>(state_, node, path);
}

std::optional<FileStatus> FaultFileSystem::status(const Path& path) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  const NodePointer node = state_->tree.find(path);
  if (!node) return std::nullopt;
  return FileStatus{
      .type = node->directory ? FileStatus::Type::directory : FileStatus::Type::regular,
      .size_bytes = node->content.size(),
      .allocated_bytes = node->content.allocated_bytes(),
      .modified_ns = node->modified_ns};
}

std::vector<DirectoryEntry> FaultFileSystem::list(const Path& directory) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, node] : state_->tree.get_directory(directory, "list")->entries) {
    entries.push_back(
        {name, node->directory ? FileStatus::Type::directory : FileStatus::Type::regular});
  }
  return entries;
}

void FaultFileSystem::create_directories(const Path& path) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  Path so_far = "/";
  for (const Path& component : ("/" / path).lexically_normal().relative_path()) {
    if (component.empty()) continue;
    const Path parent = so_far;
    so_far /= component;
    if (const NodePointer node = state_->tree.find(so_far)) {
      if (!node->directory) throw IoError("create folder", so_far, EEXIST);
      continue;
    }
    state_->atomic(Operation::create, "create folder", so_far,
                   [&] { state_->tree.create(so_far, true); });
    state_->atomic(Operation::sync_directory, "sync folder", parent,
                   [&] { state_->tree.sync_directory(parent); });
  }
}

void FaultFileSystem::rename(const Path& from, const Path& to) {
  const std::lock_guard guard(state_->mutex);
  state_->atomic(Operation::rename, "rename", from, [&] { state_->tree.rename(from, to); });
}

void FaultFileSystem::remove(const Path& path) {
  const std::lock_guard guard(state_->mutex);
  state_->atomic(Operation::remove, "remove", path, [&] { state_->tree.remove(path); });
}

void FaultFileSystem::sync_directory(const Path& directory) {
  const std::lock_guard guard(state_->mutex);
  state_->atomic(Operation::sync_directory, "sync folder", directory,
                 [&] { state_->tree.sync_directory(directory); });
}

bool FaultFileSystem::punch_hole(const Path& path, std::uint64_t offset, std::uint64_t length) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  const NodePointer node = state_->tree.get(path, "open");
  state_->atomic(std::nullopt, "punch a hole into", path,
                 [&] { node->content.punch(offset, length); });
  return true;
}

bool FaultFileSystem::has_hole(const Path& path, std::uint64_t offset, std::uint64_t length) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  return state_->tree.get(path, "open")->content.has_hole(offset, length);
}

FileSystem::Space FaultFileSystem::space(const Path& directory) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  state_->tree.get(directory, "ask for the space of");
  return {.capacity_bytes = state_->capacity_bytes, .available_bytes = state_->available_bytes()};
}

std::unique_ptr<FileLock> FaultFileSystem::lock(const Path& path) {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  std::string key = lock_key(path);
  const std::string holder = std::to_string(::getpid());
  if (state_->locks.contains(key)) {
    throw RefusedError(path.string() + " is in use by process " + holder);
  }
  NodePointer node = state_->tree.find(path);
  if (!node) {
    state_->atomic(Operation::create, "open", path,
                   [&] { node = state_->tree.create(path, false); });
  }
  node->content.truncate(0);
  node->content.write(0, std::as_bytes(std::span(holder)));
  state_->locks.insert(key);
  return std::make_unique<State::Lock>(state_, std::move(key));
}

std::string FaultFileSystem::boot_id() {
  const std::lock_guard guard(state_->mutex);
  state_->require_power();
  return "boot-" + std::to_string(state_->boot);
}

}  // namespace weir::storage
