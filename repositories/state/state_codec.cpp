#include "repositories/state/state_codec.h"

namespace weir::state {

using storage::Decoder;
using storage::Encoder;

std::vector<std::byte> encode_state(const std::string& component, const StateMap& state) {
  std::vector<std::byte> payload;
  Encoder out(payload);
  out.string(component);
  out.signed_varint(state.version);
  out.varint(state.values.size());
  for (const auto& [key, value] : state.values) {
    out.string(key);
    out.string(value);
  }
  return payload;
}

std::pair<std::string, StateMap> decode_state(storage::Bytes payload) {
  Decoder in(payload);
  std::pair<std::string, StateMap> result;
  result.first = in.string();
  result.second.version = in.signed_varint();
  const std::size_t count = in.count(2);
  for (std::size_t i = 0; i < count; ++i) {
    std::string key(in.string());
    result.second.values.insert_or_assign(std::move(key), std::string(in.string()));
  }
  if (!in.at_end()) throw storage::DecodeError("a state record has bytes behind its end");
  return result;
}

LoadedStates load_states(storage::FileSystem& files, const storage::Path& path) {
  LoadedStates loaded;
  if (!files.status(path)) return loaded;
  std::optional<storage::RecordLogReader> reader;
  try {
    reader.emplace(files, path, kFormat, kVersion);
  } catch (const storage::DamagedError& error) {
    loaded.findings.push_back({path, error.offset(), 0, error.what()});
    return loaded;
  }
  auto read = reader->next();
  for (; read == storage::RecordLogReader::Status::record; read = reader->next()) {
    try {
      auto [component, state] = decode_state(reader->record().payload);
      loaded.states.insert_or_assign(std::move(component), std::move(state));
    } catch (const storage::DecodeError& error) {
      loaded.findings.push_back({path, reader->record().offset, reader->record().payload.size(),
                                 std::string("a state record is not readable: ") + error.what()});
    }
  }
  // A torn tail is a `set` that never returned. Damage loses changes: it is told.
  if (read == storage::RecordLogReader::Status::damaged) {
    loaded.findings.push_back(reader->finding());
  }
  return loaded;
}

}  // namespace weir::state
