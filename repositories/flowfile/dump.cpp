#include <algorithm>

#include "repositories/flowfile/journal.h"
#include "repositories/flowfile/layout.h"
#include "repositories/flowfile/snapshot.h"
#include "repositories/flowfile/swap_file.h"

namespace weir::flowfile {
namespace {

using Line = std::function<void(const std::string& line)>;
using Status = storage::RecordLogReader::Status;

// Any bytes as printable text of one line.
std::string printable(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || byte == '"' || byte == '\\') {
      out += "\\x";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 0xF];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

std::string claim_text(const PlainClaim& claim) {
  if (claim.container.empty()) return "none";
  std::string text = std::string(claim.container) + "/" + number(claim.section) + "/" +
                     number(claim.identifier) + "+" + number(claim.offset) + ":" +
                     number(claim.length);
  return claim.has_checksum ? text : text + " (no checksum)";
}

std::string attributes_text(const Uuid& uuid, storage::Bytes encoded) {
  std::string text = "{";
  storage::Decoder in(encoded);
  const AttributesPtr attributes = Attributes::decode(uuid, in);
  for (const auto& [name, value] : attributes->entries()) {
    if (text.size() > 1) text += ", ";
    text += printable(name) + ": " + printable(value);
  }
  return text + "}";
}

std::string flow_file_text(const PlainFlowFile& file) {
  return "id=" + number(file.id) + " uuid=" + file.uuid.to_string() +
         " entry=" + std::to_string(file.entry_ms) +
         " lineage-start=" + std::to_string(file.lineage_start_ms) +
         (file.penalty_until_ms == 0 ? ""
                                     : " penalty-until=" + std::to_string(file.penalty_until_ms)) +
         " content=" + claim_text(file.claim) +
         " attributes=" + attributes_text(file.uuid, file.attributes);
}

std::string summary_text(const SwapSummary& summary) {
  return printable(summary.name) + " connection=" + printable(summary.connection) +
         " flow-files=" + number(summary.count) + " bytes=" + number(summary.bytes) +
         " first-order=" + number(summary.first_order) +
         " resource-claims=" + number(summary.claims.size()) + (summary.lost ? " lost" : "");
}

void dump_commit(storage::Decoder in, const std::string& prefix, const Line& line) {
  CommitDecoder commit(in);
  std::vector<std::string> updates;
  PlainUpdate update;
  while (commit.next(update)) {
    const PlainFlowFile& file = update.file;
    if (update.kind == FlowFileUpdate::Kind::drop) {
      updates.push_back("drop id=" + number(file.id));
      continue;
    }
    const std::string where =
        " connection=" + printable(connection_text(commit.connections()[update.connection]));
    if (update.kind == FlowFileUpdate::Kind::create) {
      updates.push_back("create " + flow_file_text(file) + where);
      continue;
    }
    std::string text = "change id=" + number(file.id) + where;
    if (file.penalty_until_ms != 0) {
      text += " penalty-until=" + std::to_string(file.penalty_until_ms);
    }
    if (update.has_content) text += " content=" + claim_text(file.claim);
    // A change does not repeat the uuid: an attribute with its value shows as the nil uuid.
    if (update.has_attributes) text += " attributes=" + attributes_text({}, file.attributes);
    updates.push_back(std::move(text));
  }
  const storage::Bytes events = commit.events();
  line(prefix + "commit updates=" + number(updates.size()) +
       " events=" + number(commit.event_count()) +
       " first-event=" + number(commit.first_event_id()) + " event-bytes=" + number(events.size()));
  for (const std::string& text : updates) line(prefix + "  " + text);
}

void dump_journal_record(const storage::RecordView& record, const std::string& prefix,
                         const Line& line) {
  storage::Decoder in(record.payload);
  const auto kind = static_cast<format::RecordKind>(in.u8());
  switch (kind) {
    case format::RecordKind::commit:
      dump_commit(in, prefix, line);
      break;
    case format::RecordKind::open: {
      const OpenRecord open = decode_open(in);
      line(prefix + "open boot=" + printable(open.boot_id) + " always-sync=" +
           (open.always_sync ? "true" : "false") + " next-order=" + number(open.next_order) +
           " next-id=" + number(open.next_id) + " next-event=" + number(open.next_event_id));
      break;
    }
    case format::RecordKind::mark:
      line(prefix + "mark durable=" + number(decode_mark(in)));
      break;
    case format::RecordKind::swap_out:
      line(prefix + "swap-out " + summary_text(decode_summary(in)));
      break;
    case format::RecordKind::swap_in:
      line(prefix + "swap-in " + printable(in.string()));
      break;
    case format::RecordKind::swap_lost:
      line(prefix + "swap-lost " + printable(in.string()));
      break;
    default:
      throw storage::DecodeError("a record is of unknown kind");
  }
}

void dump_block(const storage::RecordView& record, bool snapshot, const std::string& prefix,
                const Line& line) {
  storage::Decoder in(record.payload);
  switch (static_cast<format::BlockKind>(in.u8())) {
    case format::BlockKind::header:
      line(prefix + (snapshot ? "header position=" + number(in.varint())
                              : "swap-file " + summary_text(decode_summary(in))));
      break;
    case format::BlockKind::swap_file:
      line(prefix + "swap-file " + summary_text(decode_summary(in)));
      break;
    case format::BlockKind::flow_files:
      decode_batch(in, [&](const PlainFlowFile& file, storage::Bytes connection) {
        line(prefix + "flow-file " + flow_file_text(file) + " order=" + number(file.order) +
             " connection=" + printable(connection_text(connection)));
      });
      break;
    case format::BlockKind::footer:
      line(prefix + "footer");
      break;
    default:
      throw storage::DecodeError("a record is of unknown kind");
  }
}

// `visit` dumps one record; what it cannot decode is a line of its own.
void dump_file(storage::FileSystem& files, const storage::Path& path, std::array<char, 8> format,
               const Line& line,
               const std::function<void(const storage::RecordView&, const std::string&)>& visit) {
  const std::string name = path.filename().string();
  const auto damage = [&](std::uint64_t offset, const std::string& what) {
    line(name + " @" + number(offset) + " DAMAGED " + what);
  };
  try {
    storage::RecordLogReader log(files, path, format, format::kVersion);
    Status status;
    while ((status = log.next()) == Status::record) {
      const storage::RecordView& record = log.record();
      try {
        visit(record, name + " @" + number(record.offset) + " #" + number(record.sequence) + " ");
      } catch (const storage::DecodeError& error) {
        damage(record.offset, error.what());
      }
    }
    if (status == Status::torn) {
      line(name + " @" + number(log.offset()) + " torn: " + log.finding().what);
    } else if (status == Status::damaged) {
      damage(log.finding().offset, log.finding().what);
    }
  } catch (const storage::DamagedError& error) {
    damage(error.offset(), error.what());
  } catch (const storage::RefusedError& error) {
    damage(0, error.what());
  }
}

}  // namespace

void dump_repository(storage::FileSystem& files, const storage::Path& directory, const Line& line) {
  const Layout layout(directory);
  // A running engine may remove a file between the look and the opening: then it is left out.
  const auto if_there = [&](const storage::Path& path, auto&& dump) {
    try {
      if (files.status(path)) dump();
    } catch (const storage::IoError&) {
      if (files.status(path)) throw;
    }
  };
  if_there(layout.snapshot(), [&] {
    dump_file(
        files, layout.snapshot(), format::kSnapshot, line,
        [&](const auto& record, const auto& prefix) { dump_block(record, true, prefix, line); });
  });
  if (files.status(layout.journal())) {
    for (const Segment& segment :
         list_segments(files, layout.journal(), [](const std::string&) {})) {
      if_there(segment.path, [&] {
        dump_file(files, segment.path, format::kJournal, line,
                  [&](const auto& record, const auto& prefix) {
                    dump_journal_record(record, prefix, line);
                  });
      });
    }
  }
  if (!files.status(layout.swap())) return;
  std::vector<std::string> names;
  for (const auto& entry : files.list(layout.swap())) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if_there(layout.swap(name), [&] {
      dump_file(
          files, layout.swap(name), format::kSwap, line,
          [&](const auto& record, const auto& prefix) { dump_block(record, false, prefix, line); });
    });
  }
}

}  // namespace weir::flowfile
