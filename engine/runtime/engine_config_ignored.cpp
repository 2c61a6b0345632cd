#include "engine/runtime/engine_config_keys.h"

namespace weir::runtime {
namespace {

// Families of keys whose members nobody needs to know one by one.
struct IgnoredFamily {
  std::string_view prefix;
  std::string_view why;
};

constexpr std::string_view kNoServer = "no web server or site-to-site yet";
constexpr std::string_view kNoCluster = "an engine is one process, there is no cluster";
constexpr std::string_view kNoJava = "no Java or Python extensions are loaded";
constexpr std::string_view kNoHistory = "no status history is kept";
constexpr std::string_view kNoEncryption = "repositories are not encrypted: encrypt the disk";
constexpr std::string_view kOwnPace = "the repository regulates this itself";

constexpr IgnoredFamily kFamilies[] = {
    {"nifi.web.", kNoServer},
    {"nifi.remote.", kNoServer},
    {"nifi.ui.", kNoServer},
    {"nifi.upload.", kNoServer},
    {"nifi.security.", "no users log in"},
    {"nifi.login.", "no users log in"},
    {"nifi.authorizer.", "no users log in"},
    {"nifi.kerberos.", "no component speaks Kerberos"},
    {"nifi.sensitive.props.additional.keys", "only properties of components are encrypted"},
    {"nifi.sensitive.props.provider", "the algorithm says all"},
    {"nifi.cluster.", kNoCluster},
    {"nifi.zookeeper.", kNoCluster},
    {"nifi.state.management.", "state is kept in the folder of weir.state.directory"},
    {"nifi.nar.", kNoJava},
    {"nifi.python.", kNoJava},
    {"nifi.asset.", kNoJava},
    {"nifi.h2.", "no database is used"},
    {"nifi.database.", "no database is used"},
    {"nifi.components.status.", kNoHistory},
    {"nifi.status.repository.", kNoHistory},
    {"nifi.analytics.", kNoHistory},
    {"nifi.monitor.", kNoHistory},
    {"nifi.performance.", kNoHistory},
    {"nifi.diagnostics.", "no diagnostics are written"},
    {"nifi.variable.registry.", "variables of NiFi 1.x have become parameters"},
    {"nifi.registry.", "no registry is asked"},
    {"nifi.templates.", "templates of NiFi 1.x are gone"},
    {"nifi.documentation.", "reference pages come from the program"},
    {"nifi.repository.encryption.", kNoEncryption},
    {"nifi.content.repository.encryption.", kNoEncryption},
    {"nifi.flowfile.repository.encryption.", kNoEncryption},
    {"nifi.provenance.repository.encryption.", kNoEncryption},
    {"nifi.flowfile.repository.rocksdb.", kOwnPace},
    {"nifi.c2.", "no C2 server is asked"},
};

constexpr std::string_view kArchive = "how many earlier flows are kept is not configurable";

struct IgnoredKey {
  std::string_view name;
  std::string_view why;
};

constexpr IgnoredKey kKeys[] = {
    {"nifi.version", "the program knows its own version"},
    {"nifi.restore.directory", "nothing is restored from it"},
    {"nifi.flow.configuration.archive.max.time", kArchive},
    {"nifi.flow.configuration.archive.max.storage", kArchive},
    {"nifi.flow.configuration.archive.max.count", kArchive},
    {"nifi.flowcontroller.registry.sync.interval", "no registry is asked"},
    {"nifi.flowservice.writedelay.interval", kOwnPace},
    {"nifi.processor.scheduling.timeout", kOwnPace},
    {"nifi.flowfile.repository.wal.implementation", kOwnPace},
    {"nifi.flowfile.repository.retain.orphaned.flowfiles",
     "FlowFiles whose connection is gone are always kept"},
    {"nifi.flowfile.repository.partitions", kOwnPace},
    {"nifi.swap.manager.implementation", kOwnPace},
    {"nifi.swap.in.period", kOwnPace},
    {"nifi.swap.in.threads", kOwnPace},
    {"nifi.swap.out.period", kOwnPace},
    {"nifi.swap.out.threads", kOwnPace},
    {"nifi.content.claim.max.flow.files", kOwnPace},
    {"nifi.content.viewer.url", kNoServer},
    {"nifi.volatile.content.repository.block.size", kOwnPace},
    {"nifi.provenance.repository.query.threads", kOwnPace},
    {"nifi.provenance.repository.index.threads", kOwnPace},
    {"nifi.provenance.repository.compress.on.rollover", kOwnPace},
    {"nifi.provenance.repository.always.sync",
     "events are as durable as the commits they belong to"},
    {"nifi.provenance.repository.indexed.fields", "all fields are searchable"},
    {"nifi.provenance.repository.index.shard.size", kOwnPace},
    {"nifi.provenance.repository.max.attribute.length", "events keep attributes whole"},
    {"nifi.provenance.repository.concurrent.merge.threads", kOwnPace},
    {"nifi.provenance.repository.journal.count", kOwnPace},
    {"nifi.provenance.repository.debug.frequency", kOwnPace},
    {"nifi.provenance.repository.warm.cache.frequency", kOwnPace},
};

}  // namespace

std::optional<std::string_view> why_ignored(std::string_view key) {
  for (const IgnoredKey& known : kKeys) {
    if (key == known.name) return known.why;
  }
  for (const IgnoredFamily& family : kFamilies) {
    if (key.starts_with(family.prefix) && key.size() > family.prefix.size()) return family.why;
  }
  return std::nullopt;
}

std::vector<std::string_view> ignored_keys() {
  std::vector<std::string_view> names;
  for (const IgnoredKey& known : kKeys) names.push_back(known.name);
  return names;
}

}  // namespace weir::runtime
