// SPDX-License-Identifier: Apache-2.0
//
// Something that has work at certain times. It is not called before its alarm is due; a component
// without an alarm sleeps and costs nothing.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/time.h"

namespace neardata::core {

/// When a component wants to be called next. The time lies in the array of an engine while that
/// runs, else in the alarm itself.
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

  /// Does what is due at `now` and returns when it next has work, counting what lies in its input
  /// channels already; kNever to sleep until a channel wakes it. It may be called early.
  [[nodiscard]] virtual Expected<Fs> step(Fs now) = 0;

  /// Nothing is due up to `t`: what follows from time alone (refreshes) may be done up to there,
  /// and changes nothing that others see. A long quiet time passes in pieces, so that a run can be
  /// cancelled in it.
  virtual void pass(Fs /*t*/) {}

  /// What this component still waits for, if work is outstanding in it; the words of a deadlock.
  [[nodiscard]] virtual std::optional<std::string> waits_for() const = 0;

  /// Things done so far that count as progress (transfers). Never decreases.
  [[nodiscard]] virtual std::uint64_t progress() const = 0;

  /// Of a component with channels to other partitions (engine.h): before this time, whatever
  /// happens in its own partition, it gives no message over any of them, unless it takes one that
  /// is not there yet. `due` is the next instant of its partition.
  [[nodiscard]] virtual Fs earliest_message(Fs due) const { return due; }
  /// Of such a component: no message of another partition makes it give one sooner than so long
  /// after the other was seen here.
  [[nodiscard]] virtual Fs reaction() const { return {}; }

  [[nodiscard]] Alarm& alarm() { return alarm_; }
  [[nodiscard]] const Alarm& alarm() const { return alarm_; }

 private:
  Alarm alarm_;
};

}  // namespace neardata::core
