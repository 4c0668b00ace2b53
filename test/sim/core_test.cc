// SPDX-License-Identifier: Apache-2.0
//
// Checks of sim/core.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "checks.h"
#include "core/channel.h"
#include "core/clock.h"
#include "core/engine/engine.h"
#include "core/guard.h"
#include "core/series.h"
#include "core_parts.h"
#include "system/memory/byte_store.h"
#include "system/memory/pauses.h"

namespace {

using namespace neardata;
using checks::Check;
using checks::kFine;
using checks::Patient;
using checks::Verdict;
using core::Channel;
using core::Clock;
using core::Cycle;
using core::Expected;
using core::Fs;
using core::Hertz;

Verdict clock_edges_are_exact() {
  for (const Clock& clock : {kNdp, kDdr, kCsd}) {
    for (const std::int64_t n : {0LL, 1LL, 2LL, 3LL, 7LL, 12'345LL, 1'000'000'007LL}) {
      const auto exact =
          static_cast<std::int64_t>(__int128{n} * 1'000'000'000'000'000 / clock.frequency().value);
      if (clock.edge({n}).value != exact) return "edge " + std::to_string(n);
      if (clock.at_or_after(clock.edge({n})) != Cycle{n}) return "at " + std::to_string(n);
      if (clock.after(clock.edge({n})) != Cycle{n + 1}) return "after " + std::to_string(n);
      if (n > 0 && clock.after(clock.edge({n}) - Fs{1}) != Cycle{n}) return "just before";
    }
  }
  return kFine;
}

Verdict edge_cursor_follows_its_clock() {
  std::mt19937 random(1);
  // Of the last two a period is next to nothing, or a thousandth of the longest one.
  const Clock odd(Hertz{2'399'999'993});
  const Clock fast(Hertz{999'999'999'999'989});
  for (const Clock& clock : {kNdp, kDdr, kCsd, odd, fast, Clock(Hertz{1'009})}) {
    core::EdgeCursor cursor(clock);
    Fs now{-1};
    const std::int64_t period = clock.edge({1}).value;
    for (int i = 0; i < 20'000; ++i) {
      now.value += random() % (period * (random() % 50 == 0 ? 9'000 : 3) + 2);
      const bool moves = cursor.time() <= now;
      const Cycle before = cursor.cycle();
      cursor.move_after(now);
      if (cursor.cycle() != (moves ? clock.after(now) : before)) return "cycle";
      if (cursor.time() != clock.edge(cursor.cycle())) return "time";
      const auto steps = static_cast<std::int64_t>(random() % (random() % 50 == 0 ? 9000 : 10));
      cursor.move_to(cursor.cycle() + Cycle{steps});
      if (cursor.time() != clock.edge(cursor.cycle())) return "time of a cycle";
    }
    cursor.move_to({5});
    if (cursor.time() != clock.edge({5})) return "backwards";
  }
  return kFine;
}

Verdict channel_shows_a_message_after_its_latency() {
  Channel<int> channel(4, kNdp, kDdr, Cycle{3});
  const Fs now = kNdp.edge({10});
  if (!channel.try_push(now, 42)) return "push";
  const Fs visible = kDdr.edge(kDdr.after(now) + Cycle{2});
  if (channel.front_time() != visible) return "front_time";
  if (channel.front(visible - Fs{1}) != nullptr) return "too early";
  if (channel.front(visible) == nullptr || *channel.front(visible) != 42) return "not there";
  return kFine;
}

Verdict channel_writes_its_front_time_to_a_given_place() {
  Channel<int> channel(4, kNdp, kDdr);
  const auto seen = [](std::int64_t cycle) { return kDdr.edge(kDdr.after(kNdp.edge({cycle}))); };
  if (!channel.try_push(kNdp.edge({3}), 1)) return "push";
  Fs place{-1};
  channel.keep_front_time(place);
  if (place != seen(3)) return "a message that waits already";
  if (!channel.try_push(kNdp.edge({7}), 2)) return "second push";
  if (place != seen(3)) return "the second hides the first";
  channel.pop(seen(3));
  if (place != seen(7)) return "the second";
  channel.pop(seen(7));
  if (place != core::kNever) return "an empty channel";
  if (!channel.try_push(kNdp.edge({20}), 3)) return "third push";
  if (place != seen(20)) return "the third";
  return kFine;
}

Verdict channel_room_shows_after_the_pop() {
  Channel<int> channel(1, kNdp, kNdp);
  if (!channel.try_push(Fs{0}, 1)) return "first push";
  const Fs later = kNdp.edge({1});
  if (channel.try_push(later, 2)) return "two in a channel of one";
  channel.pop(later);
  if (channel.try_push(later, 2)) return "room at the time of the pop";
  if (!channel.try_push(kNdp.edge({2}), 2)) return "no room after the pop";
  return kFine;
}

Verdict order_of_visits_changes_nothing() {
  for (const std::int64_t pace : {1, 2, 3, 5, 12}) {
    const PipeRun a = run_pipe(true, pace, 1'000);
    const PipeRun b = run_pipe(false, pace, 1'000);
    if (!a.end || !b.end) return "did not end";
    if (a.log.size() != 500) return "lost messages";
    if (a.log != b.log || *a.end != *b.end) return "pace " + std::to_string(pace);
  }
  return kFine;
}

Verdict deadlock_names_who_waits() {
  const PipeRun run = run_pipe(true, 1, 10);
  if (run.end) return "ended well";
  if (run.end.error().fault != core::Fault::kDeadlock) return "another fault";
  if (run.end.error().place != "source") return "place " + run.end.error().place;
  if (run.end.error().message.find("waits for room") == std::string::npos) return "message";
  return kFine;
}

Verdict busy_work_without_progress_is_a_deadlock() {
  Spinner spinner;
  core::Engine engine({.stalled = kNdp.edge({1'000}), .instants_per_look = 16});
  engine.add(spinner, Fs{0});
  Patient patient;
  const auto end = engine.run(patient);
  if (end || end.error().fault != core::Fault::kDeadlock) return "not noticed";
  if (end.error().time > kNdp.edge({1'100})) return "noticed late";
  return kFine;
}

Verdict library_that_throws_ends_a_run() {
  Thrower thrower;
  core::Engine engine;
  engine.add(thrower, kNdp.edge({5}));
  Patient patient;
  const auto end = engine.run(patient);
  if (end || end.error().fault != core::Fault::kProtocol) return "went on";
  if (end.error().place != "a library" || end.error().message != "its own words") return "words";
  return end.error().time == kNdp.edge({5}) ? Verdict{} : Verdict{"another time"};
}

Verdict names_outlive_components() {
  std::vector<core::ComponentTime> times;
  {
    auto pipe = std::make_unique<Named>("a name that is too long to lie in the string itself");
    core::Engine engine;
    engine.add(*pipe);
    times = engine.times();
  }
  if (times.at(0).name != "a name that is too long to lie in the string itself") return "lost";
  return kFine;
}

Verdict no_run_goes_on_for_ever() {
  Sleeper sleeper;
  core::Engine engine;
  engine.add(sleeper, Fs{0});
  Patient patient;
  const auto end = engine.run(patient);
  if (end || end.error().fault != core::Fault::kTimeLimit) return "no limit";
  return engine.now() <= core::kLongestRun ? Verdict{} : Verdict{"beyond it"};
}

Verdict time_limit_ends_a_run() {
  Spinner spinner;
  core::Engine engine({.until = kNdp.edge({100})});
  engine.add(spinner, Fs{0});
  Patient patient;
  const auto end = engine.run(patient);
  if (end || end.error().fault != core::Fault::kTimeLimit) return "no limit";
  return engine.now() == kNdp.edge({100}) ? Verdict{} : Verdict{"not at the limit"};
}

Verdict observer_cancels_a_run() {
  const PipeRun run = run_pipe(true, 1, 1'000, 3);
  if (run.end || run.end.error().fault != core::Fault::kCancelled) return "went on";
  return kFine;
}

Verdict bus_guard_knows_the_rate() {
  const core::BusRate rate{32, 4'800'000'000};
  const Fs span = rate.time_for({64});
  if (span != Fs{3'333'333}) return "64 bytes need " + std::to_string(span.value);
  core::BusGuard exact("bus", rate);
  for (std::int64_t i = 1; i <= 1'000; ++i) {
    if (exact.transfer({64}, kDdr.edge({8 * i}))) return "fired at the full rate";
  }
  core::BusGuard fast("bus", rate);
  if (fast.transfer({64}, span)) return "fired on the first";
  const auto fault = fast.transfer({64}, span + span - Fs{1});
  if (!fault || fault->fault != core::Fault::kPhysics) return "did not fire";
  return fault->place == "bus" ? Verdict{} : Verdict{"place"};
}

Verdict latency_guard_knows_the_floor() {
  const core::LatencyGuard guard("reads", Fs{100});
  if (guard.answer(Fs{50}, Fs{150})) return "fired at the floor";
  if (!guard.answer(Fs{50}, Fs{149})) return "did not fire below it";
  return kFine;
}

Verdict refresh_guard_knows_what_time_calls_for() {
  const auto at = [](std::int64_t cycle) { return kDdr.edge({cycle}); };
  const auto seen = [&](core::RefreshGuard& guard, std::int64_t cycle) {
    return guard.refreshed({cycle}, at(cycle)).has_value();
  };
  core::RefreshGuard late("rank", {.interval = {100}, .postponed = 4});
  if (late.check({499}, at(499))) return "fired with four owed";
  if (!late.check({500}, at(500))) return "did not fire with five owed";
  if (seen(late, 499) || seen(late, 500)) return "fired though one was made up";
  if (!seen(late, 700)) return "did not fire right before a refresh that comes too late";
  core::RefreshGuard early("rank", {.interval = {100}, .postponed = 4});
  if (seen(early, 100)) return "fired on time";
  if (!seen(early, 199)) return "did not fire on a refresh before its time";
  core::RefreshGuard second("rank", {.interval = {100}, .postponed = 4});
  second.take(9);
  if (second.check({1'399}, at(1'399)) || !second.check({1'400}, at(1'400))) return "count taken";
  core::RefreshGuard none("rank", {});
  if (seen(none, 5) || none.check({1'000'000}, at(1'000'000))) return "fired without a rate";
  return kFine;
}

Verdict series_keeps_its_sums() {
  core::BinnedSeries<2> series(4, 2);
  std::mt19937 random(2);
  std::array<std::uint64_t, 2> sums{};
  std::int64_t at = 0;
  for (int i = 0; i < 5'000; ++i) {
    const std::int64_t count = random() % 9;
    series.add_span(0, at, count);
    series.add(1, at, 3);
    sums[0] += static_cast<std::uint64_t>(count);
    sums[1] += 3;
    at += count;
  }
  std::array<std::uint64_t, 2> seen{};
  for (std::size_t i = 0; i < series.used(); ++i) {
    for (std::size_t c = 0; c < 2; ++c) seen[c] += series.bins()[i][c];
    if (i + 1 < series.used() &&
        series.bins()[i][0] != static_cast<std::uint64_t>(series.width())) {
      return "bin " + std::to_string(i) + " is not full";
    }
  }
  return seen == sums ? Verdict{} : Verdict{"sums differ"};
}

Verdict byte_store_reads_what_was_written() {
  system::ByteStore store;
  std::vector<std::byte> data(64 * 3'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 >> 3U);
  store.write(1'000, data);
  std::vector<std::byte> back(data.size());
  store.read(1'000, back);
  if (back != data) return "differs";
  std::vector<std::byte> beside(128, std::byte{1});
  store.read(4'000, beside);
  for (const std::byte b : beside) {
    if (b != std::byte{0}) return "what was never written is not zero";
  }
  return kFine;
}

Verdict byte_store_is_zero_on_pages_of_another() {
  const std::vector<std::byte> data(64 * 4'096, std::byte{0xA5});
  {
    system::ByteStore used;
    used.write(0, data);
  }
  system::ByteStore store;
  // The first and the last page in part, those between them whole.
  store.write(1'023, std::span(data).first(64 * 2'050));
  std::vector<std::byte> back(64 * 4'096);
  store.read(0, back);
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool written = i / 64 >= 1'023 && i / 64 < 1'023 + 2'050;
    if (back[i] != (written ? std::byte{0xA5} : std::byte{0})) {
      return "byte " + std::to_string(i) + " is another store's";
    }
  }
  return kFine;
}

Verdict pauses_repeat_and_have_their_mean() {
  system::Pauses a({7, 0.5}, 3);
  system::Pauses b({7, 0.5}, 3);
  system::Pauses other({7, 0.5}, 4);
  std::int64_t sum = 0;
  bool differs = false;
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t ticks = a.next();
    if (ticks != b.next()) return "not the same twice";
    differs = differs || ticks != other.next();
    sum += ticks;
  }
  if (!differs) return "streams are not apart";
  // Geometric with mean 1; five standard deviations of the mean of 10,000 are 0.07.
  return sum > 9'300 && sum < 10'700 ? Verdict{} : Verdict{"mean " + std::to_string(sum)};
}

constexpr Check kChecks[] = {
    {"clock edges are exact", clock_edges_are_exact},
    {"an edge cursor follows its clock", edge_cursor_follows_its_clock},
    {"a channel shows a message after its latency", channel_shows_a_message_after_its_latency},
    {"a channel writes its front time to a given place",
     channel_writes_its_front_time_to_a_given_place},
    {"room in a channel shows after the pop", channel_room_shows_after_the_pop},
    {"the order of visits changes nothing", order_of_visits_changes_nothing},
    {"a deadlock names who waits", deadlock_names_who_waits},
    {"busy work without progress is a deadlock", busy_work_without_progress_is_a_deadlock},
    {"a library that throws ends a run", library_that_throws_ends_a_run},
    {"names outlive components", names_outlive_components},
    {"no run goes on for ever", no_run_goes_on_for_ever},
    {"a time limit ends a run", time_limit_ends_a_run},
    {"an observer cancels a run", observer_cancels_a_run},
    {"a bus guard knows the rate", bus_guard_knows_the_rate},
    {"a latency guard knows the floor", latency_guard_knows_the_floor},
    {"a refresh guard knows what time calls for", refresh_guard_knows_what_time_calls_for},
    {"a series keeps its sums", series_keeps_its_sums},
    {"a byte store reads what was written", byte_store_reads_what_was_written},
    {"a byte store is zero on pages of another", byte_store_is_zero_on_pages_of_another},
    {"pauses repeat and have their mean", pauses_repeat_and_have_their_mean},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
