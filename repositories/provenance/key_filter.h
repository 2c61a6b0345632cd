#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "repositories/flowfile/uuid.h"

namespace weir::provenance {

// A set of 64-bit keys in about ten bits each: says "certainly not" or "maybe" (about 1 in 100
// wrongly). It never says "not" of a key that was added. Split block Bloom filter: a key sets
// eight bits of one block of 32 bytes.

std::uint64_t uuid_key(const flowfile::Uuid& uuid);
std::uint64_t attribute_name_key(std::string_view name);
std::uint64_t attribute_key(std::string_view name, std::string_view value);

// An empty filter knows nothing and answers "maybe".
bool may_contain(std::span<const std::byte> filter, std::uint64_t key);

// Collects keys, each once, and makes a filter of the right size for them. Reusable.
class KeyFilterBuilder {
 public:
  KeyFilterBuilder();

  void add(std::uint64_t key);
  std::size_t keys() const { return count_; }
  // The builder is empty afterwards.
  std::vector<std::byte> build();

 private:
  void grow();

  std::vector<std::uint64_t> table_;  // open addressing; 0 marks a free slot
  std::size_t count_ = 0;
};

}  // namespace weir::provenance
