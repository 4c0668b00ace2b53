// SPDX-License-Identifier: Apache-2.0
//
// Advances time to the earliest component that has work, until none has any. Sleeping components
// are skipped, never polled. The order of the components makes no difference.
//
// Components may be in partitions, which meet over boundaries alone. The engine runs window by
// window. A window ends before the first time at which a partition could see what another does in
// it: no message is seen before the next edge of its receiver or, on a link, before its latency has
// passed, and a component may promise not to give one for longer. Within a window each partition
// does its own instants, side by side with the others; then all are told what was given and taken.
// Neither the number of partitions nor that of threads makes a difference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/boundary.h"
#include "core/component.h"
#include "core/engine/partition.h"
#include "core/engine/worker_pool.h"
#include "core/error.h"
#include "core/time.h"

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
  /// Threads that partitions are at work on at most, that of `run` among them.
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
  void add(Component& component, Fs first = kNever, std::uint32_t partition = 0);
  /// A channel between components that were added to two partitions.
  void split(Boundary& channel, const Component& sender, const Component& receiver);

  /// Runs until all components sleep. The time of the last instant, or why the run ended: an error
  /// of a component or of a library behind it, kDeadlock when work is outstanding (or nothing
  /// moves), kCancelled, kTimeLimit. Of several errors the earliest counts, and at one time that of
  /// the component that was added first. Throws std::system_error when the system has not the
  /// threads.
  [[nodiscard]] Expected<Fs> run(Observer& observer);

  [[nodiscard]] Fs now() const { return now_; }
  /// Whose error ended the run, if it was one of a component.
  [[nodiscard]] const Component* failed() const { return failed_; }
  [[nodiscard]] std::vector<ComponentTime> times() const;

 private:
  /// In the order in which they were added.
  struct Member {
    Component* component;
    std::uint32_t partition;
    std::size_t number;  ///< in the partition
  };
  class Hold;

  [[nodiscard]] const Member& member(const Component& component) const;
  [[nodiscard]] bool alone() const { return partitions_.size() == 1; }
  void make_pool();
  [[nodiscard]] Expected<Fs> run_to_end(Observer& observer);
  /// Every partition with work before `end` does it.
  void run_partitions(Fs end);
  /// What was done in the window that ended at `end` is seen at `end` at the earliest.
  [[nodiscard]] Expected<void> tell_boundaries(Fs end);
  [[nodiscard]] Expected<void> check_failures();
  [[nodiscard]] Expected<void> look(Observer& observer);
  [[nodiscard]] std::optional<SimError> deadlock(const std::string& why) const;

  EngineLimits limits_;
  std::vector<Member> members_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<std::uint32_t> running_;  ///< partitions, in the present round
  std::unique_ptr<WorkerPool> pool_;    ///< while there is more than one thread to use
  std::uint32_t until_look_ = 0;        ///< instants
  const Component* failed_ = nullptr;
  Fs now_;
  std::uint64_t last_progress_ = 0;
  Fs last_progress_time_;
};

}  // namespace neardata::core
