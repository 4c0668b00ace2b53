// SPDX-License-Identifier: Apache-2.0
#include "core/engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace neardata::core {

namespace {

/// One instant in so many is timed; a prime, so that no rhythm of the machine is followed.
constexpr std::uint32_t kSample = 61;

using WallClock = std::chrono::steady_clock;

double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

/// What it costs to look at the clock, which is no time of the component looked at.
double cost_of_looking() {
  constexpr int kLooks = 64;
  const auto start = WallClock::now();
  for (int i = 0; i < kLooks; ++i) static_cast<void>(WallClock::now());
  return seconds_since(start) / kLooks;
}

Expected<void> call(Component& component, Fs now) {
  auto due = component.step(now);
  if (!due) return std::unexpected(std::move(due).error());
  component.alarm().no_later_than(*due);
  return {};
}

}  // namespace

void Engine::add(Component& component, Fs first) {
  members_.push_back({&component});
  component.alarm().no_later_than(first);
}

Expected<Fs> Engine::run(Observer& observer) {
  try {
    return run_to_end(observer);
  } catch (const LibraryError& error) {
    return std::unexpected(SimError{Fault::kProtocol, error.library(), error.what(), now_});
  }
}

Expected<Fs> Engine::run_to_end(Observer& observer) {
  std::uint32_t until_look = limits_.instants_per_look;
  std::uint32_t until_sample = kSample;
  while (true) {
    Fs next = kNever;
    for (const Member& member : members_) next = std::min(next, member.component->alarm().due());
    if (next == kNever) {
      if (auto error = deadlock("nothing has work")) return std::unexpected(*std::move(error));
      return now_;
    }
    if (next > limits_.until) {
      return std::unexpected(SimError{Fault::kTimeLimit, "engine", "the time is over", now_});
    }
    now_ = next;
    const bool sample = --until_sample == 0;
    if (sample) until_sample = kSample;
    if (auto done = sample ? timed_instant() : instant(); !done) {
      return std::unexpected(std::move(done).error());
    }
    if (--until_look == 0) {
      until_look = limits_.instants_per_look;
      if (auto seen = look(observer); !seen) return std::unexpected(std::move(seen).error());
    }
  }
}

/// All alarms are cleared before anybody acts: what one component sets for another at this instant
/// must not be lost when the other's turn comes after.
void Engine::find_due() {
  due_.clear();
  for (Member& member : members_) {
    if (member.component->alarm().due() > now_) continue;
    member.component->alarm().clear();
    due_.push_back(&member);
  }
}

Expected<void> Engine::instant() {
  find_due();
  for (const Member* member : due_) {
    if (auto done = call(*member->component, now_); !done) return done;
  }
  return {};
}

Expected<void> Engine::timed_instant() {
  find_due();
  for (Member* member : due_) {
    const auto start = WallClock::now();
    if (auto done = call(*member->component, now_); !done) return done;
    member->sampled_seconds += seconds_since(start);
    ++member->samples;
  }
  return {};
}

Expected<void> Engine::look(Observer& observer) {
  if (!observer.keep_going(now_)) {
    return std::unexpected(SimError{Fault::kCancelled, "engine", "the caller stopped it", now_});
  }
  std::uint64_t progress = 0;
  for (const Member& member : members_) progress += member.component->progress();
  if (progress != last_progress_) {
    last_progress_ = progress;
    last_progress_time_ = now_;
  } else if (now_ - last_progress_time_ > limits_.stalled) {
    if (auto error = deadlock("nothing moves")) return std::unexpected(*std::move(error));
  }
  return {};
}

std::vector<ComponentTime> Engine::times() const {
  const double looking = cost_of_looking();
  std::vector<ComponentTime> times;
  for (const Member& member : members_) {
    const double sampled = member.sampled_seconds - looking * static_cast<double>(member.samples);
    times.push_back({std::string(member.component->name()), std::max(0.0, sampled) * kSample});
  }
  return times;
}

std::optional<SimError> Engine::deadlock(const std::string& why) const {
  std::string places;
  std::string waits;
  for (const Member& member : members_) {
    const auto wait = member.component->waits_for();
    if (!wait) continue;
    if (!places.empty()) {
      places += ", ";
      waits += "; ";
    }
    places += member.component->name();
    waits += std::string(member.component->name()) + " waits for " + *wait;
  }
  if (places.empty()) return std::nullopt;
  return SimError{Fault::kDeadlock, places, why + " while " + waits, now_};
}

}  // namespace neardata::core
