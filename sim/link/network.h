// SPDX-License-Identifier: Apache-2.0
//
// The links of all DIMMs, as far as anything will cross them: a hub in each DIMM that takes part, a
// link for each hop of each way that is asked for, and a pair of channels between hub and DIMM.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine.h"
#include "link/hub.h"
#include "link/ideal_link.h"
#include "link/link.h"
#include "link/topology.h"

namespace neardata::link {

struct NetworkConfig {
  LinkConfig link;
  Topology topology;
  std::uint32_t parallel = 1;  ///< links side by side between two neighbours
  bool ideal = false;
};

/// One direction of a link and what it did.
struct LinkReport {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  LinkCounters counters;
};

class Network {
 public:
  /// `dimm_clock` is that of whoever is behind the hubs.
  Network(const NetworkConfig& config, const core::Clock& dimm_clock)
      : config_(config), clock_(config.link.clock()), dimm_clock_(dimm_clock) {}

  /// Makes sure that packets can go from one DIMM to another; false when there is no way.
  [[nodiscard]] bool connect(std::uint32_t from, std::uint32_t to);

  /// The DIMM's ends; it must take part in a way that was asked for.
  [[nodiscard]] core::Channel<Packet>& inject(std::uint32_t dimm) { return *node(dimm).inject; }
  [[nodiscard]] core::Channel<Packet>& eject(std::uint32_t dimm) { return *node(dimm).eject; }
  /// Connects the DIMM's alarm to both.
  void attach(std::uint32_t dimm, core::Alarm& alarm);

  void add_to(core::Engine& engine);
  [[nodiscard]] std::vector<LinkReport> report() const;

 private:
  struct Node {
    std::unique_ptr<core::Channel<Packet>> inject;
    std::unique_ptr<core::Channel<Packet>> eject;
    std::unique_ptr<Hub> hub;
  };
  struct Wire {
    std::unique_ptr<core::Channel<Packet>> input;
    std::unique_ptr<core::Channel<Packet>> output;
    std::unique_ptr<core::Channel<Credit>> credits;
    std::unique_ptr<core::Component> link;
  };
  using Hop = std::pair<std::uint32_t, std::uint32_t>;

  Node& node(std::uint32_t dimm);
  std::vector<Wire>& wires(std::uint32_t from, std::uint32_t to);
  [[nodiscard]] Wire make_wire(std::uint32_t from, std::uint32_t to, std::uint32_t number);

  NetworkConfig config_;
  core::Clock clock_;
  core::Clock dimm_clock_;
  std::map<std::uint32_t, Node> nodes_;
  std::map<Hop, std::vector<Wire>> wires_;
};

}  // namespace neardata::link
