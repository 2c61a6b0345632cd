#include <algorithm>
#include <cerrno>
#include <functional>

#include "repositories/storage/error.h"
#include "repositories/storage/fault_disk.h"

namespace weir::storage::fault {
namespace {

// Calls `visit` for each node below `directory` as programs see it.
void for_each(const Node& directory, const std::function<void(Node&)>& visit) {
  for (const auto& [name, node] : directory.entries) {
    visit(*node);
    if (node->directory) for_each(*node, visit);
  }
}

void restore_names(Node& directory) {
  directory.entries = directory.durable;
  for (const auto& [name, node] : directory.entries) {
    if (node->directory) restore_names(*node);
  }
}

Path normal(const Path& path) {
  return ("/" / path).lexically_normal();
}

}  // namespace

NodePointer Tree::find(const Path& path) const {
  NodePointer node = root_;
  for (const Path& component : normal(path).relative_path()) {
    if (component.empty()) continue;
    if (!node->directory) return nullptr;
    const auto entry = node->entries.find(component.native());
    if (entry == node->entries.end()) return nullptr;
    node = entry->second;
  }
  return node;
}

NodePointer Tree::get(const Path& path, std::string_view operation) const {
  NodePointer node = find(path);
  if (!node) throw IoError(operation, path, ENOENT);
  return node;
}

NodePointer Tree::get_directory(const Path& path, std::string_view operation) const {
  NodePointer node = get(path, operation);
  if (!node->directory) throw IoError(operation, path, ENOTDIR);
  return node;
}

Tree::Place Tree::place_of(const Path& path, std::string_view operation) const {
  Path whole = normal(path);
  if (!whole.has_filename()) whole = whole.parent_path();
  if (!whole.has_filename()) throw IoError(operation, path, EINVAL);
  const NodePointer directory = find(whole.parent_path());
  if (!directory) throw IoError(operation, path, ENOENT);
  if (!directory->directory) throw IoError(operation, path, ENOTDIR);
  return {directory, whole.filename().native()};
}

NodePointer Tree::create(const Path& path, bool directory) {
  Place place = place_of(path, "create");
  if (place.directory->entries.contains(place.name)) throw IoError("create", path, EEXIST);
  auto node = std::make_shared<Node>(directory);
  change({.node = node, .from = std::nullopt, .to = std::move(place)});
  return node;
}

void Tree::rename(const Path& from, const Path& to) {
  Place source = place_of(from, "rename");
  Place target = place_of(to, "rename");
  const NodePointer node = get(from, "rename");
  if (const NodePointer replaced = find(to)) {
    if (replaced == node) return;
    if (replaced->directory && !node->directory) throw IoError("rename", from, EISDIR);
    if (!replaced->directory && node->directory) throw IoError("rename", from, ENOTDIR);
    if (!replaced->entries.empty()) throw IoError("rename", from, ENOTEMPTY);
  }
  const Path inside = normal(to).lexically_relative(normal(from));
  if (!inside.empty() && *inside.begin() != "..") throw IoError("rename", from, EINVAL);
  change({.node = node, .from = std::move(source), .to = std::move(target)});
}

void Tree::remove(const Path& path) {
  Place place = place_of(path, "remove");
  const NodePointer node = get(path, "remove");
  if (!node->entries.empty()) throw IoError("remove", path, ENOTEMPTY);
  change({.node = node, .from = std::move(place), .to = std::nullopt});
}

void Tree::change(NameChange change) {
  if (change.from) change.from->directory->entries.erase(change.from->name);
  if (change.to) change.to->directory->entries[change.to->name] = change.node;
  changes_.push_back(std::move(change));
}

void Tree::make_durable(const NameChange& change) {
  if (change.from) {
    auto& names = change.from->directory->durable;
    const auto entry = names.find(change.from->name);
    if (entry != names.end() && entry->second == change.node) names.erase(entry);
  }
  if (change.to) change.to->directory->durable[change.to->name] = change.node;
}

void Tree::sync_directory(const Path& path) {
  const NodePointer directory = get_directory(path, "sync folder");
  // A rename becomes durable as a whole, and with it what happened to its names before.
  std::set<Place> touched;
  std::vector<bool> chosen(changes_.size());
  const auto is_touched = [&](const std::optional<Place>& place) {
    return place && (place->directory == directory || touched.contains(*place));
  };
  for (std::size_t i = changes_.size(); i-- > 0;) {
    const NameChange& change = changes_[i];
    chosen[i] = is_touched(change.from) || is_touched(change.to);
    if (!chosen[i]) continue;
    if (change.from) touched.insert(*change.from);
    if (change.to) touched.insert(*change.to);
  }
  std::vector<NameChange> left;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (chosen[i]) {
      make_durable(changes_[i]);
    } else {
      left.push_back(std::move(changes_[i]));
    }
  }
  changes_ = std::move(left);
}

void Tree::meet_fate(UnsyncedFate fate, Random& random) {
  // A file system may lose a change of one name and keep a later one of another, but not keep a
  // rename of a file whose creation it lost.
  std::set<NodePointer> lost;
  for (const NameChange& change : changes_) {
    const bool keep = fate == UnsyncedFate::mixed ? coin(random) && !lost.contains(change.node)
                                                  : fate != UnsyncedFate::lost;
    if (keep) {
      make_durable(change);
    } else {
      lost.insert(change.node);
    }
  }
  changes_.clear();
  restore_names(*root_);
  for_each(*root_, [&](Node& node) {
    if (!node.directory) node.content.meet_fate(fate, random);
  });
}

std::uint64_t Tree::used_bytes() const {
  std::uint64_t sum = 0;
  for_each(*root_, [&](const Node& node) {
    const std::uint64_t size = node.content.size();
    sum += std::min(size, node.content.allocated_bytes());
  });
  return sum;
}

}  // namespace weir::storage::fault
