// SPDX-License-Identifier: Apache-2.0
#include "core/engine/worker_pool.h"

#include <utility>

namespace neardata::core {

namespace {

/// Looks before a thread sleeps: some 50 us, longer than what the engine does between two instants
/// and not much longer than it takes to wake up.
constexpr int kLooks = 1'000;

constexpr unsigned kRoundShift = 32;

constexpr std::uint64_t ticket_of(std::uint32_t round, std::size_t unclaimed) {
  return std::uint64_t{round} << kRoundShift | unclaimed;
}

void pause_a_moment() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

WorkerPool::WorkerPool(std::uint32_t threads)
    : lines_(std::make_unique<Line[]>(threads)), threads_(threads) {
  try {
    for (std::uint32_t own = 1; own < threads; ++own) {
      helpers_.emplace_back([this, own] { help(own); });
    }
  } catch (...) {
    over_ = true;
    wake();
    throw;
  }
}

WorkerPool::~WorkerPool() {
  over_ = true;
  wake();
}

void WorkerPool::run(std::span<const std::uint32_t> tasks,
                     const std::function<void(std::uint32_t)>& task) {
  tasks_ = tasks;
  task_ = &task;
  for (std::uint32_t t = 0; t < threads_; ++t) lines_[t].places.clear();
  for (std::size_t place = 0; place < tasks.size(); ++place) {
    lines_[tasks[place] % threads_].places.push_back(place);
  }
  const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
  undone_.store(tasks.size(), std::memory_order_relaxed);
  for (std::uint32_t t = 0; t < threads_; ++t) {
    lines_[t].ticket.store(ticket_of(round, lines_[t].places.size()), std::memory_order_release);
  }
  round_ = round;
  if (sleepers_ > 0) wake();
  work(0, round);
  await_tasks();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void WorkerPool::help(std::uint32_t own) {
  for (std::uint32_t round = 0; !over_;) {
    round = await_round(round);
    work(own, round);
  }
}

/// Claims tasks of its own line first, then of the others'. A thread that has claimed one keeps the
/// round from ending, so that everything of the round is there to be read.
void WorkerPool::work(std::uint32_t own, std::uint32_t round) {
  std::size_t done = 0;
  for (std::uint32_t i = 0; i < threads_; ++i) {
    Line& line = lines_[(own + i) % threads_];
    std::uint64_t ticket = line.ticket.load(std::memory_order_acquire);
    while (ticket >> kRoundShift == round && ticket != ticket_of(round, 0)) {
      if (!line.ticket.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acquire)) {
        continue;
      }
      const auto unclaimed = static_cast<std::uint32_t>(ticket);
      do_one(line.places[line.places.size() - unclaimed]);
      ++done;
      ticket = line.ticket.load(std::memory_order_acquire);
    }
  }
  if (done == 0 || undone_.fetch_sub(done) != done || !owner_sleeps_) return;
  { const std::scoped_lock lock(mutex_); }
  done_.notify_one();
}

void WorkerPool::do_one(std::size_t place) {
  try {
    (*task_)(tasks_[place]);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!thrown_ || place < thrown_place_) {
      thrown_ = std::current_exception();
      thrown_place_ = place;
    }
  }
}

/// The number of a round after `last`; any when the pool is over.
std::uint32_t WorkerPool::await_round(std::uint32_t last) {
  const auto there = [&] { return round_ != last || over_; };
  for (int look = 0; look < kLooks; ++look) {
    if (there()) return round_;
    pause_a_moment();
  }
  std::unique_lock lock(mutex_);
  ++sleepers_;
  woken_.wait(lock, there);
  --sleepers_;
  return round_;
}

void WorkerPool::await_tasks() {
  const auto there = [&] { return undone_ == 0; };
  for (int look = 0; look < kLooks; ++look) {
    if (there()) return;
    pause_a_moment();
  }
  std::unique_lock lock(mutex_);
  owner_sleeps_ = true;
  done_.wait(lock, there);
  owner_sleeps_ = false;
}

/// A thread that is about to sleep counts itself before it looks for the last time, so one of the
/// two sees the other.
void WorkerPool::wake() {
  { const std::scoped_lock lock(mutex_); }
  woken_.notify_all();
}

}  // namespace neardata::core
