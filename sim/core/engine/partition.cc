// SPDX-License-Identifier: Apache-2.0
#include "core/engine/partition.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace neardata::core {

namespace {

using WallClock = std::chrono::steady_clock;

/// A piece of a quiet time: some milliseconds of work if many ranks refresh.
constexpr Fs kQuietPiece{10'000'000'000'000};

/// Adds the time until its end to a sample, if `timed`.
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

void Partition::add_output(const Component& component, const Boundary& boundary) {
  auto border = std::ranges::find(border_, &component, &Border::component);
  if (border == border_.end()) border = border_.insert(border, {&component, {}});
  const Output output(boundary, view_of(boundary.receiver()));
  auto& outputs = border->outputs;
  if (std::ranges::find(outputs, output) == outputs.end()) outputs.push_back(output);
}

void Partition::add_input(const Boundary& boundary) {
  if (boundary.channel().flow_control() != FlowControl::kBackPressure) return;
  inputs_.push_back({&boundary, view_of(boundary.sender())});
}

std::size_t Partition::view_of(std::uint32_t partition) {
  const auto view = std::ranges::find(views_, partition, &Horizons::View::partition);
  const auto at = static_cast<std::size_t>(view - views_.begin());
  if (view == views_.end()) views_.push_back({partition});
  return at;
}

/// The sum of two edges rounded down is no later than the edge of the sum.
Partition::Output::Output(const Boundary& boundary, std::size_t view)
    : view_(view),
      clock_(boundary.channel().receiver_clock()),
      further_(clock_.edge(boundary.channel().latency() - Cycle{1})),
      first_(clock_) {}

Fs Partition::Output::earliest(Fs t) {
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
  for (Horizons::View& view : views_) view.seen = kNever;
  earliest_credit_ = kNever;
  next_ = failed_ ? kNever : due_times_.earliest();
  if (next_ == kNever) return;
  for (Border& border : border_) {
    const Fs message = std::max(next_, border.component->earliest_message(next_));
    if (message == kNever) continue;
    for (Output& output : border.outputs) {
      Fs& seen = views_[output.view()].seen;
      if (message < seen) seen = std::min(seen, output.earliest(message));
    }
  }
  for (const Input& input : inputs_) {
    const Fs credit = input.boundary->earliest_credit(next_);
    Fs& seen = views_[input.view].seen;
    seen = std::min(seen, credit);
    earliest_credit_ = std::min(earliest_credit_, credit);
  }
}

void Partition::run(Fs end, std::uint32_t most) {
  try {
    run_instants(end, most);
  } catch (const LibraryError& error) {
    fail(SimError{Fault::kProtocol, error.library(), error.what(), now_}, nullptr);
  }
  look_again();
}

void Partition::run_instants(Fs end, std::uint32_t most) {
  instants_ = 0;
  quiet_ = false;
  // An alarm may have been set since the last window.
  for (next_ = due_times_.earliest(); next_ < end && instants_ < most;) {
    if (pass(next_)) {
      quiet_ = true;
      return;
    }
    ++instants_;
    now_ = next_;
    const bool sample = --until_sample_ == 0;
    if (sample) until_sample_ = kSample;
    if (!(sample ? instant<true>() : instant<false>())) return;
    next_ = due_times_.earliest();
  }
}

bool Partition::pass(Fs t) {
  const Fs from = std::max(now_, passed_);
  if (failed_ || t - from <= kQuietPiece) return false;
  passed_ = from + kQuietPiece;
  for (const Member& member : members_) member.component->pass(passed_);
  return true;
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
