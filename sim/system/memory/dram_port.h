// SPDX-License-Identifier: Apache-2.0
//
// A DRAM channel of one rank with its controller as a memory port: a DDR5 sub-channel, or a channel
// of another standard. A burst of the unit has 64 bytes; if an access of the standard has fewer,
// the port sends an access for each part, and the burst is complete with the last one. Refreshes of
// an idle rank need no processor time until they are requested, and have the same cycles. A read
// with the address of an older write in the queues is answered from this write, with the latency of
// a read from an open row. A rank that is shared with the host is released when the host requests
// it, and used again after its return.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dram/address_mapper.h"
#include "dram/channel_model.h"
#include "dram/config.h"
#include "dram/controller/controller.h"
#include "dram/open_time.h"
#include "dram/sink.h"
#include "system/memory/memory_port.h"

namespace neardata::system {

struct DramConfig {
  dram::ControllerConfig controller;
  dram::Mapping mapping = dram::Mapping::kRoBaCoBg;
  bool staggered = false;  ///< ranks side by side refresh one after another, not together
  /// In NDP mode, the ranks of a sub-channel of the DIMM share a command bus, round-robin by
  /// command, and have separate data buses. Otherwise both buses are separate.
  bool shared_commands = false;
  dram::ChannelMaker make_channel = dram::make_controller;
  std::string kind = "DDR5 sub-channel";  ///< of the port, in the graph of a machine
};

class DramPort final : public MemoryPort, private dram::Sink {
 public:
  /// Stores the first `recorded_commands` commands.
  DramPort(core::Placement place, const MemoryPortSetup& setup, const DramConfig& config,
           std::size_t recorded_commands);

  [[nodiscard]] std::string_view kind() const override { return kind_; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] PortCounters counters() const override;
  [[nodiscard]] const std::vector<dram::IssuedCommand>& commands() const { return commands_; }

 protected:
  core::Cycle advance(core::Cycle to, bool until_room) override;
  [[nodiscard]] bool offer_read(const core::ReadRequest& request, core::Cycle now) override;
  [[nodiscard]] bool offer_write(const WriteRequest& request, core::Cycle now) override;
  [[nodiscard]] std::optional<core::Cycle> next_event() override;
  void hear_host(core::Fs now) override;
  void end_run() override;
  [[nodiscard]] bool in_haste() const override { return leaving_; }

 private:
  static constexpr std::uint64_t kNoRead = ~std::uint64_t{0};

  void command(const dram::IssuedCommand& issued) override;
  void completion(dram::RequestId id, dram::Cycle cycle) override;
  /// The accesses of a burst of several accesses.
  struct Accesses {
    std::uint32_t offered = 0;    ///< accepted by the controller while others wait for room
    std::uint32_t completed = 0;  ///< a read access was issued or forwarded, a write access issued
  };
  /// The location of an access of the burst.
  void fill(dram::Request& request, std::uint32_t burst, std::uint32_t access,
            dram::Operation operation, std::uint64_t id);
  [[nodiscard]] bool offer_accesses(const core::ReadRequest& read, std::uint64_t id,
                                    core::Cycle now);
  /// True if the completed access of the burst is its last one.
  [[nodiscard]] bool completes_burst(std::uint64_t id);

  dram::Commands kinds_;
  dram::Timing timing_;
  std::uint32_t access_bytes_;
  std::uint32_t accesses_;  ///< of a burst
  std::uint64_t bursts_;    ///< of the rank
  std::string kind_;
  dram::AddressMapper mapper_;
  std::unique_ptr<dram::ChannelModel> channel_;
  dram::OpenTime open_time_;
  /// The last read; it is offered once more if it was rejected. Initially an invalid id.
  dram::Request offered_{.id = {kNoRead}, .where = {}};
  /// Bursts of several accesses that are not complete, by the ids of their requests.
  std::unordered_map<std::uint64_t, Accesses> open_bursts_;
  core::RefreshGuard refresh_;
  ActivationGuard activations_;
  bool away_ = false;  ///< the host has the rank
  std::size_t recorded_commands_;
  std::vector<dram::IssuedCommand> commands_;
  bool leaving_ = false;  ///< the host has requested the rank and does not have it yet
};

}  // namespace neardata::system
