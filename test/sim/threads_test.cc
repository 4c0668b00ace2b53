// SPDX-License-Identifier: Apache-2.0
//
// Checks of what an engine does side by side: due times in an array, windows, and partitions, whose
// results depend on the number neither of partitions nor of threads.
#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/channel.h"
#include "core/clock.h"
#include "core/engine/engine.h"
#include "core/engine/horizons.h"
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
      // Each sets another's alarm, which may be processed at this instant before or after.
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

Verdict windows_end_where_others_are_seen() {
  // The path from 0 to 1 needs 10, from 1 to 2 20, from 2 to 0 5.
  Horizons windows(3);
  windows.add_path(0, 1, Fs{10});
  windows.add_path(1, 2, Fs{20});
  windows.add_path(2, 0, Fs{5});
  windows.close();
  windows.set(0, Fs{0}, kNever, {{1, Fs{100}}});
  windows.set(1, Fs{50}, kNever, {{2, Fs{300}}});
  windows.set(2, kNever, kNever, {{0, kNever}});
  const auto ends_are = [&](Fs longest, std::int64_t a, std::int64_t b, std::int64_t c) {
    std::vector<Fs> ends(3);
    windows.find_ends(longest, ends);
    return ends == std::vector<Fs>{Fs{a}, Fs{b}, Fs{c}};
  };
  // 2 sees the answer of 1 to 0's message at 100, and 0 sees the answer of 2 to that.
  if (!ends_are(kNever, 125, 100, 120)) return "messages and answers";
  if (!ends_are(Fs{110}, 110, 100, 110)) return "no window is longer than the limit";
  // A message in flight to a partition bounds the other partitions, and the partition itself only
  // over a path back.
  windows.tell(2, Fs{60});
  if (windows.next(2) != Fs{60} || windows.next() != Fs{0})
    return "a partition with an unread action is due";
  if (!ends_are(kNever, 65, 75, 95)) return "before it is taken";
  windows.begin(2, Fs{90});
  if (windows.next(2) != kNever || !ends_are(kNever, 65, 75, 95)) return "while it is answered";
  windows.set(2, kNever, kNever, {{0, Fs{70}}});
  if (!ends_are(kNever, 70, 80, 100)) return "when the answer is known";
  // A receiver that frees space stops there: it does not overtake a sender that sees the space.
  windows.add_back_pressure(1, 2);
  windows.set(2, Fs{40}, Fs{41}, {{0, Fs{70}}, {1, Fs{41}}});
  if (!ends_are(kNever, 66, 41, 41)) return "back-pressure";
  windows.set(1, Fs{30}, kNever, {{2, Fs{300}}});
  if (!ends_are(kNever, 66, 41, 40)) return "a sender that is behind";
  windows.set(1, kNever, kNever, {{2, kNever}});
  windows.set(0, Fs{0}, kNever, {{1, Fs{35}}});
  if (!ends_are(kNever, 60, 35, 40)) return "a sender that may receive an action before";
  return kFine;
}

constexpr int kRounds = 300;

/// Forwards numbers, each the hash of its own state, of the visible free space and of its inputs.
/// Rests for some cycles after each number, so that channels are full at times. An early call
/// changes nothing, except that a prompt mixer pops its inputs.
class Mixer final : public Component {
 public:
  Mixer(Channel<std::uint64_t>& in, Channel<std::uint64_t>& out, std::size_t number)
      : name_("mixer " + std::to_string(number)), in_(in), out_(out), state_(number) {}
  std::string_view name() const override { return name_; }
  Expected<Fs> step(Fs now) override {
    const bool prompt = in_.flow_control() == FlowControl::kAlwaysReady && lingers_for == 0;
    if (prompt) take_all(now);
    const Fs next = prompt ? in_.front_time() : kNever;
    if (rounds_ == 0) return next;
    if (now < rests_until_) return std::min(next, rests_until_);
    lingers_for -= std::min(lingers_for, 1);
    if (rounds_ == throws_at) throw LibraryError("library of " + name_, "thrown");
    if (rounds_ == fails_at) {
      return std::unexpected(SimError{Fault::kAssertion, name_, "planned", now});
    }
    std::uint64_t taken = out_.room(now);
    if (const std::uint64_t* message = in_.front(now)) {
      taken += *message;
      in_.pop(now);
    }
    taken += std::exchange(kept_, 0);
    // At times more than fit.
    for (std::uint64_t i = 0; i <= state_ % 3; ++i) {
      static_cast<void>(out_.try_push(now, state_ + i));
    }
    for (int i = 0; i < 200; ++i) state_ = (state_ ^ taken) * 0x9E3779B97F4A7C15U + 1;
    log.push_back(state_);
    --rounds_;
    rests_until_ = kClock.edge(kClock.after(now) + Cycle{static_cast<std::int64_t>(state_ >> 62U)});
    return std::min(next, rests_until_);
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return state_; }

  int fails_at = -1;  ///< with so many rounds left
  int throws_at = -1;
  int lingers_for = 0;  ///< rounds in which a prompt one is not
  std::vector<std::uint64_t> log;

 private:
  void take_all(Fs now) {
    while (const std::uint64_t* message = in_.front(now)) {
      kept_ = kept_ * 31 + *message + static_cast<std::uint64_t>(now.value);
      in_.pop(now);
    }
  }

  std::string name_;
  Channel<std::uint64_t>& in_;
  Channel<std::uint64_t>& out_;
  int rounds_ = kRounds;
  Fs rests_until_;
  std::uint64_t state_;
  std::uint64_t kept_ = 0;
};

/// A ring of mixers, whose messages are visible `latency` edges after they are sent.
struct Ring {
  explicit Ring(std::size_t count, Cycle latency = {1},
                FlowControl flow = FlowControl::kBackPressure) {
    for (std::size_t i = 0; i < count; ++i) {
      channels.push_back(
          std::make_unique<Channel<std::uint64_t>>(2, kClock, kClock, latency, flow));
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
  // Horizons of one edge, and of several.
  for (const Cycle latency : {Cycle{1}, Cycle{5}}) {
    for (const FlowControl flow : {FlowControl::kBackPressure, FlowControl::kAlwaysReady}) {
      Ring one(7, latency, flow);
      const auto end = one.run(1, 1);
      if (!end) return "did not end: " + end.error().message;
      const auto logs = one.logs();
      if (logs[0].size() != kRounds || logs[0] == logs[1]) return "the ring does not mix";
      for (const std::uint32_t partitions : {2U, 3U, 7U}) {
        for (const std::uint32_t threads : {1U, 2U, 4U, 16U}) {
          Ring more(7, latency, flow);
          const auto again = more.run(partitions, threads);
          const std::string which = std::to_string(partitions) + " partitions on " +
                                    std::to_string(threads) + ", latency " +
                                    std::to_string(latency.value) +
                                    (flow == FlowControl::kBackPressure ? "" : ", always ready");
          if (!again) return again.error().message + " with " + which;
          if (*again != *end) return "another end with " + which;
          if (more.logs() != logs) return "other results with " + which;
        }
      }
    }
  }
  return kFine;
}

Verdict who_is_not_prompt_ends_a_run() {
  Ring ring(4, {1}, FlowControl::kAlwaysReady);
  ring.mixers[2]->lingers_for = 20;
  const auto end = ring.run(4, 2);
  if (end || end.error().fault != Fault::kProtocol) return "went on";
  if (end.error().message.find("at once") == std::string::npos) return end.error().message;
  return kFine;
}

/// Of several that fail, the first is blamed even if it is in a window that begins later.
Verdict the_earliest_of_several_errors_counts() {
  for (const std::uint32_t partitions : {1U, 2U, 3U, 7U}) {
    for (const std::uint32_t threads : {1U, 3U}) {
      Ring ring(7, {9});
      ring.mixers[6]->fails_at = kRounds - 30;
      ring.mixers[1]->fails_at = kRounds - 25;
      ring.mixers[4]->fails_at = kRounds - 40;
      const auto end = ring.run(partitions, threads);
      if (end || end.error().fault != Fault::kAssertion) return "went on";
      static std::optional<SimError> first;
      if (!first) first = end.error();
      if (end.error().place != first->place || end.error().time != first->time) {
        return end.error().place + " was blamed";
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

/// Sends this many numbers without inputs, at times that it promises.
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

/// Sends one message, and receives the answer later; busy at every edge in the meantime.
class Caller final : public Component {
 public:
  Caller(Channel<std::uint64_t>& out, Channel<std::uint64_t>& in) : out_(out), in_(in) {}
  std::string_view name() const override { return "caller"; }
  Expected<Fs> step(Fs now) override {
    if (now == kCall) static_cast<void>(out_.try_push(now, 1));
    if (in_.front(now) != nullptr) {
      heard = now;
      in_.pop(now);
    }
    ++steps_;
    return now < kClock.edge({300}) ? kClock.edge(kClock.after(now)) : kNever;
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return steps_; }
  Fs earliest_message(Fs due) const override { return due <= kCall ? kCall : kNever; }

  Fs heard;

 private:
  static constexpr Fs kCall{10'000'000};
  Channel<std::uint64_t>& out_;
  Channel<std::uint64_t>& in_;
  std::uint64_t steps_ = 0;
};

/// Answers so many edges after it was called, and promises another number.
class Answerer final : public Component {
 public:
  Answerer(Channel<std::uint64_t>& in, Channel<std::uint64_t>& out, Cycle answers, Cycle promised)
      : in_(in), out_(out), answers_(answers), promised_(promised) {}
  std::string_view name() const override { return "answerer"; }
  Expected<Fs> step(Fs now) override {
    if (in_.front(now) != nullptr) {
      in_.pop(now);
      at_ = now + kClock.edge(answers_);
    }
    if (now == at_) static_cast<void>(out_.try_push(now, 2));
    return now < at_ ? at_ : kNever;
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }
  Fs earliest_message(Fs due) const override { return at_ >= due ? at_ : kNever; }
  Fs reaction() const override { return kClock.edge(promised_); }

 private:
  Channel<std::uint64_t>& in_;
  Channel<std::uint64_t>& out_;
  Cycle answers_;
  Cycle promised_;
  Fs at_{-1};
};

struct Call {
  explicit Call(Cycle promised) : answerer(there, back, {100}, promised) {}
  Channel<std::uint64_t> there{1, kClock, kClock, {1}, FlowControl::kAlwaysReady};
  Channel<std::uint64_t> back{1, kClock, kClock, {1}, FlowControl::kAlwaysReady};
  Caller caller{there, back};
  Answerer answerer;

  Expected<Fs> run(std::uint32_t threads) {
    there.connect(caller.alarm(), answerer.alarm());
    back.connect(answerer.alarm(), caller.alarm());
    Engine engine({.threads = threads});
    engine.add(caller, Fs{0}, 0);
    engine.add(answerer, kNever, 1);
    engine.split(there, caller, answerer);
    engine.split(back, answerer, caller);
    Patient patient;
    return engine.run(patient);
  }
};

Verdict a_caller_goes_on_until_it_can_be_answered() {
  for (const std::int64_t promised : {0, 60, 100}) {
    for (const std::uint32_t threads : {1U, 2U}) {
      Call call({promised});
      if (const auto end = call.run(threads); !end) return end.error().message;
      if (call.caller.heard != kClock.edge({112})) return "heard at another time";
    }
  }
  Call hasty({101});
  const auto end = hasty.run(1);
  if (end || end.error().message.find("promised") == std::string::npos) return "too soon, unseen";
  return kFine;
}

constexpr Check kChecks[] = {
    {"due times are those of the alarms", due_times_are_those_of_the_alarms},
    {"windows end where others are seen", windows_end_where_others_are_seen},
    {"the numbers of partitions and threads change nothing", partitions_and_threads_change_nothing},
    {"a receiver that is not prompt ends a run", who_is_not_prompt_ends_a_run},
    {"the first of several errors ends a run", first_of_several_errors_ends_a_run},
    {"the earliest of several errors counts", the_earliest_of_several_errors_counts},
    {"what a library throws ends a run", what_a_library_throws_ends_a_run},
    {"a promise lets others go on alone", a_promise_lets_others_go_on_alone},
    {"a broken promise ends a run", a_broken_promise_ends_a_run},
    {"a caller goes on until it can be answered", a_caller_goes_on_until_it_can_be_answered},
};

}  // namespace

int main() { run_checks(kChecks); }
