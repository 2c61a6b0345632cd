#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "processors/kinesis/record_buffer.h"
#include "tests/processors/kinesis/buffer_fixture.h"

namespace weir::processors::kinesis::test {

inline constexpr std::uint64_t kPlenty = 1ULL << 30;

class RecordBufferTest : public testing::Test {
 protected:
  RecordBuffer& make(std::uint64_t max_bytes = kPlenty, BatchingRules rules = {}) {
    return buffer_.emplace(
        max_bytes, rules, clock,
        RecordBuffer::Listener{
            .changed = [this](const ShardBufferId& id) { changed.push_back(id); },
            .room = [this] { ++rooms; }});
  }
  // The shard that acquire serves next, processed and committed; "" where none is ready.
  std::string serve() {
    auto lease = buffer_->acquire(std::chrono::milliseconds(0));
    if (!lease) return "";
    buffer_->consume(*lease);
    buffer_->commit(*lease);
    return lease->id().shard_id;
  }

  ManualClock clock;
  std::vector<ShardBufferId> changed;
  int rooms = 0;

 private:
  std::optional<RecordBuffer> buffer_;
};

}  // namespace weir::processors::kinesis::test
