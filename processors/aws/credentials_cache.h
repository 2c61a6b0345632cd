#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/api/component.h"
#include "processors/aws/credential_sources.h"

namespace weir::processors::aws {

// Keeps the credentials of a source and fetches them anew five minutes before they expire; those
// that never do, every ten minutes, because a file may have changed. One thread fetches; others go
// on with the valid ones or, where there are none, wait for it. Thread safe.
class CredentialsCache {
 public:
  // All are referred to, and must live.
  CredentialsCache(CredentialSource& source, Clock& clock, ComponentLog& log)
      : source_(source), clock_(clock), log_(log) {}

  // Throws ProcessException with the source's reason. Where the valid ones can be used still, a
  // failed fetch is a warning, and tried again after half a minute.
  Credentials get();

 private:
  bool valid(std::int64_t now_ms) const;
  void fetch(std::unique_lock<std::mutex>& lock);

  CredentialSource& source_;
  Clock& clock_;
  ComponentLog& log_;

  std::mutex mutex_;
  std::condition_variable fetched_;
  // Guarded by `mutex_`.
  std::optional<Credentials> current_;
  std::int64_t fetch_again_ms_ = 0;
  bool fetching_ = false;
  std::uint64_t fetches_ = 0;  // ended ones
  std::string failure_;        // of the last one; empty: it gave credentials
};

}  // namespace weir::processors::aws
