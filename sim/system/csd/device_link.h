// SPDX-License-Identifier: Apache-2.0
//
// Both ends of a device's link to the host. With commands, as NVMe has them: the host writes a
// doorbell; the device reads the submission entry, the list of pages (for more than two rows), and
// the rows, from the memory of host or GPU. It writes outputs and a completion entry, and the host
// writes the doorbell of the completion queue. The memory answers reads in order; the latency of
// the link includes its time. Without commands, only rows and outputs cross the link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/port.h"
#include "link/link_part.h"
#include "link/packet_sequence.h"
#include "system/csd/csd_types.h"

namespace neardata::system {

class DeviceLink {
 public:
  /// Rows of a command: the departure of the first byte, and the arrival of the last one.
  struct Crossing {
    core::Fs begun;
    core::Fs arrived;
  };

  /// `device` is one of `devices`. `least_path_time` is the minimum time of a sequence to the
  /// device.
  DeviceLink(const DeviceLinkConfig& config, std::uint32_t device, std::uint32_t devices,
             core::Fs least_path_time)
      : config_(config), device_(device), devices_(devices), least_path_time_(least_path_time) {}

  void declare(core::PortList& ports);

  /// Whether the submission queue has room.
  [[nodiscard]] bool ready() const { return commands_.size() < depth(); }
  /// Queues a command, whose rows are then sent to the device.
  void submit(std::size_t bytes, core::Fs now);
  /// Queues the completion of a command: its outputs are sent to the host, which is then notified.
  void answer(std::size_t bytes, core::Fs now);
  /// Receives arrived packets and sends packets that fit; an error if packets exceed the credits.
  [[nodiscard]] core::Expected<void> step(core::Fs now);
  /// Sends packets that fit; a receiver that frees space wakes the part.
  void send(core::Fs now);
  /// Time of the next arrival.
  [[nodiscard]] core::Fs next_word() const;
  /// The earliest time at which something other than a submission is sent to the device; `due` is
  /// the next instant of this partition.
  [[nodiscard]] core::Fs earliest_down(core::Fs due) const;

  /// Commands whose rows have arrived, oldest first; the device removes them.
  [[nodiscard]] std::deque<Crossing>& arrived() { return arrived_; }
  /// Times at which the host learned of the end of commands, oldest first; the host removes them.
  [[nodiscard]] std::deque<core::Fs>& known_ends() { return known_ends_; }
  /// Rows and outputs so far.
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  /// A command that the device fetches: first the entry, then the list, then the rows.
  struct Command {
    core::Fs begun = core::kNever;
    std::uint64_t list = 0;
    std::uint64_t rows = 0;
    std::uint64_t to_ask = 0;   ///< bytes of the current read that are not requested
    std::uint64_t missing = 0;  ///< bytes of it that have not arrived
    bool rung = false;          ///< the device has the doorbell
    bool last = false;          ///< the current read is that of the rows
  };

  [[nodiscard]] std::size_t depth() const;
  void at_device(const link::PacketSequence& sequence, core::Fs now);
  void at_host(const link::PacketSequence& sequence, core::Fs now);
  void read(Command& command, std::uint64_t bytes);
  void ask();
  void queue(std::deque<link::PacketSequence>& way, link::PacketSequence sequence,
             std::uint64_t transfer);

  DeviceLinkConfig config_;
  std::uint32_t device_;
  std::uint32_t devices_;
  core::Fs least_path_time_;
  core::Out<link::PacketSequence> down_;
  core::In<link::PacketSequence> come_down_;
  core::Out<link::Credit> down_credits_;
  core::Out<link::PacketSequence> up_;
  core::In<link::PacketSequence> come_up_;
  core::Out<link::Credit> up_credits_;
  std::deque<link::PacketSequence> to_send_down_;
  std::deque<link::PacketSequence> to_send_up_;
  std::deque<core::Fs> going_down_;  ///< departures of sequences that have not arrived
  std::deque<Command> commands_;     ///< oldest first
  std::uint64_t first_ = 0;          ///< number of the oldest
  std::uint32_t reads_ = 0;          ///< read requests without their answers
  std::deque<Crossing> arrived_;
  std::deque<core::Fs> known_ends_;
  Traffic traffic_;
};

}  // namespace neardata::system
