// SPDX-License-Identifier: Apache-2.0
//
// Checks of what an engine does side by side: due times in an array, the pool of threads, and
// partitions, whose results depend on the number neither of partitions nor of threads.
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
#include "core/engine/engine.h"
#include "core/engine/worker_pool.h"
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
    times.hold();
    for (int round = 0; round < 2'000; ++round) {
      const Fs earliest = times.earliest();
      if (earliest != *std::ranges::min_element(expected)) return "another earliest time";
      if (earliest == kNever) return "nobody is due";
      // Each sets another's alarm, which may have its turn at this instant before or after.
      std::vector<std::size_t> due;
      const Fs later = earliest + Fs{3};
      times.take(earliest, [&](std::size_t i) {
        due.push_back(i);
        alarms[kMany - 1 - i]->no_later_than(later);
        return true;
      });
      std::vector<std::size_t> now;
      for (std::size_t i = 0; i < kMany; ++i) {
        if (expected[i] == earliest) now.push_back(i);
        if (expected[i] == earliest) expected[i] = kNever;
      }
      if (due != now) return "others are due";
      for (const std::size_t i : due) {
        expected[kMany - 1 - i] = std::min(expected[kMany - 1 - i], later);
      }
      for (int change = 0; change < 7; ++change) {
        const std::size_t i = random() % kMany;
        const Fs at = earliest + Fs{static_cast<std::int64_t>(1 + random() % 20)};
        alarms[i]->no_later_than(at);
        expected[i] = std::min(expected[i], at);
      }
    }
    times.release();
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

/// Passes numbers on, each the hash of its own state, of the room that it sees and of what came.
/// Rests for some cycles after each number, so that channels are full at times; to be called
/// meanwhile changes nothing.
class Mixer final : public Component {
 public:
  Mixer(Channel<std::uint64_t>& in, Channel<std::uint64_t>& out, std::size_t number)
      : name_("mixer " + std::to_string(number)), in_(in), out_(out), state_(number) {}
  std::string_view name() const override { return name_; }
  Expected<Fs> step(Fs now) override {
    if (rounds_ == 0) return kNever;
    if (now < rests_until_) return rests_until_;
    if (rounds_ == throws_at) throw LibraryError("library of " + name_, "thrown");
    if (rounds_ == fails_at) {
      return std::unexpected(SimError{Fault::kAssertion, name_, "planned", now});
    }
    std::uint64_t taken = out_.room(now);
    if (const std::uint64_t* message = in_.front(now)) {
      taken += *message;
      in_.pop(now);
    }
    static_cast<void>(out_.try_push(now, state_));
    for (int i = 0; i < 200; ++i) state_ = (state_ ^ taken) * 0x9E3779B97F4A7C15U + 1;
    log.push_back(state_);
    --rounds_;
    rests_until_ = kClock.edge(kClock.after(now) + Cycle{static_cast<std::int64_t>(state_ >> 62U)});
    return rests_until_;
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return state_; }

  int fails_at = -1;  ///< with so many rounds left
  int throws_at = -1;
  std::vector<std::uint64_t> log;

 private:
  std::string name_;
  Channel<std::uint64_t>& in_;
  Channel<std::uint64_t>& out_;
  int rounds_ = kRounds;
  Fs rests_until_;
  std::uint64_t state_;
};

/// A ring of mixers, whose messages are seen `latency` edges after they are given.
struct Ring {
  explicit Ring(std::size_t count, Cycle latency = {1}) {
    for (std::size_t i = 0; i < count; ++i) {
      channels.push_back(std::make_unique<Channel<std::uint64_t>>(2, kClock, kClock, latency));
    }
    for (std::size_t i = 0; i < count; ++i) {
      mixers.push_back(std::make_unique<Mixer>(*channels[i], *channels[(i + 1) % count], i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      channels[i]->connect(mixers[(i + count - 1) % count]->alarm(), mixers[i]->alarm());
    }
  }
  /// Mixer i is in partition i modulo their number.
  Expected<Fs> run(std::uint32_t partitions, std::uint32_t threads) {
    Engine engine({.instants_per_look = 7, .threads = threads});
    const std::size_t count = mixers.size();
    for (std::uint32_t i = 0; i < count; ++i) engine.add(*mixers[i], Fs{0}, i % partitions);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t before = (i + count - 1) % count;
      if (before % partitions != i % partitions) {
        engine.split(*channels[i], *mixers[before], *mixers[i]);
      }
    }
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

Verdict partitions_and_threads_change_nothing() {
  // Windows of one edge, and of several.
  for (const Cycle latency : {Cycle{1}, Cycle{5}}) {
    Ring one(7, latency);
    const auto end = one.run(1, 1);
    if (!end) return "did not end: " + end.error().message;
    const auto logs = one.logs();
    if (logs[0].size() != kRounds || logs[0] == logs[1]) return "the ring does not mix";
    for (const std::uint32_t partitions : {2U, 3U, 7U}) {
      for (const std::uint32_t threads : {1U, 2U, 4U, 16U}) {
        Ring more(7, latency);
        const auto again = more.run(partitions, threads);
        const std::string which = std::to_string(partitions) + " partitions on " +
                                  std::to_string(threads) + ", latency " +
                                  std::to_string(latency.value);
        if (!again || *again != *end) return "another end with " + which;
        if (more.logs() != logs) return "other results with " + which;
      }
    }
  }
  return kFine;
}

Verdict first_of_several_errors_ends_a_run() {
  for (const std::uint32_t partitions : {1U, 3U, 7U}) {
    for (const std::uint32_t threads : {1U, 3U}) {
      Ring ring(7);
      // All mixers do their first round at time 0.
      for (const std::size_t broken : {2, 3, 6}) ring.mixers[broken]->fails_at = kRounds;
      const auto end = ring.run(partitions, threads);
      if (end || end.error().fault != Fault::kAssertion) return "went on";
      if (end.error().place != "mixer 2") return end.error().place + " was blamed";
      if (end.error().time != Fs{0}) return "at another time";
    }
  }
  return kFine;
}

Verdict what_a_library_throws_ends_a_run() {
  for (const std::uint32_t threads : {1U, 2U}) {
    Ring ring(5);
    for (const std::size_t broken : {1, 4}) ring.mixers[broken]->throws_at = kRounds;
    const auto end = ring.run(5, threads);
    if (end || end.error().fault != Fault::kProtocol) return "went on";
    if (end.error().place != "library of mixer 1") return end.error().place + " was blamed";
  }
  return kFine;
}

/// Counts on its own, and says so many numbers at times that it promises.
class Teller final : public Component {
 public:
  Teller(Channel<std::uint64_t>& out, Cycle every) : out_(out), every_(every) {}
  std::string_view name() const override { return "teller"; }
  Expected<Fs> step(Fs now) override {
    threads.insert(std::this_thread::get_id());
    if (now == kClock.edge(every_) - early) static_cast<void>(out_.try_push(now, counted_));
    ++counted_;
    return now < kClock.edge(every_) ? kClock.edge(kClock.after(now)) : kNever;
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return counted_; }
  Fs earliest_message(Fs due) const override { return std::max(due, kClock.edge(every_)); }

  Fs early;
  std::set<std::thread::id> threads;

 private:
  Channel<std::uint64_t>& out_;
  Cycle every_;
  std::uint64_t counted_ = 0;
};

class Listener final : public Component {
 public:
  explicit Listener(Channel<std::uint64_t>& in) : in_(in) {}
  std::string_view name() const override { return "listener"; }
  Expected<Fs> step(Fs now) override {
    threads.insert(std::this_thread::get_id());
    if (const std::uint64_t* message = in_.front(now)) {
      heard = *message;
      at = now;
      in_.pop(now);
      return kNever;
    }
    return kClock.edge(kClock.after(now));
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }
  Fs earliest_message(Fs due) const override { return in_.empty() ? kNever : due; }

  std::uint64_t heard = 0;
  Fs at;
  std::set<std::thread::id> threads;

 private:
  Channel<std::uint64_t>& in_;
};

struct Tale {
  Channel<std::uint64_t> channel{1, kClock, kClock};
  Teller teller{channel, {100}};
  Listener listener{channel};

  Expected<Fs> run(std::uint32_t threads) {
    channel.connect(teller.alarm(), listener.alarm());
    Engine engine({.threads = threads});
    engine.add(teller, Fs{0}, 0);
    engine.add(listener, Fs{0}, 1);
    engine.split(channel, teller, listener);
    Patient patient;
    return engine.run(patient);
  }
};

Verdict a_promise_lets_others_go_on_alone() {
  for (const std::uint32_t threads : {1U, 2U}) {
    Tale tale;
    if (const auto end = tale.run(threads); !end) return end.error().message;
    if (tale.listener.heard != 100 || tale.listener.at != kClock.edge({101})) {
      return "heard " + std::to_string(tale.listener.heard) + " at another time";
    }
    if (tale.teller.threads.size() > threads || tale.listener.threads.size() > threads) {
      return "more threads than there are";
    }
  }
  return kFine;
}

Verdict a_broken_promise_ends_a_run() {
  Tale tale;
  tale.teller.early = kClock.edge({10});
  const auto end = tale.run(1);
  if (end || end.error().fault != Fault::kProtocol) return "went on";
  if (end.error().message.find("promised") == std::string::npos) return end.error().message;
  return kFine;
}

constexpr Check kChecks[] = {
    {"due times are those of the alarms", due_times_are_those_of_the_alarms},
    {"a pool does each task once", pool_does_each_task_once},
    {"a pool uses its threads", pool_uses_its_threads},
    {"a pool throws what the first of its tasks throws", pool_throws_what_the_first_task_throws},
    {"the numbers of partitions and threads change nothing", partitions_and_threads_change_nothing},
    {"the first of several errors ends a run", first_of_several_errors_ends_a_run},
    {"what a library throws ends a run", what_a_library_throws_ends_a_run},
    {"a promise lets others go on alone", a_promise_lets_others_go_on_alone},
    {"a broken promise ends a run", a_broken_promise_ends_a_run},
};

}  // namespace

int main() { run_checks(kChecks); }
