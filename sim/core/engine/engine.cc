// SPDX-License-Identifier: Apache-2.0
#include "core/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

namespace neardata::core {

namespace {

using WallClock = std::chrono::steady_clock;

/// Limit of the lead over the last partition: the observer must be called regularly even for
/// partitions that never exchange messages.
constexpr Fs kFurthest{4'000 * kFsPerNs};

/// Wall time of a piece of a window. After each piece, other partitions can advance their horizons.
/// With whole windows, all threads would wait for the slowest one in every round.
constexpr std::chrono::nanoseconds kPiece{200'000};
constexpr std::uint32_t kFirstPiece = 64;  ///< instants
constexpr std::uint32_t kMostInPiece = 1'000'000;

/// Polls before a thread sleeps: far longer than a window. The last polls yield, for machines with
/// more threads than cores.
constexpr int kLooks = 2'000;
constexpr int kLooksOfItsOwn = 200;

void pause_a_moment(int look) {
#if defined(__x86_64__)
  if (look < kLooksOfItsOwn) return __builtin_ia32_pause();
#endif
  std::this_thread::yield();
}

/// The critical sections of the mutex are shorter than a thread's sleep and wake-up.
void lock_soon(std::unique_lock<std::mutex>& lock) {
  for (int look = 0; look < kLooks; ++look) {
    if (lock.try_lock()) return;
    pause_a_moment(look);
  }
  lock.lock();
}

/// Number of instants per piece, given that `instants` took this long.
std::uint32_t piece(std::uint32_t instants, std::chrono::nanoseconds took) {
  const auto wanted = static_cast<std::uint64_t>(instants + 1) * kPiece.count();
  const auto most = wanted / (took.count() + 1);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 1, kMostInPiece));
}

/// Seconds of one clock reading, to subtract from the time of the measured component.
double cost_of_looking() {
  constexpr int kLooks = 64;
  const auto start = WallClock::now();
  for (int i = 0; i < kLooks; ++i) static_cast<void>(WallClock::now());
  return std::chrono::duration<double>(WallClock::now() - start).count() / kLooks;
}

}  // namespace

/// During the lifetime of a Hold, alarms are in the arrays of the partitions.
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

void Engine::split(ChannelBase& channel, const Component& sender, const Component& receiver) {
  const auto side = [&](std::uint32_t number) {
    return BoundarySide{number, &partitions_[number]->active_boundaries()};
  };
  const std::uint32_t from = member(sender).partition;
  const std::uint32_t to = member(receiver).partition;
  const Boundary& boundary = channel.split(side(from), side(to));
  partitions_[from]->add_output(sender, boundary);
  partitions_[to]->add_input(boundary);
  crossings_.push_back({&boundary, &sender});
}

void Engine::make_windows() {
  horizons_.emplace(partitions_.size());
  for (const auto& [boundary, sender] : crossings_) {
    const ChannelBase& channel = boundary->channel();
    const Fs flight = channel.receiver_clock().edge(channel.latency() - Cycle{1}) + Fs{1};
    horizons_->add_path(boundary->sender(), boundary->receiver(), sender->reaction() + flight);
    if (channel.flow_control() != FlowControl::kBackPressure) continue;
    horizons_->add_path(boundary->receiver(), boundary->sender(), Fs{1});
    horizons_->add_back_pressure(boundary->sender(), boundary->receiver());
  }
  horizons_->close();
  for (std::uint32_t p = 0; p < partitions_.size(); ++p) {
    const Partition& partition = *partitions_[p];
    horizons_->set(p, partition.next(), partition.earliest_credit(), partition.views());
  }
  news_.assign(partitions_.size(), {});
  at_work_.assign(partitions_.size(), false);
  pieces_.assign(partitions_.size(), kFirstPiece);
  ends_.assign(partitions_.size(), Fs{});
  until_look_ = std::uint64_t{limits_.instants_per_look} * partitions_.size();
}

Expected<Fs> Engine::run(Observer& observer) {
  const Hold held(*this);
  make_windows();
  outcome_.reset();
  threads_ = std::min(limits_.threads, static_cast<std::uint32_t>(partitions_.size()));
  run_on_threads(observer);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (outcome_->has_value()) pass_to_end(observer);
  return *std::move(outcome_);
}

/// Advances partitions that slept until the end to the end.
void Engine::pass_to_end(Observer& observer) {
  for (const auto& partition : partitions_) {
    while (partition->pass(now_)) {
      if (!observer.keep_going(now_)) {
        outcome_ = std::unexpected(cancelled("engine", now_));
        return;
      }
    }
  }
}

void Engine::run_on_threads(Observer& observer) {
  std::vector<std::jthread> helpers;
  try {
    for (std::uint32_t thread = 1; thread < threads_; ++thread) {
      helpers.emplace_back([this, thread] {
        std::unique_lock lock(mutex_);
        work(thread, nullptr, lock);
      });
    }
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    end(Fs{});
    throw;
  }
  std::unique_lock lock(mutex_);
  work(0, &observer, lock);
}

void Engine::work(std::uint32_t thread, Observer* observer, std::unique_lock<std::mutex>& lock) {
  auto since = WallClock::now();
  while (!outcome_) {
    const auto task = next_task(thread, observer);
    if (!task) {
      if (!outcome_) await_change(lock);
      since = WallClock::now();
      continue;
    }
    begin(*task);
    lock.unlock();
    try {
      partitions_[task->partition]->run(task->end, task->most);
      lock_soon(lock);
      finish(task->partition);
      if (threads_ == 1) continue;
      const auto now = WallClock::now();
      const auto took = now - std::exchange(since, now);
      pieces_[task->partition] = piece(partitions_[task->partition]->instants(), took);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      thrown_ = std::current_exception();
      end(Fs{});
    }
  }
}

/// Empty if the thread has no task at present, or if no task is left.
std::optional<Engine::Task> Engine::next_task(std::uint32_t thread, Observer* observer) {
  if (until_look_ == 0) {
    // Nobody is at work then.
    if (observer == nullptr || running_ > 0) return std::nullopt;
    until_look_ = std::uint64_t{limits_.instants_per_look} * partitions_.size();
    ++changes_;
    if (auto seen = look(*observer); !seen) {
      end(std::unexpected(std::move(seen).error()));
      return std::nullopt;
    }
  }
  // Ends that were computed earlier may be earlier than necessary, and are valid.
  auto partition = choose(thread, false);
  if (!partition) {
    const Fs next = horizons_->next();
    find_ends(next);
    partition = choose(thread, true);
    if (!partition && running_ == 0) end_if_nothing_is_left(next);
    if (!partition) return std::nullopt;
  }
  return Task{*partition, ends_[*partition], most_of(*partition)};
}

/// A single partition stops for the observer. Several partitions run to their horizons; on several
/// threads, in pieces.
std::uint32_t Engine::most_of(std::uint32_t partition) const {
  if (threads_ > 1) return pieces_[partition];
  return alone() ? static_cast<std::uint32_t>(until_look_)
                 : std::numeric_limits<std::uint32_t>::max();
}

void Engine::find_ends(Fs next) {
  Fs longest = limits_.until + Fs{1};
  if (fails_ != kNever) longest = std::min(longest, fails_ + Fs{1});
  if (!alone() && next != kNever) longest = std::min(longest, next + kFurthest);
  horizons_->find_ends(longest, ends_);
}

/// The partition that is furthest behind, so that others need not wait for it. A thread has the
/// state of its own partitions in its cache.
std::optional<std::uint32_t> Engine::choose(std::uint32_t thread, bool any) const {
  std::optional<std::uint32_t> own;
  std::optional<std::uint32_t> other;
  std::uint32_t owner = 0;
  for (std::uint32_t p = 0; p < partitions_.size(); ++p) {
    auto& best = owner == thread ? own : other;
    if (++owner == threads_) owner = 0;
    if (at_work_[p] || horizons_->next(p) >= ends_[p]) continue;
    if (!best || horizons_->next(p) < horizons_->next(*best)) best = p;
  }
  return own || !any ? own : other;
}

void Engine::begin(const Task& task) {
  for (Boundary* boundary : news_[task.partition]) boundary->begin_window(task.partition);
  news_[task.partition].clear();
  horizons_->begin(task.partition, task.end);
  at_work_[task.partition] = true;
  ++running_;
}

void Engine::finish(std::uint32_t p) {
  Partition& partition = *partitions_[p];
  for (Boundary* boundary : partition.active_boundaries()) end_window(p, *boundary);
  partition.active_boundaries().clear();
  horizons_->set(p, partition.next(), partition.earliest_credit(), partition.views());
  at_work_[p] = false;
  --running_;
  if (partition.failure() != nullptr) fails_ = std::min(fails_, partition.now());
  now_ = std::max(now_, partition.now());
  until_look_ -= std::min<std::uint64_t>(until_look_, partition.instants());
  if (partition.quiet()) until_look_ = 0;
  ++changes_;
  if (sleepers_ > 0) changed_.notify_all();
}

void Engine::end_window(std::uint32_t p, Boundary& boundary) {
  const std::uint32_t other = boundary.sender() == p ? boundary.receiver() : boundary.sender();
  const Fs seen = boundary.end_window(p);
  news_[other].push_back(&boundary);
  horizons_->tell(other, seen);
  const char* broken = nullptr;
  if (seen < horizons_->reached(other)) {
    broken = "a message crossed a boundary before the time that its partition had promised";
  }
  if (p == boundary.receiver() && boundary.missed_pop()) {
    broken = "a receiver left a message that it had promised to take at once";
  }
  if (broken == nullptr) return;
  end(std::unexpected(SimError{Fault::kProtocol, "engine", broken, partitions_[p]->now()}));
}

/// Others are at work, or may make work: waits until one of them has done something.
void Engine::await_change(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t changes = changes_;
  const auto there = [&] { return changes_ != changes; };
  lock.unlock();
  for (int look = 0; look < kLooks; ++look) {
    if (there()) return lock_soon(lock);
    pause_a_moment(look);
  }
  lock.lock();
  ++sleepers_;
  changed_.wait(lock, there);
  --sleepers_;
}

void Engine::end(Expected<Fs> outcome) {
  if (!outcome_) outcome_ = std::move(outcome);
  ++changes_;
  changed_.notify_all();
}

void Engine::end_if_nothing_is_left(Fs next) {
  if (fails_ < next) return end(std::unexpected(first_failure()));
  if (next == kNever) {
    auto error = deadlock("nothing has work");
    return error ? end(std::unexpected(*std::move(error))) : end(now_);
  }
  if (next > limits_.until) {
    return end(std::unexpected(SimError{Fault::kTimeLimit, "engine", "the time is over", now_}));
  }
  // The partition that is furthest behind always may.
  end(std::unexpected(SimError{Fault::kProtocol, "engine", "no partition may go on", now_}));
}

SimError Engine::first_failure() {
  const Partition::Failure* first = nullptr;
  const auto place = [&](const Partition::Failure& failure) {
    const auto found = std::ranges::find(members_, failure.component, &Member::component);
    return std::pair(failure.error.time, found - members_.begin());
  };
  for (const auto& partition : partitions_) {
    const Partition::Failure* failure = partition->failure();
    if (failure == nullptr) continue;
    if (first == nullptr || place(*failure) < place(*first)) first = failure;
  }
  failed_ = first->component;
  return first->error;
}

Expected<void> Engine::look(Observer& observer) {
  if (!observer.keep_going(now_)) {
    return std::unexpected(cancelled("engine", now_));
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
