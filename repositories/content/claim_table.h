#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "repositories/content/file_claim.h"

namespace weir::content {

// Finds the ResourceClaim object of a location, so that there is never more than one, and owns
// it. Not thread safe: its owner holds the claims mutex.
class ClaimTable {
 public:
  FileClaim* find(const Container* place, std::string_view container, std::uint32_t section,
                  std::uint64_t identifier);
  FileClaim& insert(std::unique_ptr<FileClaim> claim);
  void erase(FileClaim& claim);  // deletes it
  std::size_t size() const { return claims_.size(); }
  std::size_t count(const Container* place) const;

 private:
  // Claims of containers that are not configured share `place` null and are told apart by name.
  struct Key {
    const Container* place;
    std::string_view container;  // of the claim itself; empty where `place` is set
    std::uint32_t section;
    std::uint64_t identifier;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t mixed = key.identifier * 0x9E3779B97F4A7C15u;
      mixed ^= reinterpret_cast<std::uintptr_t>(key.place) + key.section;
      return mixed ^ (mixed >> 29);
    }
  };
  static Key key_of(const FileClaim& claim);

  std::unordered_map<Key, std::unique_ptr<FileClaim>, Hash> claims_;
  std::unordered_map<const Container*, std::size_t> counts_;
};

}  // namespace weir::content
