// SPDX-License-Identifier: Apache-2.0
//
// The relayout unit of a DIMM's buffer chip: reads the runs of its flows from the DIMM's ranks,
// four bursts per packet, sends the packets over DIMM-Link, and writes arriving packets. It shares
// the rank-sub-channels with the NDP unit as a second client. One burst per stream, direction and
// cycle of its clock, and a buffer of 256 packets (64 KB). A flow is read from a second stream if
// the first is busy, because one stream is slower than a link. Arbitration of flows is round-robin.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/part.h"
#include "link/packet.h"
#include "system/memory/memory_port.h"
#include "system/moe/relayout.h"

namespace neardata::system {

class RelayoutUnit final : public core::Part {
 public:
  static constexpr std::uint32_t kSlots = 256;
  static constexpr std::uint32_t kPacketBursts = link::kMostPayloadBytes / core::kBurstBytes;
  /// Limit of the reads, and of the writes, that one stream may have in flight.
  static constexpr std::uint32_t kMostUnderWay = kSlots * kPacketBursts;

  /// `flows` are those of the machine and outlive the unit. `write_time` is the minimum time from a
  /// write's request to its end.
  RelayoutUnit(core::Placement place, std::uint32_t dimm, const std::vector<Flow>& flows,
               std::size_t streams, core::Fs write_time);

  [[nodiscard]] std::string_view kind() const override { return "relayout unit"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return moved_; }
  /// A flow ends when all of it is written.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override;
  [[nodiscard]] core::Fs reaction() const override { return write_time_; }

 private:
  /// The runs that a flow reads from one stream, and its position in them.
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
  struct PacketBuffer {
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

  struct Stream {
    core::Out<core::ReadRequest> requests;
    core::In<core::ReadResponse> responses;
    core::Out<WriteRequest> writes;
    core::In<WriteDone> written;
  };
  std::vector<Stream> streams_;
  core::Out<link::Packet> inject_;
  core::In<link::Packet> eject_;
  core::In<FlowOrder> orders_;
  core::Out<FlowDone> done_;

  std::uint32_t dimm_;
  const std::vector<Flow>& flows_;
  core::Fs write_time_;

  std::deque<Reading> readings_;
  std::vector<PacketBuffer> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::deque<core::ReadRequest>> wanted_;  ///< by stream
  std::deque<std::uint32_t> complete_;                 ///< slots
  std::deque<Writing> writing_;
  std::vector<std::uint32_t> ending_;     ///< flows that end at this DIMM
  std::vector<std::uint64_t> unwritten_;  ///< bursts, by flow
  std::vector<std::uint64_t> unsent_;     ///< those of them that no memory has yet
  std::deque<std::uint32_t> ended_;       ///< flows to report
  std::uint64_t moved_ = 0;
};

}  // namespace neardata::system
