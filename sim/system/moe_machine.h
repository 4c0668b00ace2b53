// SPDX-License-Identifier: Apache-2.0
//
// A MoE machine: NDP DIMMs with their units and relayout units, joined by DIMM-Link, and the host's
// CPU and GPU that read the same ranks, in one engine. What they do at the same time contends for
// ranks and links because it meets there. Lives for one run; the bytes are in stores outside.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/engine.h"
#include "link/network.h"
#include "system/host_side.h"
#include "system/ndp_node.h"
#include "system/relayout_director.h"
#include "system/relayout_unit.h"

namespace neardata::system {

struct MoeConfig {
  NdpDimmConfig dimm;
  std::uint32_t dimms = 16;
  link::NetworkConfig network;
  std::optional<std::uint32_t> rtl_dimm;  ///< whose unit is the plug-in; the others are models
};

struct MoeWork {
  std::vector<std::vector<unit::Descriptor>> jobs;  ///< by DIMM
  std::vector<RelayoutMove> moves;
  std::vector<HostDeviceWork> devices;
  /// Jobs whose outputs matter. A model of a unit moves no values, so those are computed at the end
  /// of the run.
  struct Valued {
    std::uint32_t dimm = 0;
    std::uint32_t job = 0;
  };
  std::vector<Valued> valued;
};

struct MoeResult {
  std::optional<core::SimError> error;
  core::Fs end;
  std::vector<std::vector<JobSpan>> jobs;        ///< by DIMM
  std::vector<std::vector<PortCounters>> ports;  ///< by DIMM; none where a DIMM did not take part
  std::vector<TimeSpan> moves;
  std::vector<Flow> flows;
  std::vector<TimeSpan> flow_spans;
  std::vector<link::LinkReport> links;
  std::vector<std::vector<TimeSpan>> devices;  ///< by device and task that ended
  std::vector<core::Fs> transferring;          ///< by device, on PCIe
  std::vector<HostCounters> host;              ///< by sub-channel
  std::vector<core::ComponentTime> times;
};

class MoeMachine {
 public:
  /// `work` and `stores` outlive the machine.
  MoeMachine(const MoeConfig& config, const rtl::NdpPlugin* plugin, const MoeWork& work,
             Stores& stores);

  /// A move whose bytes are not at its target in the end is an error of the run.
  [[nodiscard]] MoeResult run(core::Observer& observer);

 private:
  /// A relayout unit and the channels between it and the rest of its DIMM.
  struct Relayout {
    std::vector<std::unique_ptr<core::Channel<unit::ReadRequest>>> requests;
    std::vector<std::unique_ptr<core::Channel<unit::ReadResponse>>> responses;
    std::vector<std::unique_ptr<core::Channel<WriteRequest>>> writes;
    std::vector<std::unique_ptr<core::Channel<WriteDone>>> written;
    std::unique_ptr<core::Channel<FlowOrder>> orders;
    std::unique_ptr<core::Channel<FlowDone>> done;
    std::unique_ptr<RelayoutUnit> unit;
  };

  void make_links();
  void make_host();
  [[nodiscard]] std::vector<StreamSharing> make_sharing(std::uint32_t dimm);
  void make_relayout(std::uint32_t dimm, std::vector<StreamSharing>& sharing);
  void connect(std::uint32_t dimm, const NdpNode& node);
  void make_node(std::uint32_t dimm, const rtl::NdpPlugin* plugin);
  void make_director();
  void compute_values() const;
  [[nodiscard]] std::optional<core::SimError> check_bytes() const;

  MoeConfig config_;
  const MoeWork& work_;
  Stores& stores_;
  core::Clock unit_clock_;
  core::Clock memory_clock_;
  std::vector<Flow> flows_;
  link::Network network_;
  std::map<std::uint32_t, Relayout> relayouts_;              ///< of the DIMMs with flows
  std::map<std::uint32_t, std::unique_ptr<NdpNode>> nodes_;  ///< of the DIMMs that take part
  std::unique_ptr<RelayoutDirector> director_;
  std::unique_ptr<HostSide> host_;  ///< where a device has work
  core::Engine engine_;
  std::optional<core::SimError> broken_;  ///< the work that the machine cannot do
};

}  // namespace neardata::system
