#include "processors/aws/credentials_cache.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::processors::aws {
namespace {

constexpr std::int64_t kBeforeExpiry_ms = 5 * 60'000;
constexpr std::int64_t kReread_ms = 10 * 60'000;
constexpr std::int64_t kBetweenFetches_ms = 30'000;

}  // namespace

bool CredentialsCache::valid(std::int64_t now_ms) const {
  return current_ && (!current_->expires_ms || now_ms < *current_->expires_ms);
}

Credentials CredentialsCache::get() {
  std::unique_lock lock(mutex_);
  const std::int64_t now_ms = clock_.now_ms();
  if (valid(now_ms) && (now_ms < fetch_again_ms_ || fetching_)) return *current_;
  if (fetching_) {
    const std::uint64_t before = fetches_;
    fetched_.wait(lock, [&] { return fetches_ != before; });
  } else {
    fetch(lock);
  }
  if (valid(clock_.now_ms())) return *current_;
  throw ProcessException(fmt::format("No AWS credentials: {}",
                                     failure_.empty() ? "they have expired already" : failure_));
}

void CredentialsCache::fetch(std::unique_lock<std::mutex>& lock) {
  fetching_ = true;
  lock.unlock();
  std::expected<Credentials, std::string> found = std::unexpected(std::string());
  try {
    found = source_.fetch();
  } catch (const std::exception& error) {  // those who wait must learn of it, too
    found = std::unexpected(std::string(error.what()));
  }
  lock.lock();
  fetching_ = false;
  ++fetches_;
  const std::int64_t now_ms = clock_.now_ms();
  fetch_again_ms_ = now_ms + kBetweenFetches_ms;
  if (found) {
    failure_.clear();
    current_ = std::move(*found);
    const std::int64_t due_ms =
        current_->expires_ms ? *current_->expires_ms - kBeforeExpiry_ms : now_ms + kReread_ms;
    fetch_again_ms_ = std::max(fetch_again_ms_, due_ms);
  } else {
    failure_ = std::move(found.error());
    if (valid(now_ms)) {
      log_.warn("AWS credentials could not be fetched anew, the valid ones stay in use: {}",
                failure_);
    }
  }
  fetched_.notify_all();
}

}  // namespace weir::processors::aws
