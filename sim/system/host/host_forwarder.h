// SPDX-License-Identifier: Apache-2.0
//
// The host as the forwarder of packets between groups of DIMMs without links (DIMM-Link: Zhou et
// al., HPCA 2023). A buffer chip has buffers for packets that the host reads and writes as bursts
// of its sub-channels, at addresses of the chip itself: they occupy the bus, but no rank. The host
// polls the DIMMs round-robin until one has packets, reads the packets in batches, and writes them
// to their targets. These transfers share the sub-channels with all other traffic. The time of the
// core between a read and the write is the latency of a load's answer and of a store; its own copy
// is assumed not to limit.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/part.h"
#include "link/packet.h"
#include "system/host/host_jobs.h"

namespace neardata::system {

/// Sub-channel k is one of two of the DIMMs 2 (k / 2) and the next.
struct HostForwarderPorts {
  std::vector<std::uint32_t> senders;    ///< DIMMs that send packets to the host
  std::vector<std::uint32_t> receivers;  ///< DIMMs that get packets from the host
  std::size_t sub_channels = 0;
  std::uint32_t buffer_rank = 0;  ///< the buffer chips are the ranks of a sub-channel from here on
};

class HostForwarder final : public core::Part {
 public:
  /// Packets that wait in a buffer chip for the host, or for their DIMM.
  static constexpr std::size_t kBuffers = 64;

  HostForwarder(core::Placement place, const HostPath& path, const HostForwarderPorts& ports);

  [[nodiscard]] std::string_view kind() const override { return "host forwarder"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return delivered_; }

 private:
  static constexpr std::size_t kLanes = 2;  ///< sub-channels of a DIMM
  using Packets = std::vector<link::Packet>;

  /// One direction between a DIMM and the host.
  struct Side {
    std::uint32_t dimm = 0;
    std::array<std::size_t, kLanes> in_flight{};     ///< batches
    std::array<std::uint32_t, kLanes> next_burst{};  ///< of its buffers
  };
  struct Sender : Side {
    core::In<link::Packet> packets;
    bool watched = false;          ///< a poll has found packets
    core::Fs look = core::kNever;  ///< time of that poll
  };
  struct Receiver : Side {
    core::Out<link::Packet> arrived;
    std::deque<link::Packet> waiting;  ///< at the host
    std::size_t promised = 0;          ///< packets that are being written
  };
  /// Packets that are being read or written.
  struct Batch {
    std::size_t side = 0;  ///< number of the sender or receiver
    bool write = false;
    Packets packets;
  };
  struct ReaderPorts {
    core::Out<HostRun> runs;
    core::In<HostRunDone> done;
    std::deque<Batch> asked;  ///< in order
  };
  /// Packets that a core has read and not yet written.
  struct Passing {
    core::Fs ready;
    Packets packets;
  };

  void collect(core::Fs now);
  void enqueue_ready(core::Fs now);
  void read(Sender& sender, std::size_t number, core::Fs now);
  void write(Receiver& receiver, std::size_t number, core::Fs now);
  [[nodiscard]] bool sees(Sender& sender, core::Fs now);
  void ask(Side& side, std::size_t lane, Batch batch, core::Fs now);
  [[nodiscard]] ReaderPorts& line(const Side& side, std::size_t lane) {
    return lines_[side.dimm / 2 * kLanes + lane];
  }
  [[nodiscard]] core::Fs next_work(core::Fs now) const;

  HostPath path_;
  std::uint32_t buffer_rank_;
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
  std::vector<std::size_t> receiver_of_;  ///< by DIMM
  std::vector<ReaderPorts> lines_;        ///< by sub-channel
  std::deque<Passing> passing_;
  std::size_t held_ = 0;  ///< packets at the host, or in flight to or from the host
  std::uint64_t delivered_ = 0;
  std::optional<core::SimError> error_;
};

}  // namespace neardata::system
