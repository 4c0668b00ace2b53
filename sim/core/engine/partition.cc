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

void Partition::add_border(const Component& component) {
  if (std::ranges::find(border_, &component) == border_.end()) border_.push_back(&component);
}

void Partition::hold() {
  due_times_.hold();
  look_again();
}

void Partition::look_again() {
  told_ = false;
  next_ = due_times_.earliest();
  exchange_ = kNever;
  for (const Component* component : border_) {
    if (exchange_ <= next_) return;
    exchange_ = std::min(exchange_, component->earliest_exchange(next_));
  }
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
    failure_ = {SimError{Fault::kProtocol, error.library(), error.what(), now_}, nullptr};
    return;
  }
  look_again();
}

template <bool timed>
bool Partition::instant() {
  due_times_.take(now_, due_);
  for (const std::uint32_t number : due_) {
    Member& member = members_[number];
    const Stopwatch<timed> watch(member.sample);
    auto due = member.component->step(now_);
    if (!due) {
      failure_ = {std::move(due).error(), member.component};
      return false;
    }
    member.component->alarm().no_later_than(*due);
  }
  return true;
}

}  // namespace neardata::core
