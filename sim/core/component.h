// SPDX-License-Identifier: Apache-2.0
//
// Something that has work at certain times. It is not called before its alarm is due; a component
// without an alarm sleeps and costs nothing.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

/// The part of a component's work at an instant that reads what `step` laid ready, writes nothing
/// but the component's own state, and is seen by nobody before a later instant. Everybody who is
/// due has stepped when the evaluations of an instant begin; they are done side by side, on any
/// thread, so what `step` laid ready stays as it is until the instant ends.
class Evaluation {
 public:
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  virtual ~Evaluation() = default;

  virtual void evaluate() = 0;
  /// On the engine's thread, in the order of the components, after every evaluation of the instant:
  /// when the component next has work, as from `step`, or what its evaluation found broken.
  [[nodiscard]] virtual Expected<Fs> evaluated(Fs now) = 0;

  /// Whether `step` has asked since this was called last.
  [[nodiscard]] bool take_request() { return std::exchange(requested_, false); }

 protected:
  Evaluation() = default;
  /// For `step`: evaluate at this instant.
  void request() { requested_ = true; }

 private:
  bool requested_ = false;
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

  /// Where `step` leaves part of its work to be done side by side with others'; stays the same.
  [[nodiscard]] virtual Evaluation* evaluation() { return nullptr; }

  /// What this component still waits for, if work is outstanding in it; the words of a deadlock.
  [[nodiscard]] virtual std::optional<std::string> waits_for() const = 0;

  /// Things done so far that count as progress (transfers). Never decreases.
  [[nodiscard]] virtual std::uint64_t progress() const = 0;

  [[nodiscard]] Alarm& alarm() { return alarm_; }

 private:
  Alarm alarm_;
};

}  // namespace neardata::core
