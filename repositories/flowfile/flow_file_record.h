#pragma once

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>

#include "repositories/content/claim.h"
#include "repositories/flowfile/attributes.h"
#include "repositories/flowfile/uuid.h"

namespace weir::flowfile {

// One version of a FlowFile. Immutable once shared, so that queues, sessions, events and the
// journal hold the same object without locks. A changed FlowFile is a new record of the same id.
// Times are milliseconds since the epoch.
struct FlowFileRecord {
  std::uint64_t id = 0;  // unique in the repository, rising with creation
  Uuid uuid;
  std::int64_t entry_ms = 0;          // when it entered the flow
  std::int64_t lineage_start_ms = 0;  // when its oldest ancestor entered
  std::int64_t penalty_until_ms = 0;  // 0: not penalized
  content::ContentClaim claim;
  AttributesPtr attributes = Attributes::empty();

  FlowFileRecord() = default;
  FlowFileRecord(const FlowFileRecord& other)
      : id(other.id),
        uuid(other.uuid),
        entry_ms(other.entry_ms),
        lineage_start_ms(other.lineage_start_ms),
        penalty_until_ms(other.penalty_until_ms),
        claim(other.claim),
        attributes(other.attributes) {}
  FlowFileRecord& operator=(const FlowFileRecord&) = delete;

  std::uint64_t size() const { return claim.length(); }

  // Where it stands among all FlowFiles by arrival in its queue: rises with every entering of any
  // queue. Set by the repository when a commit, a swap in or a recovery has put it there.
  std::uint64_t arrival() const { return arrival_.load(std::memory_order_relaxed); }
  void set_arrival(std::uint64_t order) const { arrival_.store(order, std::memory_order_relaxed); }

 private:
  friend void intrusive_ptr_add_ref(const FlowFileRecord* record) noexcept {
    record->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const FlowFileRecord* record) noexcept {
    if (record->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete record;
  }
  mutable std::atomic<std::uint64_t> arrival_{0};
  mutable std::atomic<std::uint32_t> references_{0};
};

using FlowFilePtr = boost::intrusive_ptr<const FlowFileRecord>;

}  // namespace weir::flowfile
