#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "repositories/state/state_repository.h"
#include "repositories/storage/codec.h"
#include "repositories/storage/record_log.h"

namespace weir::state {

inline constexpr std::array<char, 8> kFormat{'w', 'e', 'i', 'r', 's', 't', 'a', 't'};
inline constexpr std::uint32_t kVersion = 1;

using States = std::map<std::string, StateMap>;

// One record: the whole map of one component, as README.md of this room describes it.
std::vector<std::byte> encode_state(const std::string& component, const StateMap& state);
// Throws storage::DecodeError.
std::pair<std::string, StateMap> decode_state(storage::Bytes payload);

struct LoadedStates {
  States states;
  std::vector<storage::Finding> findings;  // empty: nothing that was stored is missing
};

// Reads the log as far as it is good; an absent file holds nothing.
LoadedStates load_states(storage::FileSystem& files, const storage::Path& path);

}  // namespace weir::state
