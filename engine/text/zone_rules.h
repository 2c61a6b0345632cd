#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace weir::text {

// The offsets of a zone over time. Immutable apart from the names, which are made at first use.
class ZoneRules {
 public:
  // One offset for ever.
  ZoneRules(std::string id, std::int32_t offset_s, bool is_offset);
  // A region by the system's zone file, else by ICU.
  explicit ZoneRules(std::string region);

  // The stretch of time with one offset that an instant lies in.
  struct Stretch {
    std::int32_t offset_s;
    bool daylight;
  };
  Stretch at(std::int64_t epoch_s) const;

  const std::string& id() const { return id_; }
  bool is_offset() const { return is_offset_; }
  bool is_fixed() const { return starts_s_.empty(); }

  // Standard, daylight and generic; short, then full.
  using Names = std::array<std::array<std::string, 3>, 2>;
  const Names& names() const;

 private:
  void read(const std::string& region);
  void read_icu(const std::string& region);

  std::string id_;
  bool is_offset_;
  std::vector<std::int64_t> starts_s_;  // of each stretch but the first
  std::vector<Stretch> stretches_;      // one more

  mutable std::once_flag named_;
  mutable Names names_;
};

}  // namespace weir::text
