// SPDX-License-Identifier: Apache-2.0
//
// The host's runtime, which decides on moves: starts their flows, at most the allowed number per
// move over links, and records the begin and the end of each move. A source that many moves read at
// a time is slower than the links, so the flow with the least busy source has priority. A flow
// within a DIMM needs no link and uses the time in which no job reads there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/part.h"
#include "system/moe/relayout.h"

namespace neardata::system {

class RelayoutDirector final : public core::Part {
 public:
  /// Moves and flows outlive the director, which has ports for each DIMM of a flow. `entries` are
  /// the links, numbered by target, over which the flows reach their targets.
  RelayoutDirector(core::Placement place, const std::vector<RelayoutMove>& moves,
                   const std::vector<Flow>& flows, std::vector<std::size_t> entries);

  [[nodiscard]] std::string_view kind() const override { return "relayout director"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Fs begins() const override { return core::Fs{0}; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return started_ + ended_; }

  /// By move; an end at kNever is of a move that did not end.
  [[nodiscard]] const std::vector<TimeSpan>& spans() const { return spans_; }
  [[nodiscard]] const std::vector<TimeSpan>& flow_spans() const { return flow_spans_; }

 private:
  /// Ports to and from the relayout unit of one DIMM.
  struct UnitPorts {
    core::Out<FlowOrder> orders;
    core::In<FlowDone> done;
  };
  /// The last link of a flow: its target and the number there.
  using EntryKey = std::pair<std::uint32_t, std::size_t>;
  struct Pending {
    std::vector<std::uint32_t> waiting;  ///< flows not started
    std::uint32_t on_links = 0;
    std::map<EntryKey, std::uint32_t> entering;  ///< its flows in progress
    std::size_t left = 0;
  };

  [[nodiscard]] EntryKey entry_of(std::uint32_t flow) const {
    return {flows_[flow].target, entries_[flow]};
  }
  void start(std::uint32_t move, core::Fs now);
  [[nodiscard]] std::vector<std::uint32_t>::iterator next_flow(std::uint32_t move);

  const std::vector<RelayoutMove>& moves_;
  const std::vector<Flow>& flows_;
  std::vector<std::size_t> entries_;                ///< by flow
  std::map<std::uint32_t, UnitPorts> lines_;        ///< by DIMM
  std::vector<Pending> pending_;                    ///< by move
  std::map<std::uint32_t, std::uint32_t> reading_;  ///< load by source
  std::vector<TimeSpan> spans_;
  std::vector<TimeSpan> flow_spans_;
  std::uint64_t started_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace neardata::system
