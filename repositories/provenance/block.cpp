#include "repositories/provenance/block.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "repositories/storage/checksum.h"

namespace weir::provenance {

using flowfile::Uuid;
using storage::DecodeError;
using storage::Decoder;
using storage::Encoder;

namespace {

void put(Encoder& out, const Uuid& uuid) {
  out.u64(uuid.high);
  out.u64(uuid.low);
}

Uuid get_uuid(Decoder& in) {
  Uuid uuid;
  uuid.high = in.u64();
  uuid.low = in.u64();
  return uuid;
}

// Of a summary: bytes of one file, or of one that is gone, never pass for another file's.
std::uint64_t summary_checksum(std::span<const std::byte> summary, const EventFileName& file) {
  return storage::checksum(
      summary, file.first_event_id * 0x9E3779B97F4A7C15ull + file.generation + kBlockMagic);
}

}  // namespace

bool BlockSummary::may_match(const Selection& selection) const {
  const auto& query = selection.query;
  if (!selection.may_hold_ids(first_event_id, last_event_id())) return false;
  if (query.from_ms && to_ms < *query.from_ms) return false;
  if (query.to_ms && from_ms > *query.to_ms) return false;
  if (query.type && (types >> static_cast<unsigned>(*query.type) & 1) == 0) return false;
  if (query.component && !many_components &&
      std::ranges::none_of(components, [&](const auto& component) {
        return component.first == *query.component || component.second == *query.component;
      })) {
    return false;
  }
  return selection.flow_files.empty() ||
         std::ranges::any_of(selection.flow_files,
                             [&](const Uuid& uuid) { return uuid >= least && uuid <= greatest; });
}

bool filter_may_match(const BlockSummary& summary, std::span<const std::byte> filter,
                      const Selection& selection) {
  if (!selection.flow_files.empty() &&
      std::ranges::none_of(selection.flow_files, [&](const Uuid& uuid) {
        return uuid >= summary.least && uuid <= summary.greatest &&
               may_contain(filter, uuid_key(uuid));
      })) {
    return false;
  }
  return std::ranges::all_of(selection.query.attributes, [&](const auto& wanted) {
    const bool filtered = std::ranges::find(summary.attributes, attribute_name_key(wanted.first)) !=
                          summary.attributes.end();
    return !filtered || may_contain(filter, attribute_key(wanted.first, wanted.second));
  });
}

void BlockSummary::encode(Encoder& out) const {
  out.u64(first_event_id);
  out.u32(count);
  out.u64(last_sequence);
  out.u64(static_cast<std::uint64_t>(from_ms));
  out.u64(static_cast<std::uint64_t>(to_ms));
  out.u32(types);
  put(out, least);
  put(out, greatest);
  out.u64(durable_before);
  out.u32(filter_bytes);
  out.u64(filter_checksum);
  out.u32(data_bytes);
  out.u64(data_checksum);
  out.u32(raw_bytes);
  out.u8(many_components ? 1 : 0);
  out.varint(components.size());
  for (const auto& [id, name] : components) {
    out.string(id);
    out.string(name);
  }
  out.varint(attributes.size());
  for (const auto key : attributes) out.u64(key);
}

BlockSummary BlockSummary::decode(Decoder& in) {
  BlockSummary summary;
  summary.first_event_id = in.u64();
  summary.count = in.u32();
  summary.last_sequence = in.u64();
  summary.from_ms = static_cast<std::int64_t>(in.u64());
  summary.to_ms = static_cast<std::int64_t>(in.u64());
  summary.types = in.u32();
  summary.least = get_uuid(in);
  summary.greatest = get_uuid(in);
  summary.durable_before = in.u64();
  summary.filter_bytes = in.u32();
  summary.filter_checksum = in.u64();
  summary.data_bytes = in.u32();
  summary.data_checksum = in.u64();
  summary.raw_bytes = in.u32();
  summary.many_components = in.u8() != 0;
  for (auto left = in.count(2); left > 0; --left) {
    const auto id = in.string();
    summary.components.emplace_back(id, in.string());
  }
  for (auto left = in.count(8); left > 0; --left) summary.attributes.push_back(in.u64());
  if (summary.count == 0 || summary.filter_bytes > kMaximumBlockBytes ||
      summary.data_bytes > kMaximumBlockBytes || summary.raw_bytes > kMaximumBlockBytes) {
    throw DecodeError("a block's summary has impossible sizes");
  }
  return summary;
}

std::uint64_t BlockEntry::filter_offset() const {
  return offset + kBlockPrefixBytes + summary_bytes;
}

std::vector<std::byte> block_payload(const Block& block, const EventFileName& file,
                                     std::uint64_t durable_before, std::uint32_t& summary_bytes) {
  BlockSummary summary = block.summary;
  summary.durable_before = durable_before;
  std::vector<std::byte> encoded;
  Encoder summary_out(encoded);
  summary.encode(summary_out);
  summary_bytes = static_cast<std::uint32_t>(encoded.size());

  std::vector<std::byte> payload;
  payload.reserve(kBlockPrefixBytes + encoded.size() + block.filter.size() + block.data.size());
  Encoder out(payload);
  out.u32(kBlockMagic);
  out.u32(summary_bytes);
  out.u64(summary_checksum(encoded, file));
  out.raw(encoded);
  out.raw(block.filter);
  out.raw(block.data);
  return payload;
}

std::optional<BlockEntry> parse_block(std::span<const std::byte> bytes, const EventFileName& file,
                                      std::uint64_t offset, std::size_t& needed) {
  needed = kBlockPrefixBytes;
  if (bytes.size() < needed) return std::nullopt;
  Decoder prefix(bytes);
  if (prefix.u32() != kBlockMagic) return std::nullopt;
  const std::uint32_t summary_bytes = prefix.u32();
  const std::uint64_t checksum = prefix.u64();
  if (summary_bytes > kMaximumSummaryBytes) return std::nullopt;
  needed = kBlockPrefixBytes + summary_bytes;
  if (bytes.size() < needed) return std::nullopt;
  const auto encoded = bytes.subspan(kBlockPrefixBytes, summary_bytes);
  if (summary_checksum(encoded, file) != checksum) return std::nullopt;
  try {
    Decoder in(encoded);
    return BlockEntry{BlockSummary::decode(in), file, offset, summary_bytes};
  } catch (const DecodeError&) {
    return std::nullopt;
  }
}

std::vector<std::byte> decompress_block(const BlockSummary& summary,
                                        std::span<const std::byte> data) {
  if (data.size() != summary.data_bytes || storage::checksum(data) != summary.data_checksum) {
    throw DecodeError("a block of events is not what was written");
  }
  std::vector<std::byte> raw(summary.raw_bytes);
  const std::size_t size = ZSTD_decompress(raw.data(), raw.size(), data.data(), data.size());
  if (ZSTD_isError(size) != 0 || size != raw.size()) {
    throw DecodeError("a block of events cannot be decompressed");
  }
  return raw;
}

void for_each_batch(const BlockSummary& summary, std::span<const std::byte> raw,
                    const std::function<void(const BatchView&)>& visit) {
  Decoder in(raw);
  std::uint64_t next_id = summary.first_event_id;
  while (!in.at_end()) {
    const std::uint64_t count = in.varint();
    if (count > summary.count) throw DecodeError("a batch's count exceeds its block");
    const auto bytes = in.raw(in.varint());
    visit({next_id, static_cast<std::uint32_t>(count), bytes});
    next_id += count;
  }
  if (next_id != summary.first_event_id + summary.count) {
    throw DecodeError("a block's batches are not as many as its summary says");
  }
}

}  // namespace weir::provenance
