#pragma once

#include <array>
#include <cstdint>

// Names and numbers of the formats in README.md, for the sources of this room alone.
namespace weir::flowfile::format {

inline constexpr std::array<char, 8> kJournal{'w', 'e', 'i', 'r', 'j', 'r', 'n', 'l'};
inline constexpr std::array<char, 8> kSnapshot{'w', 'e', 'i', 'r', 's', 'n', 'a', 'p'};
inline constexpr std::array<char, 8> kSwap{'w', 'e', 'i', 'r', 's', 'w', 'a', 'p'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr char kVersionText[] = "weir flowfile repository 1\n";

// First byte of a journal record.
enum class RecordKind : std::uint8_t {
  open = 1,       // first of each segment: which boot, which durability, counters
  commit = 2,     // a session's transaction
  swap_out = 3,   // FlowFiles went to a swap file
  swap_in = 4,    // and came back
  swap_lost = 5,  // a swap file could not be read
  mark = 6,       // up to where content and journal are durable
};

// First byte of a record of a snapshot or a swap file.
enum class BlockKind : std::uint8_t {
  header = 1,
  swap_file = 2,
  flow_files = 3,
  footer = 4,
};

// Of a batch of FlowFiles in a snapshot or swap file, about.
inline constexpr std::size_t kBatchBytes = 64 * 1024;

}  // namespace weir::flowfile::format
