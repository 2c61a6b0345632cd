#include "repositories/provenance/key_filter.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "repositories/storage/checksum.h"

namespace weir::provenance {

namespace {

constexpr std::size_t kBlockBytes = 32;
constexpr std::size_t kBitsPerKey = 10;
constexpr std::size_t kFirstSlots = 1 << 14;
constexpr std::array<std::uint32_t, 8> kOdd = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                               0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};

using Words = std::array<std::uint32_t, 8>;
static_assert(sizeof(Words) == kBlockBytes);

// 0 marks a free slot while a filter is being built.
std::uint64_t never_zero(std::uint64_t key) {
  return key == 0 ? 1 : key;
}

std::size_t block_of(std::uint64_t key, std::size_t blocks) {
  return static_cast<std::size_t>(((key >> 32) * blocks) >> 32);
}

std::uint32_t bit_of(std::uint64_t key, std::size_t word) {
  return std::uint32_t{1} << ((static_cast<std::uint32_t>(key) * kOdd[word]) >> 27);
}

std::uint64_t text_key(std::string_view text, std::uint64_t seed) {
  return storage::checksum(std::as_bytes(std::span(text.data(), text.size())), seed);
}

}  // namespace

std::uint64_t uuid_key(const flowfile::Uuid& uuid) {
  std::uint64_t key = uuid.high * 0x9E3779B97F4A7C15ull + uuid.low;
  key = (key ^ (key >> 32)) * 0xD6E8FEB86659FD93ull;
  key = (key ^ (key >> 29)) * 0xBF58476D1CE4E5B9ull;
  return key ^ (key >> 32);
}

std::uint64_t attribute_name_key(std::string_view name) {
  return text_key(name, 1);
}

std::uint64_t attribute_key(std::string_view name, std::string_view value) {
  return text_key(value, attribute_name_key(name));
}

bool may_contain(std::span<const std::byte> filter, std::uint64_t key) {
  const std::size_t blocks = filter.size() / kBlockBytes;
  if (blocks == 0) return true;
  key = never_zero(key);
  Words words;
  std::memcpy(words.data(), filter.data() + block_of(key, blocks) * kBlockBytes, kBlockBytes);
  for (std::size_t word = 0; word < words.size(); ++word) {
    if ((words[word] & bit_of(key, word)) == 0) return false;
  }
  return true;
}

KeyFilterBuilder::KeyFilterBuilder() : table_(kFirstSlots) {}

void KeyFilterBuilder::add(std::uint64_t key) {
  key = never_zero(key);
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(key) & mask;
  while (table_[slot] != 0) {
    if (table_[slot] == key) return;
    slot = (slot + 1) & mask;
  }
  table_[slot] = key;
  if (++count_ * 2 > table_.size()) grow();
}

void KeyFilterBuilder::grow() {
  std::vector<std::uint64_t> old(table_.size() * 2);
  old.swap(table_);
  count_ = 0;
  for (const auto key : old) {
    if (key != 0) add(key);
  }
}

std::vector<std::byte> KeyFilterBuilder::build() {
  const std::size_t blocks =
      std::max<std::size_t>(1, (count_ * kBitsPerKey + kBlockBytes * 8 - 1) / (kBlockBytes * 8));
  std::vector<std::byte> filter(blocks * kBlockBytes);
  for (auto& key : table_) {
    if (key == 0) continue;
    std::byte* const at = filter.data() + block_of(key, blocks) * kBlockBytes;
    Words words;
    std::memcpy(words.data(), at, kBlockBytes);
    for (std::size_t word = 0; word < words.size(); ++word) words[word] |= bit_of(key, word);
    std::memcpy(at, words.data(), kBlockBytes);
    key = 0;
  }
  count_ = 0;
  return filter;
}

}  // namespace weir::provenance
