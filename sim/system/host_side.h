// SPDX-License-Identifier: Apache-2.0
//
// The host of a MoE machine: a port for each sub-channel and the devices that read through them.
// Sub-channel k has the ranks of two neighbouring DIMMs, 2 (k / 2) and the next: ranks 0 to 3 of
// the port are streams 4 (k mod 2) to 4 (k mod 2) + 3 of the first, ranks 4 to 7 of the second.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine.h"
#include "system/host_device.h"
#include "system/host_port.h"
#include "system/ndp_node.h"

namespace neardata::system {

class HostSide {
 public:
  static constexpr std::uint32_t kRanks = 4;  ///< of a DIMM in a sub-channel

  /// `work` outlives the host; `dimms` is even, and each has eight streams.
  HostSide(const std::vector<HostDeviceWork>& work, const NdpDimmConfig& dimm,
           const DramConfig& memory, std::uint32_t dimms);

  /// Names the rank's channels to its NDP port, and later connects them to the port's alarm.
  void share(std::uint32_t dimm, std::uint32_t stream, StreamSharing& sharing);
  void attach(std::uint32_t dimm, std::uint32_t stream, core::Alarm& port);

  void add_to(core::Engine& engine);

  [[nodiscard]] const std::vector<std::unique_ptr<HostPort>>& ports() const { return ports_; }
  [[nodiscard]] const std::vector<std::unique_ptr<HostDevice>>& devices() const { return devices_; }

 private:
  struct RankLine {
    std::unique_ptr<core::Channel<RankMessage>> to_ndp;
    std::unique_ptr<core::Channel<RankMessage>> from_ndp;
  };
  struct ReadLine {
    std::unique_ptr<core::Channel<HostRun>> runs;
    std::unique_ptr<core::Channel<HostRunDone>> done;
  };

  [[nodiscard]] RankLine& line(std::uint32_t dimm, std::uint32_t stream);

  std::vector<std::vector<RankLine>> rank_lines_;  ///< by sub-channel and rank
  std::vector<std::vector<ReadLine>> read_lines_;  ///< by sub-channel and device
  std::vector<std::unique_ptr<HostPort>> ports_;
  std::vector<std::unique_ptr<HostDevice>> devices_;
};

}  // namespace neardata::system
