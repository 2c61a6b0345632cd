#include "processors/aws/credentials_cache.h"
#include "tests/processors/bench/manual_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

namespace weir::processors::aws {
namespace {

using bench::ManualClock;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t minute_ms = 60'000;

class KeptLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view message) override {
    if (level == LogLevel::warn) warnings.emplace_back(message);
  }
  std::vector<std::string> warnings;
};

class ScriptedSource : public CredentialSource {
 public:
  std::expected<Credentials, std::string> fetch() override {
    ++fetches;
    return next();
  }
  std::function<std::expected<Credentials, std::string>()> next;
  std::atomic<int> fetches = 0;
};

class CredentialsCacheTest : public testing::Test {
 protected:
  // Keys named after the number of the fetch, that expire in `minutes`.
  void give(std::int64_t minutes) {
    source.next = [this, minutes] {
      return Credentials{.access_key_id = "key-" + std::to_string(source.fetches),
                         .secret_access_key = "s",
                         .expires_ms = clock.now_ms() + minutes * minute_ms};
    };
  }
  void refuse() {
    source.next = [] { return std::unexpected(std::string("nobody home")); };
  }

  ManualClock clock;
  KeptLog log;
  ScriptedSource source;
  CredentialsCache cache{source, clock, log};
};

TEST_F(CredentialsCacheTest, FetchesAnewFiveMinutesBeforeTheEnd) {
  give(60);
  EXPECT_EQ(cache.get().access_key_id, "key-1");
  clock.advance(std::chrono::milliseconds(55 * minute_ms - 1));
  EXPECT_EQ(cache.get().access_key_id, "key-1");
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(cache.get().access_key_id, "key-2");
}

TEST_F(CredentialsCacheTest, LooksAgainForThoseThatNeverExpire) {
  source.next = [this] {
    return Credentials{.access_key_id = "key-" + std::to_string(source.fetches)};
  };
  EXPECT_EQ(cache.get().access_key_id, "key-1");
  clock.advance(std::chrono::milliseconds(10 * minute_ms - 1));
  EXPECT_EQ(cache.get().access_key_id, "key-1");
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(cache.get().access_key_id, "key-2");
}

TEST_F(CredentialsCacheTest, GoesOnWithValidOnesWhereAFetchFails) {
  give(60);
  cache.get();
  refuse();
  clock.advance(std::chrono::milliseconds(56 * minute_ms));
  EXPECT_EQ(cache.get().access_key_id, "key-1");
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr("nobody home")));
  EXPECT_EQ(cache.get().access_key_id, "key-1");
  EXPECT_EQ(source.fetches, 2) << "not for each request";
  clock.advance(std::chrono::milliseconds(minute_ms / 2));
  cache.get();
  EXPECT_EQ(source.fetches, 3);
}

TEST_F(CredentialsCacheTest, ThrowsTheReasonWhereNoneAreValid) {
  refuse();
  try {
    cache.get();
    FAIL();
  } catch (const ProcessException& error) {
    EXPECT_THAT(error.what(), HasSubstr("nobody home"));
  }
  give(60);
  EXPECT_EQ(cache.get().access_key_id, "key-2");
  clock.advance(std::chrono::milliseconds(60 * minute_ms));
  refuse();
  EXPECT_THROW(cache.get(), ProcessException);
}

TEST_F(CredentialsCacheTest, ThrowsForThoseThatComeExpired) {
  give(-1);
  EXPECT_THROW(cache.get(), ProcessException);
}

TEST_F(CredentialsCacheTest, DoesNotFetchShortLivedOnesForEachRequest) {
  give(2);
  for (int i = 0; i < 10; ++i) cache.get();
  EXPECT_EQ(source.fetches, 1);
}

TEST_F(CredentialsCacheTest, LetsOthersGoOnWhileOneFetches) {
  give(60);
  cache.get();
  clock.advance(std::chrono::milliseconds(56 * minute_ms));
  std::atomic<bool> inside = false, go_on = false;
  source.next = [&]() -> std::expected<Credentials, std::string> {
    inside = true;
    inside.notify_all();
    go_on.wait(false);
    return Credentials{.access_key_id = "new", .expires_ms = clock.now_ms() + 60 * minute_ms};
  };
  std::thread fetching([&] { EXPECT_EQ(cache.get().access_key_id, "new"); });
  inside.wait(false);
  EXPECT_EQ(cache.get().access_key_id, "key-1");
  go_on = true;
  go_on.notify_all();
  fetching.join();
  EXPECT_EQ(cache.get().access_key_id, "new");
}

TEST_F(CredentialsCacheTest, TellsAllWhoWaitOfAFailure) {
  std::atomic<bool> inside = false, go_on = false;
  source.next = [&]() -> std::expected<Credentials, std::string> {
    inside = true;
    inside.notify_all();
    go_on.wait(false);
    return std::unexpected(std::string("nobody home"));
  };
  std::atomic<int> refused = 0;
  const auto ask = [&] {
    try {
      cache.get();
    } catch (const ProcessException&) {
      ++refused;
    }
  };
  std::thread first(ask);
  inside.wait(false);
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i) others.emplace_back(ask);
  go_on = true;
  go_on.notify_all();
  first.join();
  for (std::thread& thread : others) thread.join();
  EXPECT_EQ(refused, 5);
}

TEST_F(CredentialsCacheTest, TellsThoseWhoWaitOfAnException) {
  source.next = []() -> std::expected<Credentials, std::string> {
    throw std::runtime_error("broken");
  };
  EXPECT_THROW(cache.get(), ProcessException);
  give(60);
  EXPECT_EQ(cache.get().access_key_id, "key-2");
}

}  // namespace
}  // namespace weir::processors::aws
