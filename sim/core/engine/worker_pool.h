// SPDX-License-Identifier: Apache-2.0
//
// A few threads that do tasks together with the thread that owns them. Made for tasks of a
// microsecond that come again and again: a thread without a task spins for a moment before it
// sleeps. A task goes to the same thread each time, which has its state in its cache, unless
// another one is out of work before.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace neardata::core {

class WorkerPool {
 public:
  /// So many threads, the caller's among them, at least that. Throws std::system_error when the
  /// system has no more.
  explicit WorkerPool(std::uint32_t threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  /// Does each of these tasks once, on any of the threads; back when all are done, on the thread
  /// that made the pool. Of what tasks throw, the exception of the first in order is thrown here.
  void run(std::span<const std::uint32_t> tasks, const std::function<void(std::uint32_t)>& task);

 private:
  /// Tasks of one thread. The ticket holds the round and how many of the tasks are not claimed.
  struct alignas(64) Line {
    std::atomic<std::uint64_t> ticket = 0;
    std::vector<std::size_t> places;  ///< in `tasks`
  };

  void help(std::uint32_t own);
  void work(std::uint32_t own, std::uint32_t round);
  void do_one(std::size_t place);
  [[nodiscard]] std::uint32_t await_round(std::uint32_t last);
  void await_tasks();
  void wake();

  std::unique_ptr<Line[]> lines_;  ///< by thread, the owner's first
  std::uint32_t threads_;
  std::span<const std::uint32_t> tasks_;
  const std::function<void(std::uint32_t)>* task_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
  std::atomic<bool> over_ = false;
  alignas(64) std::atomic<std::size_t> undone_ = 0;      ///< tasks of the round
  alignas(64) std::atomic<std::uint32_t> sleepers_ = 0;  ///< helpers
  std::atomic<bool> owner_sleeps_ = false;
  std::mutex mutex_;  ///< of sleep, and of `thrown_`
  std::condition_variable woken_;
  std::condition_variable done_;
  std::exception_ptr thrown_;
  std::size_t thrown_place_ = 0;
  std::vector<std::jthread> helpers_;
};

}  // namespace neardata::core
