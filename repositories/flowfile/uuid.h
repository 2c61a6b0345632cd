#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weir::flowfile {

// 128 bits, printed as 8-4-4-4-12 hexadecimal digits in lower case.
struct Uuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const Uuid&) const = default;
  bool is_nil() const { return high == 0 && low == 0; }

  std::string to_string() const;
  void write_to(char (&text)[36]) const;
  // Exactly the 36-character form, either case; nullopt otherwise.
  static std::optional<Uuid> parse(std::string_view text);
  // A stable identifier of a name below a namespace (RFC 9562 version 5, SHA-1).
  static Uuid from_name(const Uuid& space, std::string_view name);
};

struct UuidHash {
  std::size_t operator()(const Uuid& uuid) const noexcept {
    return static_cast<std::size_t>((uuid.high ^ (uuid.low * 0x9E3779B97F4A7C15ull)) *
                                    0xD6E8FEB86659FD93ull);
  }
};

// Makes the uuids of FlowFiles: RFC 9562 version 7, the millisecond in front and a counter behind
// it, so that FlowFiles made together have neighbouring uuids and indexes over them stay small.
// Two generators never meet: each starts at 74 random bits. Not thread safe: each session has
// its own, seeded from the engine's randomness.
class UuidGenerator {
 public:
  UuidGenerator(std::uint64_t random_high, std::uint64_t random_low);
  Uuid next(std::int64_t now_ms);

 private:
  std::uint64_t random_a_;  // 12 bits
  std::uint64_t counter_;   // 62 bits
  std::int64_t last_ms_ = 0;
};

}  // namespace weir::flowfile
