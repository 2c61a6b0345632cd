#include "engine/runtime/engine_config_keys.h"

#include <fmt/format.h>

#include <array>

#include "engine/api/units.h"

namespace weir::runtime {
namespace {

using Target = ConfigKey::Target;
using Error = std::optional<std::string>;
using std::chrono::milliseconds;

Error set_duration(milliseconds& out, std::string_view value, milliseconds least) {
  const auto parsed = parse_duration(value);
  if (!parsed) return parsed.error();
  const auto rounded = std::chrono::duration_cast<milliseconds>(*parsed);
  if (rounded < least) return fmt::format("must be at least {} ms", least.count());
  out = rounded;
  return {};
}

Error set_bytes(std::uint64_t& out, std::string_view value, std::uint64_t least) {
  const auto parsed = parse_data_size(value);
  if (!parsed) return parsed.error();
  if (*parsed < least) return fmt::format("must be at least {}", format_data_size(least));
  out = *parsed;
  return {};
}

Error set_count(std::uint64_t& out, std::string_view value, std::int64_t least) {
  const auto parsed = parse_integer(value, least);
  if (!parsed) return parsed.error();
  out = static_cast<std::uint64_t>(*parsed);
  return {};
}

Error set_flag(bool& out, std::string_view value) {
  const auto parsed = parse_boolean(value);
  if (!parsed) return parsed.error();
  out = *parsed;
  return {};
}

Error set_path(storage::Path& out, const Target& target, std::string_view value) {
  out = (target.base / storage::Path(value)).lexically_normal();
  return {};
}

Error set_share(double& out, std::string_view value) {
  std::string_view digits = value;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto parsed = parse_integer(digits, 0, 100);
  if (!parsed) return "must be a percentage from 0% to 100%";
  out = static_cast<double>(*parsed) / 100;
  return {};
}

// The running flow is saved as JSON, so NiFi 1.x's flow.xml.gz must not be written over.
Error set_flow_copy(Target& target, std::string_view value) {
  std::string file(value);
  const std::size_t xml = file.rfind(".xml");
  if (xml != std::string::npos && (file.ends_with(".xml") || file.ends_with(".xml.gz"))) {
    file.replace(xml, 4, ".json");
    target.warning = fmt::format("flows are saved as JSON here: '{}' is used", file);
  }
  return set_path(target.config.flow_copy, target, file);
}

// One way to write the name of an implementation: NiFi's class name or its last part.
template <typename Store>
struct Implementation {
  std::string_view name;  // full class name, or a word
  Store store;
  std::string_view warning = {};
};

template <typename Store, std::size_t N>
Error choose(Store& out, Target& target, std::string_view value,
             const std::array<Implementation<Store>, N>& known) {
  std::string names;
  for (const auto& one : known) {
    const std::string_view short_name = one.name.substr(one.name.rfind('.') + 1);
    if (value == one.name || value == short_name) {
      out = one.store;
      target.warning = one.warning;
      return {};
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", short_name);
  }
  return fmt::format("'{}' is no implementation known here; known are {}", value, names);
}

using FlowFileStore = EngineConfig::FlowFileStore;
constexpr std::array<Implementation<FlowFileStore>, 6> kFlowFileStores = {{
    {"org.apache.nifi.controller.repository.WriteAheadFlowFileRepository",
     FlowFileStore::write_ahead},
    {"org.apache.nifi.controller.repository.RocksDBFlowFileRepository", FlowFileStore::rocksdb},
    {"org.apache.nifi.controller.repository.VolatileFlowFileRepository",
     FlowFileStore::volatile_memory},
    {"write-ahead", FlowFileStore::write_ahead},
    {"rocksdb", FlowFileStore::rocksdb},
    {"volatile", FlowFileStore::volatile_memory},
}};

using ContentStore = EngineConfig::ContentStore;
constexpr std::array<Implementation<ContentStore>, 4> kContentStores = {{
    {"org.apache.nifi.controller.repository.FileSystemRepository", ContentStore::file_system},
    {"org.apache.nifi.controller.repository.VolatileContentRepository",
     ContentStore::volatile_memory},
    {"file-system", ContentStore::file_system},
    {"volatile", ContentStore::volatile_memory},
}};

using ProvenanceStore = EngineConfig::ProvenanceStore;
constexpr std::array<Implementation<ProvenanceStore>, 7> kProvenanceStores = {{
    {"org.apache.nifi.provenance.WriteAheadProvenanceRepository", ProvenanceStore::write_ahead},
    {"org.apache.nifi.provenance.PersistentProvenanceRepository", ProvenanceStore::write_ahead,
     "the persistent repository of NiFi 1.x is gone: the write-ahead one is used"},
    {"org.apache.nifi.provenance.VolatileProvenanceRepository", ProvenanceStore::volatile_memory},
    {"org.apache.nifi.provenance.NoOpProvenanceRepository", ProvenanceStore::none},
    {"write-ahead", ProvenanceStore::write_ahead},
    {"volatile", ProvenanceStore::volatile_memory},
    {"none", ProvenanceStore::none},
}};

Error set_indexed_attributes(Target& target, std::string_view value) {
  auto& names = target.config.provenance.indexed_attributes;
  names.clear();
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    std::string_view name = value.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) names.emplace_back(name);
    value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
  }
  return {};
}

Error set_sensitive_algorithm(Target& target, std::string_view value) {
  target.config.sensitive_key_is_128 = value == "NIFI_PBKDF2_AES_GCM_128";
  if (target.config.sensitive_key_is_128 || value == "NIFI_PBKDF2_AES_GCM_256") return {};
  return fmt::format(
      "'{}' is not known here; known are NIFI_PBKDF2_AES_GCM_256 and "
      "NIFI_PBKDF2_AES_GCM_128",
      value);
}

constexpr milliseconds kSomeTime{1};

constexpr ConfigKey kKeys[] = {
    {"nifi.flow.configuration.file", "./conf/flow.json.gz",
     [](Target& t, std::string_view v) { return set_flow_copy(t, v); }},
    {"nifi.flow.configuration.archive.enabled", "true",
     [](Target& t, std::string_view v) { return set_flag(t.config.flow_archive_enabled, v); }},
    {"nifi.flow.configuration.archive.dir", "./conf/archive/",
     [](Target& t, std::string_view v) { return set_path(t.config.flow_archive_directory, t, v); }},
    {"nifi.sensitive.props.key", "",
     [](Target& t, std::string_view v) -> Error {
       t.config.sensitive_key = std::string(v);
       return {};
     }},
    {"nifi.sensitive.props.algorithm", "NIFI_PBKDF2_AES_GCM_256",
     [](Target& t, std::string_view v) { return set_sensitive_algorithm(t, v); }},
    {"nifi.flowcontroller.autoResumeState", "true",
     [](Target& t, std::string_view v) { return set_flag(t.config.auto_resume, v); }},
    {"nifi.flowcontroller.graceful.shutdown.period", "10 sec",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.graceful_shutdown, v, milliseconds(0));
     }},
    {"nifi.administrative.yield.duration", "30 sec",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.administrative_yield, v, milliseconds(0));
     }},
    {"nifi.bored.yield.duration", "10 millis",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.bored_yield, v, milliseconds(0));
     }},
    {"nifi.queue.backpressure.count", "10000",
     [](Target& t, std::string_view v) { return set_count(t.config.backpressure_count, v, 0); }},
    {"nifi.queue.backpressure.size", "1 GB",
     [](Target& t, std::string_view v) -> Error {
       std::uint64_t bytes = 0;
       if (auto error = set_bytes(bytes, v, 0)) return error;
       t.config.backpressure_size = std::string(v);
       return {};
     }},
    {"nifi.queue.swap.threshold", "20000",
     [](Target& t, std::string_view v) { return set_count(t.config.swap_threshold, v, 1); }},

    {"nifi.flowfile.repository.implementation",
     "org.apache.nifi.controller.repository.WriteAheadFlowFileRepository",
     [](Target& t, std::string_view v) {
       return choose(t.config.flow_file_store, t, v, kFlowFileStores);
     }},
    {"nifi.flowfile.repository.directory", "./flowfile_repository",
     [](Target& t, std::string_view v) { return set_path(t.config.flow_files.directory, t, v); }},
    {"nifi.flowfile.repository.checkpoint.interval", "20 secs",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.flow_files.checkpoint_interval, v, kSomeTime);
     }},
    {"nifi.flowfile.repository.always.sync", "false",
     [](Target& t, std::string_view v) { return set_flag(t.config.flow_files.always_sync, v); }},
    {"weir.flowfile.repository.flush.interval", "1 sec",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.flow_files.flush_interval, v, kSomeTime);
     }},
    {"weir.flowfile.repository.segment.size", "64 MB",
     [](Target& t, std::string_view v) {
       return set_bytes(t.config.flow_files.segment_bytes, v, 4096);
     }},

    {"nifi.content.repository.implementation",
     "org.apache.nifi.controller.repository.FileSystemRepository",
     [](Target& t, std::string_view v) {
       return choose(t.config.content_store, t, v, kContentStores);
     }},
    {"nifi.content.claim.max.appendable.size", "50 KB",
     [](Target& t, std::string_view v) {
       return set_bytes(t.config.contents.max_appendable_bytes, v, 1);
     }},
    {"nifi.content.repository.archive.enabled", "true",
     [](Target& t, std::string_view v) { return set_flag(t.config.contents.archive_enabled, v); }},
    {"nifi.content.repository.archive.max.retention.period", "3 hours",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.contents.archive_max_age, v, milliseconds(0));
     }},
    {"nifi.content.repository.archive.max.usage.percentage", "90%",
     [](Target& t, std::string_view v) {
       return set_share(t.config.contents.archive_max_usage, v);
     }},
    {"nifi.content.repository.always.sync", "false",
     [](Target& t, std::string_view v) { return set_flag(t.config.contents.always_sync, v); }},
    {"nifi.volatile.content.repository.max.size", "100 MB",
     [](Target& t, std::string_view v) {
       return set_bytes(t.config.volatile_content_bytes, v, 1);
     }},

    {"nifi.provenance.repository.implementation",
     "org.apache.nifi.provenance.WriteAheadProvenanceRepository",
     [](Target& t, std::string_view v) {
       return choose(t.config.provenance_store, t, v, kProvenanceStores);
     }},
    {"nifi.provenance.repository.max.storage.time", "30 days",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.provenance.max_storage_time, v, kSomeTime);
     }},
    {"nifi.provenance.repository.max.storage.size", "10 GB",
     [](Target& t, std::string_view v) {
       return set_bytes(t.config.provenance.max_storage_bytes, v, 1);
     }},
    {"nifi.provenance.repository.rollover.time", "10 mins",
     [](Target& t, std::string_view v) {
       return set_duration(t.config.provenance.rollover_time, v, kSomeTime);
     }},
    {"nifi.provenance.repository.rollover.size", "100 MB",
     [](Target& t, std::string_view v) {
       return set_bytes(t.config.provenance.rollover_bytes, v, 1);
     }},
    {"nifi.provenance.repository.indexed.attributes", "",
     [](Target& t, std::string_view v) { return set_indexed_attributes(t, v); }},
    {"nifi.provenance.repository.buffer.size", "100000",
     [](Target& t, std::string_view v) {
       return set_count(t.config.volatile_provenance_events, v, 1);
     }},

    {"weir.state.directory", "./state/local",
     [](Target& t, std::string_view v) { return set_path(t.config.state_directory, t, v); }},
};

}  // namespace

std::span<const ConfigKey> config_keys() {
  return kKeys;
}

}  // namespace weir::runtime
