// SPDX-License-Identifier: Apache-2.0
//
// A component has work at certain times. It is not called before its alarm is due; a component
// without an alarm sleeps and costs no processor time.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/time.h"

namespace neardata::core {

/// The time at which a component has its next work. An engine stores the time in its array while it
/// runs; otherwise the alarm stores it.
class Alarm {
 public:
  Alarm() = default;
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  [[nodiscard]] Fs due() const { return *due_; }
  void no_later_than(Fs t) { *due_ = std::min(*due_, t); }

 private:
  friend class DueTimes;

  Fs own_ = kNever;
  Fs* due_ = &own_;
};

class Component {
 public:
  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  /// For messages; stays the same.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Does the work that is due at `now` and returns the time of the next work, including messages
  /// that are in its input channels; kNever to sleep until a channel wakes it. It may be called
  /// early.
  [[nodiscard]] virtual Expected<Fs> step(Fs now) = 0;

  /// Nothing is due up to `t`: work that depends only on time (refreshes) may be done up to there,
  /// without an effect that others see. A long quiet time passes in pieces, so that a run can be
  /// cancelled during it.
  virtual void pass(Fs /*t*/) {}

  /// The event that this component waits for, if it has outstanding work; for the message of a
  /// deadlock.
  [[nodiscard]] virtual std::optional<std::string> waits_for() const = 0;

  /// Things done so far that count as progress (transfers). Never decreases.
  [[nodiscard]] virtual std::uint64_t progress() const = 0;

  /// For a component with channels to other partitions (engine.h): the earliest time at which it
  /// can send a message over any of them, whatever happens in its own partition, unless a message
  /// that is not visible yet arrives. `due` is the next instant of its partition.
  [[nodiscard]] virtual Fs earliest_message(Fs due) const { return due; }
  /// For such a component: the minimum time between the visibility of a message from another
  /// partition and a message that it causes.
  [[nodiscard]] virtual Fs reaction() const { return {}; }

  [[nodiscard]] Alarm& alarm() { return alarm_; }
  [[nodiscard]] const Alarm& alarm() const { return alarm_; }

 private:
  Alarm alarm_;
};

}  // namespace neardata::core
