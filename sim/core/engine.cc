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

/// Takes the time that passes until its end into account of a member, if it is to.
template <bool timed, typename Member>
class Stopwatch {
 public:
  explicit Stopwatch(Member&) {}
};

template <typename Member>
class Stopwatch<true, Member> {
 public:
  explicit Stopwatch(Member& member) : member_(member) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    member_.sampled_seconds += seconds_since(start_);
    ++member_.samples;
  }

 private:
  Member& member_;
  WallClock::time_point start_ = WallClock::now();
};

}  // namespace

void Engine::add(Component& component, Fs first) {
  const auto evaluator = static_cast<std::uint32_t>(evaluators_.size());
  members_.push_back({&component, component.evaluation(), evaluator});
  if (members_.back().evaluation != nullptr) {
    evaluators_.push_back(static_cast<std::uint32_t>(members_.size() - 1));
  }
  due_times_.add(component.alarm());
  component.alarm().no_later_than(first);
}

Expected<Fs> Engine::run(Observer& observer) {
  make_pool();
  const DueTimes::Hold held(due_times_);
  try {
    return run_to_end(observer);
  } catch (const LibraryError& error) {
    return std::unexpected(SimError{Fault::kProtocol, error.library(), error.what(), now_});
  }
}

void Engine::make_pool() {
  const auto threads = std::min(limits_.threads, static_cast<std::uint32_t>(evaluators_.size()));
  if (threads > 1 && !pool_) pool_ = std::make_unique<WorkerPool>(threads);
}

Expected<Fs> Engine::run_to_end(Observer& observer) {
  std::uint32_t until_look = limits_.instants_per_look;
  std::uint32_t until_sample = kSample;
  while (true) {
    const Fs next = due_times_.earliest();
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
    if (auto done = sample ? instant<true>() : instant<false>(); !done) {
      return std::unexpected(std::move(done).error());
    }
    if (--until_look == 0) {
      until_look = limits_.instants_per_look;
      if (auto seen = look(observer); !seen) return std::unexpected(std::move(seen).error());
    }
  }
}

template <bool timed>
Expected<void> Engine::instant() {
  due_times_.take(now_, due_);
  evaluating_.clear();
  for (const std::uint32_t number : due_) {
    Member& member = members_[number];
    const Stopwatch<timed, Member> watch(member);
    auto due = member.component->step(now_);
    if (!due) {
      failed_ = member.component;
      return std::unexpected(std::move(due).error());
    }
    member.component->alarm().no_later_than(*due);
    if (member.evaluation != nullptr && member.evaluation->take_request()) {
      evaluating_.push_back(member.evaluator);
    }
  }
  return evaluating_.empty() ? Expected<void>{} : evaluate<timed>();
}

template <bool timed>
Expected<void> Engine::evaluate() {
  const auto one = [this](std::uint32_t evaluator) {
    Member& member = members_[evaluators_[evaluator]];
    const Stopwatch<timed, Member> watch(member);
    member.evaluation->evaluate();
  };
  if (pool_ && evaluating_.size() > 1) {
    pool_->run(evaluating_, one);
  } else {
    std::ranges::for_each(evaluating_, one);
  }
  for (const std::uint32_t evaluator : evaluating_) {
    const Member& member = members_[evaluators_[evaluator]];
    auto due = member.evaluation->evaluated(now_);
    if (!due) {
      failed_ = member.component;
      return std::unexpected(std::move(due).error());
    }
    member.component->alarm().no_later_than(*due);
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
