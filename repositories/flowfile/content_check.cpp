#include "repositories/flowfile/content_check.h"

#include "repositories/flowfile/swap_file.h"
#include "repositories/storage/checksum.h"

namespace weir::flowfile {
namespace {

format::RecordKind kind_of(storage::Decoder& in) {
  return static_cast<format::RecordKind>(in.u8());
}

template <typename Visit>
void for_each_claim(storage::Decoder in, Visit&& visit) {
  CommitDecoder commit(in);
  PlainUpdate update;
  while (commit.next(update)) {
    if (update.has_content && update.file.claim.length > 0) visit(update.file.claim);
  }
}

}  // namespace

bool content_matches(content::ContentRepository& contents, const PlainClaim& claim) {
  try {
    const auto reader = contents.read(contents.resolve({.container = std::string(claim.container),
                                                        .section = claim.section,
                                                        .identifier = claim.identifier,
                                                        .offset = claim.offset,
                                                        .length = claim.length}));
    storage::StreamingChecksum sum;
    std::vector<std::byte> piece(std::min<std::uint64_t>(claim.length, 256 * 1024));
    for (std::uint64_t done = 0; done < claim.length;) {
      const std::size_t got = reader->read_at(done, piece);
      if (got == 0) return false;
      sum.update(std::span(piece).first(got));
      done += got;
    }
    return sum.value() == claim.checksum;
  } catch (const content::ContentMissingError&) {
    return false;
  }
}

void ContentCheck::prepare(const std::vector<Segment>& segments, std::uint64_t position,
                           const storage::Path* snapshot, bool will_check) {
  durable_ = position;
  walk_journal(
      files_, segments, position + 1,
      [&](const storage::RecordView& record, std::size_t, std::string&) {
        storage::Decoder in(record.payload);
        const auto kind = kind_of(in);
        if (kind == format::RecordKind::mark) {
          durable_ = std::max(durable_, decode_mark(in));
        } else if (will_check && kind == format::RecordKind::commit) {
          for_each_claim(in, [this](const PlainClaim& claim) {
            if (claim.has_checksum) return;
            ranges_.try_emplace(Resource(claim.container, claim.section, claim.identifier));
          });
        }
        return true;
      });
  if (ranges_.empty()) return;
  if (snapshot != nullptr) {
    SnapshotReader(files_, *snapshot)
        .read([this](const PlainFlowFile& file, storage::Bytes) { learn(file.claim); },
              [](SwapSummary&&) {});
  }
}

void ContentCheck::learn(const PlainClaim& claim) {
  if (claim.length == 0 || ranges_.empty()) return;
  const auto it = ranges_.find(Resource(claim.container, claim.section, claim.identifier));
  if (it == ranges_.end()) return;
  it->second.parts.emplace_back(claim.offset, claim.offset + claim.length);
}

bool ContentCheck::known(const PlainClaim& claim) const {
  const auto it = ranges_.find(Resource(claim.container, claim.section, claim.identifier));
  if (it == ranges_.end()) return false;
  for (const auto& [begin, end] : it->second.parts) {
    if (begin <= claim.offset && claim.offset + claim.length <= end) return true;
  }
  return false;
}

bool ContentCheck::passes(const storage::RecordView& record, std::string& why) {
  storage::Decoder in(record.payload);
  const auto kind = kind_of(in);
  if (kind == format::RecordKind::open) always_sync_ = decode_open(in).always_sync;
  if (record.sequence <= durable_ || always_sync_) {
    if (kind == format::RecordKind::commit) {
      for_each_claim(in, [this](const PlainClaim& claim) { learn(claim); });
    }
    return true;
  }
  if (kind == format::RecordKind::commit) return check_commit(in, why);
  if (kind == format::RecordKind::swap_out) return check_swap_out(in, why);
  return true;
}

bool ContentCheck::check_commit(storage::Decoder in, std::string& why) {
  bool good = true;
  for_each_claim(in, [&](const PlainClaim& claim) {
    if (good) good = check_claim(claim, why);
    if (good) learn(claim);
  });
  return good;
}

bool ContentCheck::check_claim(const PlainClaim& claim, std::string& why) {
  const std::string name = std::string(claim.container) + "/" + std::to_string(claim.section) +
                           "/" + std::to_string(claim.identifier);
  if (!claim.has_checksum) {
    // A part of a content that was there already, or of one that has just been checked.
    if (known(claim)) return true;
    why = "the content in " + name + " carries no checksum to tell whether it survived";
    return false;
  }
  if (content_matches(contents_, claim)) return true;
  why = "the content in " + name + " at " + std::to_string(claim.offset) +
        " is not there as it was written";
  return false;
}

bool ContentCheck::check_swap_out(storage::Decoder in, std::string& why) {
  const SwapSummary summary = decode_summary(in);
  try {
    if (!files_.status(layout_.swap(summary.name))) {
      why = "the swap file " + summary.name + " did not survive";
      return false;
    }
    read_swap_file(files_, layout_.swap(summary.name), [](const PlainFlowFile&, storage::Bytes) {});
    return true;
  } catch (const storage::DamagedError& error) {
    why = error.what();
    return false;
  }
}

}  // namespace weir::flowfile
