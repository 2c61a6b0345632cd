#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/runtime/executor.h"

namespace weir::runtime {
namespace {

namespace asio = boost::asio;

// How long tasks may wait behind busy threads before another thread is added.
constexpr std::chrono::milliseconds kStarvation{20};
// A thread of the pool stays this long without work beyond the first ones.
constexpr std::chrono::milliseconds kWaitStep{2};

class AsioTimer : public Executor::Timer {
 public:
  AsioTimer(asio::io_context& context, std::chrono::nanoseconds delay, Executor::Task task)
      : state_(std::make_shared<State>(context)) {
    state_->task = std::move(task);
    state_->timer.expires_after(delay);
    state_->timer.async_wait([state = state_](const boost::system::error_code& error) {
      if (error) return;
      Executor::Task run;
      {
        const std::lock_guard lock(state->mutex);
        run = std::move(state->task);
        state->task = nullptr;
      }
      if (run) run();
    });
  }
  ~AsioTimer() override { AsioTimer::cancel(); }

  void cancel() override {
    const std::lock_guard lock(state_->mutex);
    state_->task = nullptr;
    state_->timer.cancel();
  }

 private:
  struct State {
    explicit State(asio::io_context& context) : timer(context) {}
    std::mutex mutex;
    asio::steady_timer timer;
    Executor::Task task;
  };
  std::shared_ptr<State> state_;
};

class ThreadExecutor : public Executor {
 public:
  ThreadExecutor(unsigned threads, unsigned most_threads)
      : most_threads_(std::max(threads, most_threads)),
        work_(asio::make_work_guard(context_)),
        timer_work_(asio::make_work_guard(timers_)) {
    for (unsigned i = 0; i < std::max(threads, 1u); ++i) add_thread();
    timer_thread_ = std::thread([this] { timers_.run(); });
    monitor_thread_ = std::thread([this] { monitor(); });
  }

  ~ThreadExecutor() override {
    context_.stop();
    timers_.stop();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    starving_.notify_all();
    monitor_thread_.join();
    timer_thread_.join();
    for (std::thread& thread : threads_) thread.join();
    for (std::thread& thread : blocking_threads_) thread.join();
  }

  void post(Task task) override {
    waiting_.fetch_add(1);
    asio::post(context_, [this, task = std::move(task)] {
      waiting_.fetch_sub(1);
      begun_.fetch_add(1, std::memory_order_relaxed);
      busy_.fetch_add(1, std::memory_order_relaxed);
      task();
      busy_.fetch_sub(1, std::memory_order_relaxed);
    });
    if (may_starve() && !watching_.load() && !watching_.exchange(true)) {
      const std::lock_guard lock(mutex_);
      starving_.notify_one();
    }
  }

  void post_blocking(Task task) override {
    const std::lock_guard lock(blocking_mutex_);
    blocking_tasks_.push_back(std::move(task));
    if (blocking_idle_ < blocking_tasks_.size()) {
      blocking_threads_.emplace_back([this] { run_blocking(); });
    } else {
      blocking_ready_.notify_one();
    }
  }

  std::unique_ptr<Timer> post_after(std::chrono::nanoseconds delay, Task task) override {
    return std::make_unique<AsioTimer>(timers_, delay,
                                       [this, task = std::move(task)] { post(task); });
  }

  bool wait_until(const std::function<bool()>& done, std::chrono::milliseconds most) override {
    const auto deadline = std::chrono::steady_clock::now() + most;
    while (!done()) {
      if (std::chrono::steady_clock::now() >= deadline) return done();
      std::this_thread::sleep_for(kWaitStep);
    }
    return true;
  }

 private:
  void add_thread() {
    thread_count_.fetch_add(1, std::memory_order_relaxed);
    threads_.emplace_back([this] { context_.run(); });
  }

  void run_blocking() {
    std::unique_lock lock(blocking_mutex_);
    for (;;) {
      ++blocking_idle_;
      blocking_ready_.wait(lock, [this] { return blocking_stop_ || !blocking_tasks_.empty(); });
      --blocking_idle_;
      if (blocking_stop_) return;
      Task task = std::move(blocking_tasks_.front());
      blocking_tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  // Whether tasks may have to wait for a thread, and another one may be added.
  bool may_starve() const {
    const unsigned threads = thread_count_.load(std::memory_order_relaxed);
    return threads < most_threads_ &&
           waiting_.load() + busy_.load(std::memory_order_relaxed) > threads;
  }

  // Sleeps until tasks may have to wait; then looks, as long as any waits, whether some task
  // begins within the starvation time. Where none does, triggers hold all threads and one more is
  // needed.
  void monitor() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      starving_.wait(lock, [this] { return stopping_ || watching_.load(); });
      while (!stopping_ && waiting_.load() > 0 && thread_count_.load() < most_threads_) {
        const std::uint64_t begun = begun_.load();
        starving_.wait_for(lock, kStarvation, [this] { return stopping_; });
        if (!stopping_ && waiting_.load() > 0 && begun_.load() == begun) add_thread();
      }
      watching_.store(false);
      if (may_starve()) watching_.store(true);  // posted since the last look
    }
    blocking_shutdown();
  }

  void blocking_shutdown() {
    const std::lock_guard lock(blocking_mutex_);
    blocking_stop_ = true;
    blocking_ready_.notify_all();
  }

  const unsigned most_threads_;
  asio::io_context context_;
  asio::io_context timers_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::executor_work_guard<asio::io_context::executor_type> timer_work_;
  std::atomic<std::uint64_t> waiting_{0};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<unsigned> busy_{0};
  std::atomic<unsigned> thread_count_{0};
  std::atomic<bool> watching_{false};

  std::mutex mutex_;
  // Guarded by mutex_, after construction:
  std::vector<std::thread> threads_;
  bool stopping_ = false;
  std::condition_variable starving_;
  std::thread timer_thread_;
  std::thread monitor_thread_;

  std::mutex blocking_mutex_;
  // Guarded by blocking_mutex_:
  std::deque<Task> blocking_tasks_;
  std::vector<std::thread> blocking_threads_;
  std::size_t blocking_idle_ = 0;
  bool blocking_stop_ = false;
  std::condition_variable blocking_ready_;
};

}  // namespace

std::unique_ptr<Executor> make_thread_executor(unsigned threads, unsigned most_threads) {
  return std::make_unique<ThreadExecutor>(threads, most_threads);
}

}  // namespace weir::runtime
