#include "engine/api/environment.h"

#include <atomic>
#include <chrono>
#include <random>

namespace weir {
namespace {

class SystemClock : public Clock {
 public:
  std::int64_t now_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  std::int64_t steady_ns() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// SplitMix64 over a shared counter: one atomic addition a number, no lock.
class SystemRandom : public Random {
 public:
  SystemRandom() {
    std::random_device device;
    state_ = (static_cast<std::uint64_t>(device()) << 32) ^ device();
  }
  std::uint64_t next() override {
    constexpr std::uint64_t step = 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state_.fetch_add(step, std::memory_order_relaxed) + step;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

 private:
  std::atomic<std::uint64_t> state_{0};
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

Random& system_random() {
  static SystemRandom random;
  return random;
}

}  // namespace weir
