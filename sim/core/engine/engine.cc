// SPDX-License-Identifier: Apache-2.0
#include "core/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace neardata::core {

namespace {

using WallClock = std::chrono::steady_clock;

/// No window is longer, so that the observer looks now and then at partitions that never meet.
constexpr Fs kLongestWindow{1'000 * kFsPerNs};

/// Seconds that it costs to look at the clock, which is no time of the component looked at.
double cost_of_looking() {
  constexpr int kLooks = 64;
  const auto start = WallClock::now();
  for (int i = 0; i < kLooks; ++i) static_cast<void>(WallClock::now());
  return std::chrono::duration<double>(WallClock::now() - start).count() / kLooks;
}

}  // namespace

/// As long as it lives, alarms are in the arrays of the partitions.
class Engine::Hold {
 public:
  explicit Hold(const Engine& engine) : engine_(engine) {
    for (const auto& partition : engine_.partitions_) partition->hold();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    for (const auto& partition : engine_.partitions_) partition->release();
  }

 private:
  const Engine& engine_;
};

void Engine::add(Component& component, Fs first, std::uint32_t partition) {
  while (partitions_.size() <= partition) partitions_.push_back(std::make_unique<Partition>());
  members_.push_back({&component, partition, partitions_[partition]->add(component)});
  component.alarm().no_later_than(first);
}

const Engine::Member& Engine::member(const Component& component) const {
  return *std::ranges::find(members_, &component, &Member::component);
}

void Engine::split(Boundary& channel, const Component& sender, const Component& receiver) {
  const auto side = [&](std::uint32_t number) {
    return Boundary::Side{number, &partitions_[number]->touched()};
  };
  const std::uint32_t from = member(sender).partition;
  const std::uint32_t to = member(receiver).partition;
  partitions_[from]->add_output(sender, channel);
  partitions_[to]->add_input(channel);
  channel.split(side(from), side(to));
}

Expected<Fs> Engine::run(Observer& observer) {
  make_pool();
  until_look_ = limits_.instants_per_look;
  const Hold held(*this);
  return run_to_end(observer);
}

void Engine::make_pool() {
  const auto threads = std::min(limits_.threads, static_cast<std::uint32_t>(partitions_.size()));
  if (threads > 1 && !pool_) pool_ = std::make_unique<WorkerPool>(threads);
}

Expected<Fs> Engine::run_to_end(Observer& observer) {
  while (true) {
    Fs next = kNever;
    Fs seen = kNever;
    for (const auto& partition : partitions_) {
      next = std::min(next, partition->next());
      seen = std::min(seen, partition->earliest_seen());
    }
    if (next == kNever) {
      if (auto error = deadlock("nothing has work")) return std::unexpected(*std::move(error));
      return now_;
    }
    if (next > limits_.until) {
      return std::unexpected(SimError{Fault::kTimeLimit, "engine", "the time is over", now_});
    }
    const Fs longest = alone() ? kNever : next + kLongestWindow;
    const Fs end = std::min({seen, longest, limits_.until + Fs{1}});
    run_partitions(end);
    if (auto good = check_failures(); !good) return std::unexpected(std::move(good).error());
    if (auto kept = tell_boundaries(end); !kept) return std::unexpected(std::move(kept).error());
    if (until_look_ == 0) {
      until_look_ = limits_.instants_per_look;
      if (auto seen = look(observer); !seen) return std::unexpected(std::move(seen).error());
    }
  }
}

void Engine::run_partitions(Fs end) {
  running_.clear();
  for (std::uint32_t p = 0; p < partitions_.size(); ++p) {
    if (partitions_[p]->next() < end) running_.push_back(p);
  }
  // Partitions that meet end a window together: one that fell behind would see room too early.
  const std::uint32_t most = alone() ? until_look_ : std::numeric_limits<std::uint32_t>::max();
  const auto one = [&](std::uint32_t p) { partitions_[p]->run(end, most); };
  if (pool_ && running_.size() > 1) {
    pool_->run(running_, one);
  } else {
    std::ranges::for_each(running_, one);
  }
  std::uint32_t instants = 0;
  for (const std::uint32_t p : running_) {
    instants = std::max(instants, partitions_[p]->instants());
    now_ = std::max(now_, partitions_[p]->now());
  }
  until_look_ -= std::min(until_look_, instants);
}

/// A partition that was told something may be due earlier, and may give something earlier.
Expected<void> Engine::tell_boundaries(Fs end) {
  Fs seen = kNever;
  for (const std::uint32_t p : running_) {
    std::vector<Boundary*>& touched = partitions_[p]->touched();
    for (Boundary* boundary : touched) {
      seen = std::min(seen, boundary->tell());
      partitions_[boundary->sender()]->told();
      partitions_[boundary->receiver()]->told();
    }
    touched.clear();
  }
  for (const auto& partition : partitions_) partition->look_again_if_told();
  if (seen >= end) return {};
  return std::unexpected(SimError{Fault::kProtocol, "engine",
                                  "a message crossed a boundary before the time that its partition "
                                  "had promised",
                                  now_});
}

Expected<void> Engine::check_failures() {
  const Partition::Failure* first = nullptr;
  const auto place = [&](const Partition::Failure& failure) {
    const auto found = std::ranges::find(members_, failure.component, &Member::component);
    return std::pair(failure.error.time, found - members_.begin());
  };
  for (const std::uint32_t p : running_) {
    const Partition::Failure* failure = partitions_[p]->failure();
    if (failure == nullptr) continue;
    if (first == nullptr || place(*failure) < place(*first)) first = failure;
  }
  if (first == nullptr) return {};
  failed_ = first->component;
  return std::unexpected(first->error);
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
    const Partition::Sample sample = partitions_[member.partition]->sample(member.number);
    const double sampled = sample.seconds - looking * static_cast<double>(sample.calls);
    times.push_back(
        {std::string(member.component->name()), std::max(0.0, sampled) * Partition::kSample});
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
