// SPDX-License-Identifier: Apache-2.0
//
// The controller of one channel. It is event-driven: cycles without commands need no processor
// time, and the commands are equal to those of a simulation of every cycle.
//
// The caller advances the controller to the clock at which it offers:
//
//   controller.advance(now, sink);          // everything up to and including tick `now`
//   if (!controller.offer(request, now)) {  // full: try again after next_event()
//   }
//   ... controller.next_event() ...         // next tick in which it does something of its own
#pragma once

#include <memory>
#include <optional>

#include "dram/channel_model.h"
#include "dram/handed_rank.h"

namespace neardata::dram {

class Controller final : public ChannelModel {
 public:
  /// `config` must have passed `validate`.
  explicit Controller(const ControllerConfig& config);
  ~Controller() override;
  Controller(Controller&&) noexcept;
  Controller& operator=(Controller&&) noexcept;

  [[nodiscard]] bool offer(const Request& request, Cycle now) override;

  /// Releases the rank: rejects further offers for it, finishes accepted requests, and closes it
  /// with a PREA. Until then `handed` is empty; after that it returns the time from which on
  /// another controller of the same banks may use the rank.
  void release(std::uint32_t rank);
  [[nodiscard]] std::optional<HandedRank> handed(std::uint32_t rank) const;
  /// Takes ownership of a rank with the state at its release by another controller. Overdue
  /// refreshes issue first; later refreshes keep their due times. Counts of activations continue.
  void acquire(std::uint32_t rank, const HandedRank& handed);
  [[nodiscard]] bool owns(std::uint32_t rank) const;

  /// The next tick with an action if nothing more is offered, or with the end of a refresh.
  [[nodiscard]] Cycle next_event() override;

  using ChannelModel::advance;
  Cycle advance(Cycle to, Sink& sink, StopAt stop) override;

  [[nodiscard]] Cycle clock() const override;
  [[nodiscard]] std::size_t outstanding() const override;
  [[nodiscard]] const Statistics& statistics() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The ChannelMaker of this controller.
std::unique_ptr<ChannelModel> make_controller(const ControllerConfig& config, const ChannelPlace&);
/// Whether channels are of this controller, so that several may be at work on several threads.
[[nodiscard]] bool makes_controllers(const ChannelMaker& maker);

}  // namespace neardata::dram
