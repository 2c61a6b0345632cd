#include "processors/kafka/mirror/patience.h"

#include <algorithm>
#include <thread>

namespace weir::processors::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kFirstPiece{500};
// A broker that needs longer than this for an answer cannot be worked with.
constexpr milliseconds kLongestPiece{8'000};
// A request that a stop needs has this long.
constexpr milliseconds kAtStop{5'000};
constexpr milliseconds kPause{50};
constexpr milliseconds kPollPiece{100};
constexpr milliseconds kWaitPiece{500};

std::int64_t ns(milliseconds time) {
  return nanoseconds(time).count();
}

}  // namespace

void Patience::end() {
  std::int64_t never = kNever;
  ended_ns_.compare_exchange_strong(never, clock_.steady_ns());
}

rd_kafka_resp_err_t Patience::ask(const std::function<rd_kafka_resp_err_t(int)>& request) const {
  const std::int64_t began_ns = clock_.steady_ns();
  milliseconds piece = std::min(kFirstPiece, settings_.api_timeout);
  while (true) {
    const rd_kafka_resp_err_t code = request(static_cast<int>(piece.count()));
    const bool is_away = code == RD_KAFKA_RESP_ERR__TRANSPORT;
    const bool is_slow = code == RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (!is_away && !is_slow) return code;
    const std::int64_t left_ns =
        began_ns +
        ns(is_ending() ? std::min(kAtStop, settings_.api_timeout) : settings_.api_timeout) -
        clock_.steady_ns();
    if (left_ns <= 0) return code;
    // An answer that comes after its time is lost, so the next one gets more.
    if (is_slow) piece = std::min(piece * 2, kLongestPiece);
    piece =
        std::clamp(std::chrono::ceil<milliseconds>(nanoseconds(left_ns)), milliseconds(1), piece);
    if (is_away) std::this_thread::sleep_for(kPause);
  }
}

rd_kafka_resp_err_t Patience::committed(rd_kafka_t* client,
                                        rd_kafka_topic_partition_list_t* list) const {
  return ask([&](int timeout_ms) { return rd_kafka_committed(client, list, timeout_ms); });
}

Owned<rd_kafka_event_t> Patience::answer(rd_kafka_queue_t* queue) const {
  const std::int64_t began_ns = clock_.steady_ns();
  while (true) {
    Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue, static_cast<int>(kPollPiece.count())));
    if (event) return event;
    if (is_ending() && clock_.steady_ns() - began_ns > ns(kAtStop)) return nullptr;
  }
}

bool Patience::wait(milliseconds most, const std::function<bool(milliseconds)>& piece) const {
  const std::int64_t until_ns = clock_.steady_ns() + ns(most);
  while (true) {
    std::int64_t end_ns = until_ns;
    if (is_ending()) end_ns = std::min(end_ns, ended_ns_ + ns(settings_.drain_timeout));
    const auto left = std::chrono::ceil<milliseconds>(
        nanoseconds(std::max<std::int64_t>(end_ns - clock_.steady_ns(), 0)));
    if (piece(std::min(left, kWaitPiece))) return true;
    if (left.count() == 0) return false;
  }
}

}  // namespace weir::processors::kafka
