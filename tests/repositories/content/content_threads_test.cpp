// Writers, readers, replays, checkpoints and syncs at once; of use with the thread sanitizer.

#include "tests/repositories/content/content_fixture.h"

namespace weir::content {
namespace {

using ContentThreadsTest = OnDisk;

// FlowFiles that one thread hands to others.
struct Exchange {
  void put(ContentClaim claim, std::uint64_t seed, std::size_t size) {
    const std::lock_guard lock(mutex);
    contents.push_back({std::move(claim), seed, size});
  }
  struct Content {
    ContentClaim claim;
    std::uint64_t seed = 0;
    std::size_t size = 0;
  };
  std::optional<Content> take() {
    const std::lock_guard lock(mutex);
    if (contents.empty()) return std::nullopt;
    Content content = std::move(contents.front());
    contents.pop_front();
    return content;
  }
  std::mutex mutex;
  std::deque<Content> contents;
};

TEST_F(ContentThreadsTest, WritersReadersCheckpointsAndSyncsAtOnce) {
  config.max_appendable_bytes = 4096;
  config.archive_enabled = false;
  open_fresh();
  Exchange exchange;
  std::atomic<int> writers_left{2};
  std::atomic<bool> done{false};
  const auto write = [&](std::uint64_t seed) {
    for (std::uint64_t session = 0; session < 300 * loops(); ++session) {
      const auto writer = repository->writer();
      for (int n = 0; n < 5; ++n) {
        const std::uint64_t content_seed = seed + session * 5 + n;
        const std::size_t size = content_seed % 2000 + 1;
        const ContentClaim claim = write_content(*writer, noise(size, content_seed));
        writer->flush();
        exchange.put(claim, content_seed, size);
        if (n == 2) exchange.put(claim, content_seed, size);  // a clone
      }
    }
    --writers_left;
  };
  const auto read = [&] {
    for (;;) {
      const bool last_look = writers_left == 0;
      const auto content = exchange.take();
      if (!content) {
        if (last_look) return;
        std::this_thread::yield();
        continue;
      }
      ASSERT_EQ(read_text(*repository, content->claim), noise(content->size, content->seed));
      const auto by_location = repository->read_location(content->claim.location());
      ASSERT_NE(by_location, nullptr);
      if (content->seed % 7 == 0) {
        const ContentClaim again = repository->resolve(content->claim.location());
        ASSERT_EQ(read_text(*repository, again), noise(content->size, content->seed));
      }
    }
  };
  const auto look_after = [&] {
    while (!done) {
      repository->sync_all();
      repository->begin_checkpoint();
      repository->sparse_candidates();
      repository->finish_checkpoint({});
      repository->status();
      repository->has_room();
    }
  };
  {
    std::jthread keeper(look_after);
    {
      std::jthread one(write, 1'000'000);
      std::jthread two(write, 2'000'000);
      std::jthread first_reader(read);
      std::jthread second_reader(read);
    }
    done = true;
  }
  for (int i = 0; i < 2; ++i) checkpoint(*repository);
  EXPECT_TRUE(live().empty());
  EXPECT_EQ(repository->status()[0].claims, 0u);
}

}  // namespace
}  // namespace weir::content
