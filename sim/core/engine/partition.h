// SPDX-License-Identifier: Apache-2.0
//
// Components that meet others over boundaries alone, and the instants of their own. A partition is
// at work on one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/boundary.h"
#include "core/component.h"
#include "core/engine/due_times.h"
#include "core/error.h"
#include "core/time.h"

namespace neardata::core {

class alignas(64) Partition {
 public:
  /// What ended the work of a partition.
  struct Failure {
    SimError error;
    const Component* component;  ///< null where a library failed
  };
  /// How long a component was at work, from a sample of its calls.
  struct Sample {
    double seconds = 0;
    std::uint64_t calls = 0;
  };

  /// Its number in the partition.
  std::size_t add(Component& component);
  /// A channel of the component to another partition, and one from another.
  void add_output(const Component& component, const Boundary& channel);
  void add_input(const Boundary& channel) {
    if (channel.shows_room()) inputs_.push_back(&channel);
  }
  /// For boundaries of this partition, which are then told.
  [[nodiscard]] std::vector<Boundary*>& touched() { return touched_; }

  /// From now on, until `release`, alarms are in the array of the partition.
  void hold();
  void release() { due_times_.release(); }

  /// Finds the earliest instant in which a component has work, and when another partition can see
  /// what this one does from then on.
  void look_again();
  /// A boundary was told: both may have changed. Every boundary is told before it is looked again.
  void told() { told_ = true; }
  void look_again_if_told() {
    if (told_) look_again();
  }
  [[nodiscard]] Fs next() const { return next_; }
  /// Before this time no other partition sees what this one does from now on.
  [[nodiscard]] Fs earliest_seen() const { return seen_; }

  /// Every instant before `end`, but so many at most; less when one fails.
  void run(Fs end, std::uint32_t most);
  /// Of the last `run`.
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
  void fail(SimError error, const Component* component);

  /// When the receiver of a channel sees a message that is given at some time.
  class Sight {
   public:
    explicit Sight(const Boundary& channel);
    /// At the earliest, of a message given at `t` or later.
    [[nodiscard]] Fs earliest(Fs t);
    friend bool operator==(const Sight& a, const Sight& b) {
      return a.clock_ == b.clock_ && a.further_ == b.further_;
    }

   private:
    Clock clock_;
    Fs further_;  ///< the edges of the latency behind the first
    EdgeCursor first_;
    Fs last_{-1};
  };
  /// A component with channels to other partitions, and how soon messages on these are seen.
  struct Border {
    const Component* component;
    std::vector<Sight> outputs;
  };

  // All that the engine looks at between two windows, in a line of the cache of its own: another
  // thread may have written it.
  Fs next_ = kNever;
  Fs seen_ = kNever;
  Fs now_;
  std::vector<Boundary*> touched_;
  std::uint32_t instants_ = 0;
  std::uint16_t until_sample_ = kSample;
  bool told_ = false;
  bool failed_ = false;

  DueTimes due_times_;
  std::vector<Member> members_;
  std::vector<Border> border_;
  std::vector<const Boundary*> inputs_;  ///< in which room that is made may be seen
  std::optional<Failure> failure_;
};

}  // namespace neardata::core
