// SPDX-License-Identifier: Apache-2.0
#include "core/engine/partition.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace neardata::core {

namespace {

using WallClock = std::chrono::steady_clock;

/// Takes the time that passes until its end into a sample, if it is to.
template <bool timed>
class Stopwatch {
 public:
  explicit Stopwatch(Partition::Sample&) {}
};

template <>
class Stopwatch<true> {
 public:
  explicit Stopwatch(Partition::Sample& sample) : sample_(sample) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    sample_.seconds += std::chrono::duration<double>(WallClock::now() - start_).count();
    ++sample_.calls;
  }

 private:
  Partition::Sample& sample_;
  WallClock::time_point start_ = WallClock::now();
};

}  // namespace

std::size_t Partition::add(Component& component) {
  members_.push_back({&component, {}});
  due_times_.add(component.alarm());
  return members_.size() - 1;
}

void Partition::add_output(const Component& component, const Boundary& channel) {
  auto border = std::ranges::find(border_, &component, &Border::component);
  if (border == border_.end()) border = border_.insert(border, {&component, {}});
  const Sight sight(channel);
  auto& outputs = border->outputs;
  if (std::ranges::find(outputs, sight) == outputs.end()) outputs.push_back(sight);
}

/// The sum of two edges rounded down is no later than the edge of the sum.
Partition::Sight::Sight(const Boundary& channel)
    : clock_(channel.receiver_clock()),
      further_(clock_.edge(channel.latency() - Cycle{1})),
      first_(clock_) {}

Fs Partition::Sight::earliest(Fs t) {
  if (t < last_) first_.move_to(clock_.after(t));
  first_.move_after(t);
  last_ = t;
  return first_.time() + further_;
}

void Partition::hold() {
  due_times_.hold();
  look_again();
}

void Partition::look_again() {
  told_ = false;
  next_ = due_times_.earliest();
  seen_ = kNever;
  if (next_ == kNever) return;
  for (Border& border : border_) {
    const Fs message = std::max(next_, border.component->earliest_message(next_));
    if (message >= seen_) continue;
    for (Sight& output : border.outputs) seen_ = std::min(seen_, output.earliest(message));
  }
  for (const Boundary* input : inputs_) seen_ = std::min(seen_, input->sees_room(next_));
}

void Partition::run(Fs end, std::uint32_t most) {
  instants_ = 0;
  try {
    while (next_ < end && instants_ < most) {
      ++instants_;
      now_ = next_;
      const bool sample = --until_sample_ == 0;
      if (sample) until_sample_ = kSample;
      if (!(sample ? instant<true>() : instant<false>())) return;
      next_ = due_times_.earliest();
    }
  } catch (const LibraryError& error) {
    fail(SimError{Fault::kProtocol, error.library(), error.what(), now_}, nullptr);
    return;
  }
  // What was done at boundaries will be told, and the partition looked at again then.
  if (touched_.empty()) look_again();
}

void Partition::fail(SimError error, const Component* component) {
  failure_ = {std::move(error), component};
  failed_ = true;
}

template <bool timed>
bool Partition::instant() {
  return due_times_.take(now_, [this](std::size_t number) {
    Member& member = members_[number];
    const Stopwatch<timed> watch(member.sample);
    auto due = member.component->step(now_);
    if (!due) {
      fail(std::move(due).error(), member.component);
      return false;
    }
    member.component->alarm().no_later_than(*due);
    return true;
  });
}

}  // namespace neardata::core
