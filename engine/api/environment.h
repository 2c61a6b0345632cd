#pragma once

#include <cstdint>

namespace weir {

// The wall clock and a steady one, passed in everywhere so that a simulation or a user's flow
// test can set the time. Thread safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ms() const = 0;     // since the epoch
  virtual std::int64_t steady_ns() const = 0;  // only differences mean anything
};
Clock& system_clock();

// Source of all randomness. Thread safe.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;
};
Random& system_random();

}  // namespace weir
