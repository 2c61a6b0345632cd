#include "processors/kafka/mirror/unacked_offset_list.h"

#include <utility>

namespace weir::processors::kafka {
namespace {

// Empty chunks kept for the next records; more are given back.
constexpr std::size_t kMostSpare = 4;

}  // namespace

UnackedOffsetList::UnackedOffsetList(std::int64_t position)
    : tail_(new Chunk), head_(tail_), position_(position) {}

UnackedOffsetList::~UnackedOffsetList() {
  while (head_ != nullptr) delete std::exchange(head_, head_->next);
  for (Chunk* chunk : spare_) delete chunk;
}

UnackedOffsetList::Entry& UnackedOffsetList::add(std::int64_t offset, std::uint32_t parts) {
  Entry& entry = tail_->entries[added_ % kChunk];
  entry.list_ = this;
  entry.offset_ = offset;
  entry.unacked_.store(parts, std::memory_order_relaxed);
  return entry;
}

void UnackedOffsetList::publish() {
  ++added_;
  if (added_ % kChunk == 0) {
    Chunk* const next = take_chunk();
    tail_->next = next;
    tail_ = next;
  }
  published_.store(added_, std::memory_order_release);
}

void UnackedOffsetList::acknowledge(Entry& entry) {
  // Last, as the list may end once nothing is in flight: the count of parts in flight.
  entry.unacked_.fetch_sub(1, std::memory_order_release);
  done_.fetch_add(1, std::memory_order_release);
}

void UnackedOffsetList::fail() {
  done_.fetch_add(1, std::memory_order_release);
}

void UnackedOffsetList::settle(Entry& entry) {
  entry.unacked_.fetch_sub(1, std::memory_order_release);
}

std::int64_t UnackedOffsetList::advance() {
  const std::uint64_t published = published_.load(std::memory_order_acquire);
  while (passed_ != published) {
    const Entry& entry = head_->entries[passed_ % kChunk];
    if (entry.unacked_.load(std::memory_order_acquire) != 0) break;
    position_ = entry.offset_ + 1;
    if (++passed_ % kChunk == 0) keep_chunk(std::exchange(head_, head_->next));
  }
  return position_;
}

UnackedOffsetList::Chunk* UnackedOffsetList::take_chunk() {
  {
    const std::lock_guard lock(spare_mutex_);
    if (!spare_.empty()) {
      Chunk* const chunk = spare_.back();
      spare_.pop_back();
      chunk->next = nullptr;
      return chunk;
    }
  }
  return new Chunk;
}

void UnackedOffsetList::keep_chunk(Chunk* chunk) {
  {
    const std::lock_guard lock(spare_mutex_);
    if (spare_.size() < kMostSpare) {
      spare_.push_back(chunk);
      return;
    }
  }
  delete chunk;
}

}  // namespace weir::processors::kafka
