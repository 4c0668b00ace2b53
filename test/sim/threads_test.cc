// SPDX-License-Identifier: Apache-2.0
//
// Checks of what an engine does side by side: due times in an array, the pool of threads, and
// evaluations, whose results depend neither on their number of threads nor on their order.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/engine.h"
#include "core/worker_pool.h"
#include "test/sim/checks.h"

namespace {

using namespace neardata::checks;
using namespace neardata::core;

const Clock kClock(Hertz{1'000'000'000});

Verdict due_times_are_those_of_the_alarms() {
  constexpr std::size_t kMany = 333;
  std::vector<std::unique_ptr<Alarm>> alarms;
  DueTimes times;
  std::mt19937 random(5);
  std::vector<Fs> expected(kMany, kNever);
  for (std::size_t i = 0; i < kMany; ++i) {
    times.add(*alarms.emplace_back(std::make_unique<Alarm>()));
    if (i % 3 > 0) continue;
    expected[i] = Fs{static_cast<std::int64_t>(random() % 50)};
    alarms[i]->no_later_than(expected[i]);
  }
  {
    const DueTimes::Hold held(times);
    std::vector<std::uint32_t> due;
    for (int round = 0; round < 2'000; ++round) {
      const Fs earliest = times.earliest();
      if (earliest != *std::ranges::min_element(expected)) return "another earliest time";
      if (earliest == kNever) return "nobody is due";
      times.take(earliest, due);
      std::vector<std::uint32_t> now;
      for (std::uint32_t i = 0; i < kMany; ++i) {
        if (expected[i] == earliest) now.push_back(i);
        if (expected[i] == earliest) expected[i] = kNever;
      }
      if (due != now) return "others are due";
      for (int change = 0; change < 7; ++change) {
        const std::size_t i = random() % kMany;
        const Fs at = earliest + Fs{static_cast<std::int64_t>(1 + random() % 20)};
        alarms[i]->no_later_than(at);
        expected[i] = std::min(expected[i], at);
      }
    }
  }
  for (std::size_t i = 0; i < kMany; ++i) {
    if (alarms[i]->due() != expected[i]) return "an alarm forgot its time when it was let go";
  }
  return kFine;
}

Verdict pool_does_each_task_once() {
  for (const std::uint32_t threads : {1U, 2U, 3U, 5U}) {
    WorkerPool pool(threads);
    std::mt19937 random(threads);
    std::vector<int> done(40);
    for (int round = 1; round <= 400; ++round) {
      std::vector<std::uint32_t> tasks;
      for (std::uint32_t i = 0; i < done.size(); ++i) {
        if (random() % 3 == 0) tasks.push_back(i);
      }
      std::ranges::fill(done, 0);
      pool.run(tasks, [&](std::uint32_t task) { ++done[task]; });
      const auto once = std::ranges::count(done, 1);
      if (once != std::ssize(tasks) || std::ranges::max(done) > 1) return "not each, or not once";
      // Long enough for the others to fall asleep.
      if (round % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  }
  return kFine;
}

Verdict pool_uses_its_threads() {
  WorkerPool pool(3);
  const std::vector<std::uint32_t> tasks{0, 1, 2};
  std::atomic<int> arrived = 0;
  std::array<std::thread::id, 3> by{};
  // Each task waits for the others, so three threads must be at work.
  pool.run(tasks, [&](std::uint32_t task) {
    by[task] = std::this_thread::get_id();
    for (++arrived; arrived < 3;) std::this_thread::yield();
  });
  if (by[0] == by[1] || by[1] == by[2] || by[0] == by[2]) return "a thread did two";
  return kFine;
}

Verdict pool_throws_what_the_first_task_throws() {
  WorkerPool pool(4);
  std::vector<std::uint32_t> tasks(64);
  std::iota(tasks.begin(), tasks.end(), 0);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> done = 0;
    std::string what = "nothing";
    try {
      pool.run(tasks, [&](std::uint32_t task) {
        ++done;
        if (task % 8 == 5) throw std::runtime_error(std::to_string(task));
      });
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    if (what != "5") return what + " was thrown";
    if (done != 64) return "a task was left out";
  }
  return kFine;
}

constexpr int kRounds = 300;

/// Passes numbers on, each the hash of its own state and of what came; the state is advanced by the
/// evaluation, which the neighbour sees at a later instant.
class Mixer final : public Component, private Evaluation {
 public:
  Mixer(Channel<std::uint64_t>& in, Channel<std::uint64_t>& out, std::size_t number)
      : name_("mixer " + std::to_string(number)), in_(in), out_(out), state_(number) {}
  std::string_view name() const override { return name_; }
  Evaluation* evaluation() override { return this; }
  Expected<Fs> step(Fs now) override {
    if (rounds_ == 0) return kNever;
    taken_ = 0;
    if (const std::uint64_t* message = in_.front(now)) {
      taken_ = *message;
      in_.pop(now);
    }
    static_cast<void>(out_.try_push(now, state_));
    stepped_ = now;
    request();
    return kNever;
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return state_; }

  int fails_at = -1;  ///< with so many rounds left
  int throws_at = -1;
  std::vector<std::uint64_t> log;

 private:
  void evaluate() override {
    if (rounds_ == throws_at) throw LibraryError("library of " + name_, "thrown");
    for (int i = 0; i < 200; ++i) state_ = (state_ ^ taken_) * 0x9E3779B97F4A7C15U + 1;
  }
  Expected<Fs> evaluated(Fs now) override {
    if (stepped_ != now) return std::unexpected(SimError{Fault::kProtocol, name_, "unasked", now});
    if (rounds_ == fails_at) {
      return std::unexpected(SimError{Fault::kAssertion, name_, "planned", now});
    }
    log.push_back(state_);
    --rounds_;
    return kClock.edge(kClock.after(now));
  }

  std::string name_;
  Channel<std::uint64_t>& in_;
  Channel<std::uint64_t>& out_;
  int rounds_ = kRounds;
  Fs stepped_{-1};
  std::uint64_t taken_ = 0;
  std::uint64_t state_;
};

/// A ring of mixers that do `kRounds` rounds, all at the same instants.
struct Ring {
  explicit Ring(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      channels.push_back(std::make_unique<Channel<std::uint64_t>>(2, kClock, kClock));
    }
    for (std::size_t i = 0; i < count; ++i) {
      mixers.push_back(std::make_unique<Mixer>(*channels[i], *channels[(i + 1) % count], i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      channels[i]->connect(mixers[(i + count - 1) % count]->alarm(), mixers[i]->alarm());
    }
  }
  Expected<Fs> run(std::uint32_t threads, bool backwards = false) {
    Engine engine({.threads = threads});
    if (backwards) std::ranges::reverse(mixers);
    for (const auto& mixer : mixers) engine.add(*mixer, Fs{0});
    if (backwards) std::ranges::reverse(mixers);
    Patient patient;
    return engine.run(patient);
  }
  std::vector<std::vector<std::uint64_t>> logs() const {
    std::vector<std::vector<std::uint64_t>> all;
    for (const auto& mixer : mixers) all.push_back(mixer->log);
    return all;
  }

  std::vector<std::unique_ptr<Channel<std::uint64_t>>> channels;
  std::vector<std::unique_ptr<Mixer>> mixers;
};

/// Has evaluations that wait for each other, and notes which threads did its own.
class Meeting final : public Component, private Evaluation {
 public:
  explicit Meeting(std::atomic<int>& arrived) : arrived_(arrived) {}
  std::string_view name() const override { return "meeting"; }
  Evaluation* evaluation() override { return this; }
  Expected<Fs> step(Fs /*now*/) override {
    request();
    return kNever;
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }

  std::set<std::thread::id> threads;

 private:
  void evaluate() override {
    threads.insert(std::this_thread::get_id());
    // All of a round have arrived.
    const int round = arrived_++ / 2;
    while (arrived_ < 2 * (round + 1)) std::this_thread::yield();
    ++rounds_;
  }
  Expected<Fs> evaluated(Fs now) override {
    return rounds_ == kRounds ? kNever : kClock.edge(kClock.after(now));
  }

  std::atomic<int>& arrived_;
  int rounds_ = 0;
};

/// Whose step is all its work.
class Stepper final : public Component {
 public:
  std::string_view name() const override { return "stepper"; }
  Expected<Fs> step(Fs /*now*/) override { return kNever; }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }
};

Verdict evaluations_stay_on_their_threads() {
  std::atomic<int> arrived = 0;
  Meeting first(arrived);
  Stepper between;
  Meeting second(arrived);
  Engine engine({.threads = 2});
  engine.add(first, Fs{0});
  engine.add(between, Fs{0});
  engine.add(second, Fs{0});
  Patient patient;
  if (!engine.run(patient)) return "did not end";
  if (first.threads.size() != 1 || second.threads.size() != 1) return "one went to and fro";
  return first.threads != second.threads ? kFine : Verdict{"one thread did both"};
}

Verdict threads_change_nothing() {
  Ring one(7);
  const auto end = one.run(1);
  if (!end) return "did not end: " + end.error().message;
  const auto logs = one.logs();
  if (logs[0].size() != kRounds || logs[0] == logs[1]) return "the ring does not mix";
  for (const std::uint32_t threads : {1U, 2U, 4U, 16U}) {
    Ring more(7);
    const auto again = more.run(threads, true);
    if (!again || *again != *end) return "another end with " + std::to_string(threads);
    if (more.logs() != logs) return "other results with " + std::to_string(threads);
  }
  return kFine;
}

Verdict first_of_several_errors_ends_a_run() {
  for (const std::uint32_t threads : {1U, 3U}) {
    for (int round = 0; round < 20; ++round) {
      Ring ring(7);
      for (const std::size_t broken : {2, 3, 6}) ring.mixers[broken]->fails_at = 250;
      const auto end = ring.run(threads);
      if (end || end.error().fault != Fault::kAssertion) return "went on";
      if (end.error().place != "mixer 2") return end.error().place + " was blamed";
      if (end.error().time != kClock.edge({50})) return "at another time";
    }
  }
  return kFine;
}

Verdict what_an_evaluation_throws_ends_a_run() {
  for (const std::uint32_t threads : {1U, 2U}) {
    Ring ring(5);
    for (const std::size_t broken : {1, 4}) ring.mixers[broken]->throws_at = 299;
    const auto end = ring.run(threads);
    if (end || end.error().fault != Fault::kProtocol) return "went on";
    if (end.error().place != "library of mixer 1") return end.error().place + " was blamed";
  }
  return kFine;
}

constexpr Check kChecks[] = {
    {"due times are those of the alarms", due_times_are_those_of_the_alarms},
    {"a pool does each task once", pool_does_each_task_once},
    {"a pool uses its threads", pool_uses_its_threads},
    {"a pool throws what the first of its tasks throws", pool_throws_what_the_first_task_throws},
    {"evaluations stay on their threads, whoever steps between", evaluations_stay_on_their_threads},
    {"the number of threads changes nothing", threads_change_nothing},
    {"the first of several errors ends a run", first_of_several_errors_ends_a_run},
    {"what an evaluation throws ends a run", what_an_evaluation_throws_ends_a_run},
};

}  // namespace

int main() { run_checks(kChecks); }
