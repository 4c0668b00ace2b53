// SPDX-License-Identifier: Apache-2.0
//
// The ranks of one sub-channel of a DIMM with the two ways to their banks: the host's channel,
// which all ranks share, and in NDP mode a private channel for each rank. At any time one of the
// two has a rank; it changes hands by commands (Controller::release), so the change costs what they
// cost.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/controller.h"

namespace neardata::dram {

enum class RankUser : std::uint8_t { kHost, kNdp };

class SharedRanks {
 public:
  /// Reports what the controllers do; `user` and `rank` name the controller (`rank` in the place of
  /// a command is always that of the sub-channel).
  class Listener {
   public:
    virtual void command(RankUser user, const IssuedCommand& issued) = 0;
    virtual void completion(RankUser user, RequestId id, Cycle cycle) = 0;

   protected:
    ~Listener() = default;
  };

  /// `host` describes the channel of the host; all ranks begin with it.
  SharedRanks(const ControllerConfig& host, Listener& listener);

  /// Asks for the rank to change hands; the last wish for a rank counts, and a change that is under
  /// way is finished first.
  void hand_over(std::uint32_t rank, RankUser user);
  /// Who may use the rank; during a hand-over still the old one, who takes nothing more.
  [[nodiscard]] RankUser user(std::uint32_t rank) const { return ranks_[rank].user; }

  /// As Controller::offer; refused as well when `user` does not have the rank.
  [[nodiscard]] bool offer(RankUser user, const Request& request);

  /// The next tick in which one of the controllers does something.
  [[nodiscard]] Cycle next_event();
  void advance(Cycle to);
  [[nodiscard]] Cycle clock() const { return host_.clock(); }
  [[nodiscard]] std::size_t outstanding() const;

 private:
  struct Rank {
    Controller ndp;
    RankUser user = RankUser::kHost;
    RankUser wanted = RankUser::kHost;
    bool changing = false;
  };
  class ControllerSink final : public Sink {
   public:
    ControllerSink(Listener& listener, RankUser user, std::uint32_t first_rank)
        : listener_(&listener), user_(user), first_rank_(first_rank) {}
    void command(const IssuedCommand& issued) override;
    void completion(RequestId id, Cycle cycle) override { listener_->completion(user_, id, cycle); }

   private:
    Listener* listener_;
    RankUser user_;
    std::uint32_t first_rank_;
  };

  void step(Cycle to);
  void begin_change(std::uint32_t rank);
  void finish_changes();

  Listener* listener_;
  Controller host_;
  std::vector<Rank> ranks_;
};

}  // namespace neardata::dram
