#include <zstd.h>

#include <algorithm>

#include "repositories/provenance/batch.h"
#include "repositories/provenance/block.h"
#include "repositories/storage/checksum.h"

namespace weir::provenance {

using flowfile::Uuid;

namespace {

constexpr int kCompressionLevel = 1;
constexpr std::size_t kMostComponents = 64;
constexpr std::size_t kMostComponentBytes = 8 << 10;

}  // namespace

BlockBuilder::BlockBuilder(std::vector<std::string> indexed_attributes)
    : indexed_attributes_(std::move(indexed_attributes)), compressor_(ZSTD_createCCtx()) {
  if (compressor_ == nullptr) throw std::bad_alloc();
}

BlockBuilder::~BlockBuilder() {
  ZSTD_freeCCtx(compressor_);
}

bool BlockBuilder::add(const Batch& batch) {
  if (raw_.empty()) {
    summary_ = {};
    summary_.first_event_id = batch.first_event_id;
    summary_.from_ms = INT64_MAX;
    summary_.to_ms = INT64_MIN;
    summary_.least = {UINT64_MAX, UINT64_MAX};
    last_uuid_ = {};
    last_component_ = {};
    opaque_ = false;
  }
  storage::Encoder out(raw_);
  out.varint(batch.count);
  out.varint(batch.bytes.size());
  out.raw(batch.bytes);
  summary_.count += batch.count;
  summary_.last_sequence = batch.sequence;
  try {
    ComponentRef component;
    const auto count = skim_event_batch(batch.bytes, &component, [&](const SkimmedEvent& event) {
      summary_.types |= 1u << static_cast<unsigned>(event.type);
      summary_.from_ms = std::min(summary_.from_ms, event.time_ms);
      summary_.to_ms = std::max(summary_.to_ms, event.time_ms);
      add_uuid(event.flow_file);
      for (const auto& relative : event.relatives) add_uuid(relative);
    });
    if (count != batch.count) throw storage::DecodeError("a batch's count is not its commit's");
    add_component(std::move(component));
    if (!indexed_attributes_.empty()) add_attributes(batch);
    return true;
  } catch (const storage::DecodeError&) {
    opaque_ = true;
    return false;
  }
}

void BlockBuilder::add_uuid(const Uuid& uuid) {
  if (uuid == last_uuid_ && keys_.keys() > 0) return;
  last_uuid_ = uuid;
  summary_.least = std::min(summary_.least, uuid);
  summary_.greatest = std::max(summary_.greatest, uuid);
  keys_.add(uuid_key(uuid));
}

void BlockBuilder::add_component(ComponentRef component) {
  if (summary_.many_components) return;
  if (component == last_component_ && !summary_.components.empty()) return;
  const auto pair = std::pair(component.id, component.name);
  last_component_ = std::move(component);
  if (std::ranges::find(summary_.components, pair) != summary_.components.end()) return;
  std::size_t bytes = pair.first.size() + pair.second.size();
  for (const auto& [id, name] : summary_.components) bytes += id.size() + name.size();
  if (summary_.components.size() == kMostComponents || bytes > kMostComponentBytes) {
    summary_.many_components = true;
  } else {
    summary_.components.push_back(pair);
  }
}

void BlockBuilder::add_attributes(const Batch& batch) {
  for (const auto& event : decode_event_batch(batch.first_event_id, batch.bytes)) {
    for (const auto& name : indexed_attributes_) {
      const std::string* value = event.attributes_after->find(name);
      if (value != nullptr) keys_.add(attribute_key(name, *value));
    }
  }
}

BlockPtr BlockBuilder::finish() {
  auto block = std::make_shared<Block>();
  block->filter = keys_.build();
  if (opaque_) {
    block->filter.clear();
    summary_.types = UINT32_MAX;
    summary_.least = {};
    summary_.greatest = {UINT64_MAX, UINT64_MAX};
    summary_.from_ms = INT64_MIN;
    summary_.to_ms = INT64_MAX;
    summary_.many_components = true;
  } else {
    for (const auto& name : indexed_attributes_) {
      // A FlowFile's uuid is no entry of its attributes: a question for it must not be filtered.
      if (name != "uuid" && summary_.attributes.size() < kMostComponents) {
        summary_.attributes.push_back(attribute_name_key(name));
      }
    }
  }
  block->data.resize(ZSTD_compressBound(raw_.size()));
  const std::size_t size = ZSTD_compressCCtx(compressor_, block->data.data(), block->data.size(),
                                             raw_.data(), raw_.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the output is large enough always
  block->data.resize(size);
  block->data.shrink_to_fit();
  summary_.filter_bytes = static_cast<std::uint32_t>(block->filter.size());
  summary_.filter_checksum = storage::checksum(block->filter);
  summary_.data_bytes = static_cast<std::uint32_t>(size);
  summary_.data_checksum = storage::checksum(block->data);
  summary_.raw_bytes = static_cast<std::uint32_t>(raw_.size());
  block->summary = std::move(summary_);
  raw_.clear();
  return block;
}

}  // namespace weir::provenance
