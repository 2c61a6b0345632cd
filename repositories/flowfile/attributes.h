#pragma once

#include <algorithm>
#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repositories/storage/codec.h"

namespace weir::flowfile {

struct Uuid;

class Attributes;
using AttributesPtr = boost::intrusive_ptr<const Attributes>;

// The attributes of a FlowFile without `uuid` (which FlowFileRecord holds in binary): sorted by
// name, immutable, shared between the FlowFile's versions and its provenance events. Names and
// values are any bytes; NUL and invalid UTF-8 survive.
//
// An object may be a few changes over a base that many FlowFiles share (the pieces of a split):
// then the base is neither copied nor, in one record, written again for each of them.
class Attributes {
 public:
  using Entry = std::pair<std::string, std::string>;

  Attributes() = default;
  // Names need not be sorted; of equal names the last wins.
  explicit Attributes(std::vector<Entry> entries);
  ~Attributes();
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  static AttributesPtr empty();
  static AttributesPtr make(std::vector<Entry> entries);

  // Null where there is no such attribute.
  const std::string* find(std::string_view name) const;
  std::span<const Entry> entries() const { return base_ ? flat() : entries_; }
  std::size_t size() const { return entries().size(); }
  bool is_empty() const { return !base_ && entries_.empty(); }

  // A copy with changes: pairs set, names removed (a name in both: set).
  AttributesPtr with(std::span<const Entry> set, std::span<const std::string> removed = {}) const;
  // The same attributes without a base: what is going to be the base of others.
  AttributesPtr flattened() const;

  bool operator==(const Attributes& other) const {
    return this == &other || std::ranges::equal(entries(), other.entries());
  }

  // True where both are changes of the same names over the same base: their encodings differ
  // only behind the first `encode` result's bytes.
  bool same_shape(const Attributes& other) const;

  // Encoding: count, then name and value of each. Well-known names (core and fragment attributes)
  // take one byte; a value equal to the FlowFile's uuid in text form takes one byte.
  // Those of the base come first. Returns the bytes up to where the own changes start; 0 where
  // there is no base.
  std::size_t encode(const Uuid& uuid, storage::Encoder& out) const;
  // Only the own changes: what follows those bytes.
  void encode_changes(const Uuid& uuid, storage::Encoder& out) const;
  static AttributesPtr decode(const Uuid& uuid, storage::Decoder& in);

 private:
  friend void intrusive_ptr_add_ref(const Attributes* attributes) noexcept {
    attributes->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const Attributes* attributes) noexcept {
    if (attributes->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete attributes;
  }

  Attributes(AttributesPtr base, std::vector<Entry> changes);
  const std::vector<Entry>& flat() const;
  std::vector<Entry> merged() const;
  const std::string* find_own(std::string_view name) const;

  AttributesPtr base_;          // without a base itself; null where `entries_` are all
  std::vector<Entry> entries_;  // sorted; over a base: the changes
  mutable std::atomic<const std::vector<Entry>*> flat_{nullptr};  // made when first asked for
  mutable std::atomic<std::uint32_t> references_{0};
};

}  // namespace weir::flowfile
