// SPDX-License-Identifier: Apache-2.0
//
// Components that communicate with others over boundaries only, and the instants of their own. A
// partition runs on one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/boundary.h"
#include "core/component.h"
#include "core/engine/due_times.h"
#include "core/engine/horizons.h"
#include "core/error.h"
#include "core/time.h"

namespace neardata::core {

class alignas(64) Partition {
 public:
  /// The failure of a partition.
  struct Failure {
    SimError error;
    const Component* component;  ///< null where a library failed
  };
  /// How long a component was at work, from a sample of its calls.
  struct Sample {
    double seconds = 0;
    std::uint64_t calls = 0;
  };

  /// Adds a component. Returns its number in the partition.
  std::size_t add(Component& component);
  /// A channel of the component to another partition, and one from another.
  void add_output(const Component& component, const Boundary& boundary);
  void add_input(const Boundary& boundary);
  /// The boundaries at which the partition acted in its last window.
  [[nodiscard]] std::vector<Boundary*>& active_boundaries() { return active_boundaries_; }

  /// Moves the alarms into the array of the partition, until `release`.
  void hold();
  void release() { due_times_.release(); }

  /// The earliest instant in which a component has work.
  [[nodiscard]] Fs next() const { return next_; }
  /// The earliest times at which other partitions can see its later actions.
  [[nodiscard]] const std::vector<Horizons::View>& views() const { return views_; }
  /// The earliest time at which a sender of another partition can see space freed here.
  [[nodiscard]] Fs earliest_credit() const { return earliest_credit_; }

  /// Processes every instant before `end`, at most `most` of them. Stops earlier on a failure, or
  /// before a long quiet time. A failed partition has no further instants and no further actions.
  void run(Fs end, std::uint32_t most);
  /// Advances by a piece of the time up to `t`, in which nothing is due. False if `t` is reached.
  [[nodiscard]] bool pass(Fs t);
  /// The last `run` ended in a quiet time.
  [[nodiscard]] bool quiet() const { return quiet_; }
  /// Instants of the last `run`.
  [[nodiscard]] std::uint32_t instants() const { return instants_; }
  [[nodiscard]] const Failure* failure() const { return failed_ ? &*failure_ : nullptr; }
  /// The last instant.
  [[nodiscard]] Fs now() const { return now_; }

  [[nodiscard]] Sample sample(std::size_t component) const { return members_[component].sample; }
  /// One instant in so many is timed; a prime, so that no rhythm of the machine is followed.
  static constexpr std::uint16_t kSample = 61;

 private:
  struct Member {
    Component* component;
    Sample sample;
  };

  template <bool timed>
  [[nodiscard]] bool instant();
  void run_instants(Fs end, std::uint32_t most);
  void look_again();
  void fail(SimError error, const Component* component);

  /// The visibility of a message to the receiver of a channel.
  class Output {
   public:
    Output(const Boundary& boundary, std::size_t view);
    /// Earliest visibility of a message that is sent at `t` or later.
    [[nodiscard]] Fs earliest(Fs t);
    [[nodiscard]] std::size_t view() const { return view_; }
    friend bool operator==(const Output& a, const Output& b) {
      return a.view_ == b.view_ && a.clock_ == b.clock_ && a.further_ == b.further_;
    }

   private:
    std::size_t view_;
    Clock clock_;
    Fs further_;  ///< the edges of the latency behind the first
    EdgeCursor first_;
    Fs last_{-1};
  };
  /// A component with channels to other partitions, and the visibility of messages on these.
  struct Border {
    const Component* component;
    std::vector<Output> outputs;
  };

  /// A channel whose sender sees the space that is freed here.
  struct Input {
    const Boundary* boundary;
    std::size_t view;
  };

  [[nodiscard]] std::size_t view_of(std::uint32_t partition);

  Fs next_ = kNever;
  Fs earliest_credit_ = kNever;
  Fs now_;
  Fs passed_;  ///< by quiet times
  bool quiet_ = false;
  std::vector<Horizons::View> views_;
  std::vector<Boundary*> active_boundaries_;
  std::uint32_t instants_ = 0;
  std::uint16_t until_sample_ = kSample;
  bool failed_ = false;

  DueTimes due_times_;
  std::vector<Member> members_;
  std::vector<Border> border_;
  std::vector<Input> inputs_;
  std::optional<Failure> failure_;
};

}  // namespace neardata::core
