// SPDX-License-Identifier: Apache-2.0
//
// The relayout unit of a DIMM's buffer chip: reads the runs of its flows from the DIMM's ranks,
// four bursts a packet, hands the packets to DIMM-Link, and writes what arrives. It shares the
// rank-sub-channels with the NDP unit as a second client. A burst a stream and cycle of its clock
// each way, and a buffer of 256 packets (64 KB). A flow is read from a second stream where the
// first is busy, for one of them is slower than a link; flows take turns.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/component.h"
#include "link/packet.h"
#include "system/memory_port.h"
#include "system/relayout.h"

namespace neardata::system {

/// The unit's ends of its channels.
struct RelayoutPorts {
  std::vector<PortLinks::Background> streams;
  core::Channel<link::Packet>* inject = nullptr;
  core::Channel<link::Packet>* eject = nullptr;
  core::Channel<FlowOrder>* orders = nullptr;
  core::Channel<FlowDone>* done = nullptr;
};

class RelayoutUnit final : public core::Component {
 public:
  static constexpr std::uint32_t kSlots = 256;
  static constexpr std::uint32_t kPacketBursts = link::kMostPayloadBytes / unit::kBurstBytes;
  /// Most reads, and most writes, that one stream may have under way.
  static constexpr std::uint32_t kMostUnderWay = kSlots * kPacketBursts;

  /// `flows` are those of the machine and outlive the unit; `stores` are the DIMM's own.
  RelayoutUnit(std::uint32_t dimm, const core::Clock& clock, const RelayoutPorts& ports,
               const std::vector<Flow>& flows, std::vector<ByteStore>& stores);

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return moved_; }

 private:
  /// What a flow reads from one stream, and where it goes on.
  struct Lane {
    std::vector<const RelayoutRun*> runs;
    std::size_t run = 0;
    std::uint32_t burst = 0;
  };
  /// A flow that is being read.
  struct Reading {
    std::uint32_t flow;
    std::vector<Lane> lanes;  ///< none without runs left
  };
  struct Slot {
    link::Packet packet;
    std::uint32_t missing = 0;
  };
  /// A packet that is being written.
  struct Writing {
    link::Packet packet;
    std::uint32_t next = 0;
  };

  bool hear(core::Fs now);
  bool collect(core::Fs now);
  void begin(std::uint32_t flow);
  bool start_packets();
  bool start_packet(Reading& reading);
  void start_packet(std::uint32_t flow, Lane& lane);
  bool ask(core::Fs now);
  bool send(core::Fs now);
  bool write(core::Fs now);
  [[nodiscard]] core::Fs next_arrival(core::Fs now) const;

  std::string name_;
  std::uint32_t dimm_;
  core::Clock clock_;
  RelayoutPorts ports_;
  const std::vector<Flow>& flows_;
  std::vector<ByteStore>& stores_;

  std::deque<Reading> readings_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::deque<unit::ReadRequest>> wanted_;  ///< by stream
  std::deque<std::uint32_t> complete_;                 ///< slots
  std::deque<Writing> writing_;
  std::vector<std::uint64_t> unwritten_;  ///< bursts, by flow
  std::deque<std::uint32_t> ended_;       ///< flows to report
  std::uint64_t moved_ = 0;
};

}  // namespace neardata::system
