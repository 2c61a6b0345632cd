#pragma once

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
class Attributes {
 public:
  using Entry = std::pair<std::string, std::string>;

  Attributes() = default;
  // Names need not be sorted; of equal names the last wins.
  explicit Attributes(std::vector<Entry> entries);

  static AttributesPtr empty();
  static AttributesPtr make(std::vector<Entry> entries);

  // Null where there is no such attribute.
  const std::string* find(std::string_view name) const;
  std::span<const Entry> entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }

  // A copy with changes: pairs set, names removed (a name in both: set).
  AttributesPtr with(std::span<const Entry> set, std::span<const std::string> removed = {}) const;

  bool operator==(const Attributes& other) const { return entries_ == other.entries_; }

  // Encoding: count, then name and value of each. Well-known names (core and fragment attributes)
  // take one byte; a value equal to the FlowFile's uuid in text form takes one byte.
  void encode(const Uuid& uuid, storage::Encoder& out) const;
  static AttributesPtr decode(const Uuid& uuid, storage::Decoder& in);

 private:
  friend void intrusive_ptr_add_ref(const Attributes* attributes) noexcept {
    attributes->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const Attributes* attributes) noexcept {
    if (attributes->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete attributes;
  }

  std::vector<Entry> entries_;
  mutable std::atomic<std::uint32_t> references_{0};
};

}  // namespace weir::flowfile
