// SPDX-License-Identifier: Apache-2.0
//
// Advances time to the earliest component that has work, until none has any. Sleeping components
// are skipped, never polled. The order of the components makes no difference.
//
// Components may be in partitions, which communicate only over boundaries. A partition processes
// its instants up to its horizon: the first time at which an action of another partition could be
// visible to it. The lookahead has three sources. A message becomes visible at the next clock edge
// of its receiver or later, after the latency of the link. A component may promise a first message
// time, and a reaction time between an input and its next message. The interval up to the horizon
// is a window. Threads process windows as they become ready, the windows of a partition one after
// another. Other partitions get the actions of a window when it ends. Results depend neither on the
// number of partitions nor on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/boundary.h"
#include "core/component.h"
#include "core/engine/horizons.h"
#include "core/engine/partition.h"
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
  /// refresh blocks a rank for less than 0.5 us.
  Fs stalled{1'000'000'000'000};
  /// Nothing happens after this time.
  Fs until = kLongestRun;
  /// Instants between two looks of the observer.
  std::uint32_t instants_per_look = 1024;
  /// Threads that partitions are at work on at most, that of `run` among them.
  std::uint32_t threads = 1;
};

/// Wall-clock seconds spent in one component, estimated from a sample of its calls.
struct ComponentTime {
  std::string name;  ///< a copy: results outlive components
  double seconds = 0;
};

class Engine {
 public:
  explicit Engine(EngineLimits limits = {}) : limits_(limits) {}

  /// The component must outlive the engine's use. Its first call is at time `first`, or when a
  /// channel wakes it if that is earlier.
  void add(Component& component, Fs first = kNever, std::uint32_t partition = 0);
  /// A channel between components that were added to two partitions.
  void split(ChannelBase& channel, const Component& sender, const Component& receiver);

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

  struct Crossing {
    const Boundary* boundary;
    const Component* sender;
  };
  /// A partition's window, or a part of it.
  struct Task {
    std::uint32_t partition;
    Fs end;
    std::uint32_t most;  ///< instants
  };

  [[nodiscard]] const Member& member(const Component& component) const;
  [[nodiscard]] bool alone() const { return partitions_.size() == 1; }
  void make_windows();
  void run_on_threads(Observer& observer);
  void pass_to_end(Observer& observer);

  // Loop of all threads; a thread owns the mutex at the beginning and at the end of it.
  void work(std::uint32_t thread, Observer* observer, std::unique_lock<std::mutex>& lock);
  [[nodiscard]] std::optional<Task> next_task(std::uint32_t thread, Observer* observer);
  [[nodiscard]] std::uint32_t most_of(std::uint32_t partition) const;
  void find_ends(Fs next);
  [[nodiscard]] std::optional<std::uint32_t> choose(std::uint32_t thread, bool any) const;
  void begin(const Task& task);
  void finish(std::uint32_t partition);
  void end_window(std::uint32_t partition, Boundary& boundary);
  void await_change(std::unique_lock<std::mutex>& lock);
  void end(Expected<Fs> outcome);
  void end_if_nothing_is_left(Fs next);

  [[nodiscard]] SimError first_failure();
  [[nodiscard]] Expected<void> look(Observer& observer);
  [[nodiscard]] std::optional<SimError> deadlock(const std::string& why) const;

  EngineLimits limits_;
  std::vector<Member> members_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<Crossing> crossings_;

  std::uint32_t threads_ = 1;

  // State that the threads share.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> changes_ = 0;
  std::uint32_t sleepers_ = 0;
  std::optional<Horizons> horizons_;
  std::vector<Fs> ends_;                      ///< by partition, of its window
  std::vector<std::vector<Boundary*>> news_;  ///< by partition, where another one acted
  std::vector<bool> at_work_;                 ///< partitions
  std::vector<std::uint32_t> pieces_;         ///< by partition, instants
  std::uint32_t running_ = 0;                 ///< their number
  std::uint64_t until_look_ = 0;              ///< instants
  std::optional<Expected<Fs>> outcome_;
  std::exception_ptr thrown_;
  const Component* failed_ = nullptr;
  Fs fails_ = kNever;  ///< the first failure; others may fail before
  Fs now_;
  std::uint64_t last_progress_ = 0;
  Fs last_progress_time_;
};

}  // namespace neardata::core
