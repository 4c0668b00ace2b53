// SPDX-License-Identifier: Apache-2.0
//
// Advances time to the earliest component that has work, until none has any. Sleeping components
// are skipped, never polled. The order of the components makes no difference, and neither does the
// number of threads on which their evaluations are done.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component.h"
#include "core/due_times.h"
#include "core/error.h"
#include "core/time.h"
#include "core/worker_pool.h"

namespace neardata::core {

/// Looks at a run from outside, every few thousand instants.
class Observer {
 public:
  virtual ~Observer() = default;
  /// False cancels the run.
  [[nodiscard]] virtual bool keep_going(Fs now) = 0;
};

struct EngineLimits {
  /// Without progress for this long the run counts as deadlocked. Far above any legal wait: a
  /// refresh keeps a rank busy for less than 0.5 us.
  Fs stalled{1'000'000'000'000};
  /// Nothing happens after this time.
  Fs until = kLongestRun;
  /// Instants between two looks of the observer.
  std::uint32_t instants_per_look = 4096;
  /// Threads that do the evaluations of an instant at most, that of `run` among them.
  std::uint32_t threads = 1;
};

/// Wall-clock seconds spent in one component, estimated from a sample of its calls.
struct ComponentTime {
  std::string name;  ///< its own: results outlive components
  double seconds = 0;
};

class Engine {
 public:
  explicit Engine(EngineLimits limits = {}) : limits_(limits) {}

  /// The component must outlive the engine's use. Its first call is at time `first`, or when a
  /// channel wakes it if that is earlier.
  void add(Component& component, Fs first = kNever);

  /// Runs until everybody sleeps. The time of the last instant, or why the run ended: an error of a
  /// component or of a library behind it, kDeadlock when work is outstanding (or nothing moves),
  /// kCancelled, kTimeLimit. Of several errors at an instant that of a step comes before those of
  /// evaluations, and among either that of the component that was added first. Throws
  /// std::system_error when the system has not the threads.
  [[nodiscard]] Expected<Fs> run(Observer& observer);

  [[nodiscard]] Fs now() const { return now_; }
  /// Whose error ended the run, if it was one of a component.
  [[nodiscard]] const Component* failed() const { return failed_; }
  [[nodiscard]] std::vector<ComponentTime> times() const;

 private:
  struct Member {
    Component* component;
    Evaluation* evaluation;
    std::uint32_t evaluator;  ///< its number in `evaluators_`, if it has an evaluation
    double sampled_seconds = 0;
    std::uint64_t samples = 0;
  };

  [[nodiscard]] Expected<Fs> run_to_end(Observer& observer);
  void make_pool();
  template <bool timed>
  [[nodiscard]] Expected<void> instant();
  template <bool timed>
  [[nodiscard]] Expected<void> evaluate();
  [[nodiscard]] Expected<void> look(Observer& observer);
  [[nodiscard]] std::optional<SimError> deadlock(const std::string& why) const;

  EngineLimits limits_;
  std::vector<Member> members_;
  DueTimes due_times_;
  std::vector<std::uint32_t> due_;  ///< members, of the present instant
  /// Members with evaluations: their numbers here follow one another, and spread over threads.
  std::vector<std::uint32_t> evaluators_;
  std::vector<std::uint32_t> evaluating_;  ///< of those, with something to evaluate at present
  std::unique_ptr<WorkerPool> pool_;       ///< while there is more than one thread to use
  const Component* failed_ = nullptr;
  Fs now_;
  std::uint64_t last_progress_ = 0;
  Fs last_progress_time_;
};

}  // namespace neardata::core
