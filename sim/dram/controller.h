// SPDX-License-Identifier: Apache-2.0
//
// The controller of one DDR5 channel. It works from event to event: time between commands costs
// nothing, and the commands are those that a walk through every cycle would give.
//
// Clock c means: ticks 1..c are done. Requests are offered between ticks; one offered at clock c
// causes its earliest command in tick c + 1. The caller advances the controller to c first:
//
//   controller.advance(now, sink);          // everything up to and including tick `now`
//   if (!controller.offer(request, now)) {  // full: try again after next_event()
//   }
//   ... controller.next_event() ...         // next tick in which it does something of its own
#pragma once

#include <memory>
#include <optional>

#include "dram/config.h"
#include "dram/sink.h"
#include "dram/statistics.h"
#include "dram/types.h"

namespace neardata::dram {

/// When `advance` comes back early.
enum class StopAt : std::uint8_t {
  kGoal,        ///< not early
  kReadLeaves,  ///< after a tick in which the read queue shrank
  kWriteLeaves  ///< after a tick in which the write queue shrank
};

class Controller {
 public:
  /// `config` must have passed `validate`.
  explicit Controller(const ControllerConfig& config);
  ~Controller();
  Controller(Controller&&) noexcept;
  Controller& operator=(Controller&&) noexcept;

  /// Takes the request, or refuses it for want of room and forgets it. `now` is the clock.
  /// A read of an address that waits in the write queue needs no room and no command.
  [[nodiscard]] bool offer(const Request& request, Cycle now);

  /// Gives the rank up: offers for it are refused from now on, what has been taken is finished, and
  /// a PREA closes it. Until then `usable_by_others` is empty; after that it is the first cycle in
  /// which another controller of the same banks may activate a row.
  void release(std::uint32_t rank);
  [[nodiscard]] std::optional<Cycle> usable_by_others(std::uint32_t rank) const;
  /// Takes a rank that another controller has released; nothing goes to it before `from`. Its
  /// refreshes go on from here at the times they would have had.
  void acquire(std::uint32_t rank, Cycle from);
  [[nodiscard]] bool owns(std::uint32_t rank) const;

  /// The next tick in which a command issues or a completion is due if nothing more is offered;
  /// kNever when there is nothing to do and no refresh to come.
  [[nodiscard]] Cycle next_event();

  /// No completion comes before this tick if nothing more is offered. Never earlier than
  /// next_event(); a caller that only waits for data sleeps until here.
  [[nodiscard]] Cycle next_completion();

  /// Does all ticks up to and including `to`, or fewer (see `stop`). Returns the clock.
  Cycle advance(Cycle to, Sink& sink, StopAt stop = StopAt::kGoal);

  [[nodiscard]] Cycle clock() const;
  /// Requests taken and not completed.
  [[nodiscard]] std::size_t outstanding() const;
  [[nodiscard]] const Statistics& statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace neardata::dram
