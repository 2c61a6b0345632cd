#include "processors/kafka/records/producer_pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::kafka {

ProducerPool::ProducerPool(ProducerOptions options, int count, ComponentLog& log)
    : options_(std::move(options)), log_(log), places_(static_cast<std::size_t>(count)) {}

std::size_t ProducerPool::acquire() {
  std::unique_lock lock(mutex_);
  std::vector<Place>::iterator free;
  changed_.wait(lock, [&] {
    free = std::ranges::find(places_, false, &Place::taken);
    return free != places_.end();
  });
  free->taken = true;
  return static_cast<std::size_t>(free - places_.begin());
}

void ProducerPool::make(std::size_t index) {
  ProducerOptions options = options_;
  if (one_by_one_) options.settings["batch.size"] = std::to_string(1);
  if (!options.transactional_id.empty()) options.transactional_id += fmt::format("-{}", index);
  places_[index].producer = std::make_unique<Producer>(options, log_);
}

ProducerPool::Lease ProducerPool::take() {
  Lease lease(*this, acquire());
  if (!places_[lease.index()].producer) make(lease.index());
  return lease;
}

void ProducerPool::make_all() {
  for (std::size_t index = 0; index < places_.size(); ++index) {
    {
      const std::lock_guard lock(mutex_);
      if (places_[index].taken) continue;  // its holder makes it, or has
      places_[index].taken = true;
    }
    const Lease lease(*this, index);
    if (!places_[index].producer) make(index);
  }
}

void ProducerPool::give_back(std::size_t index) {
  Place& place = places_[index];
  if (place.producer && place.producer->broken()) place.producer.reset();
  const std::lock_guard lock(mutex_);
  place.taken = false;
  changed_.notify_one();
}

}  // namespace weir::processors::kafka
