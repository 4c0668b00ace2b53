// SPDX-License-Identifier: Apache-2.0
//
// The CPU or the GPU as a reader of weights: experts one after another, each in chunks. Chunks are
// read from the host's sub-channels, cross PCIe if there is one, and are computed, in a pipeline
// with `buffers` chunks of buffer. The compute time is spread over the chunks. An expert needs the
// time of the slowest of memory, PCIe and compute, plus the fill of the pipeline. The weights of
// some experts may arrive while the device computes resident ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/part.h"
#include "link/link_part.h"
#include "link/packet_sequence.h"
#include "system/host/host_port.h"
#include "system/time_span.h"

namespace neardata::system {

/// Runs that are read together, each on its sub-channel.
struct HostChunk {
  struct Part {
    std::uint32_t sub_channel = 0;
    HostRun run;
  };
  std::vector<Part> parts;
  core::ByteCount bytes;
};

/// One expert; without chunks if the device has its weights already. It does not begin before
/// `start`.
struct HostTask {
  core::Fs compute;
  std::vector<HostChunk> chunks;
  core::Fs start;
};

struct HostDeviceWork {
  std::string name;
  std::optional<link::LinkConfig> pcie;
  std::uint32_t buffers = 4;  ///< chunks of a queue that are read or wait at a time
  /// Experts of a queue run in sequence. Experts of several queues run concurrently on one PCIe and
  /// one processor, which computes in the order of the arrivals.
  std::vector<std::vector<HostTask>> queues;
};

class HostDevice final : public core::Part {
 public:
  /// The work outlives the device, which reads from so many sub-channels.
  HostDevice(core::Placement place, const HostDeviceWork& work, std::size_t sub_channels);

  [[nodiscard]] std::string_view kind() const override { return "host device"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Fs begins() const override { return core::Fs{0}; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return arrived_ + ended_; }

  /// Only PCIe provides inputs from its own partition.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override {
    return std::max(due, work_.pcie ? requests_from_ : alarm().due());
  }

  /// By queue and task that ended.
  [[nodiscard]] const std::vector<std::vector<TimeSpan>>& spans() const { return spans_; }

 private:
  struct Queue {
    std::size_t task = 0;
    bool running = false;
    core::Fs began;
    core::Fs computed;                 ///< end of the computation of the arrived chunks
    std::size_t requested = 0;         ///< chunks of the task
    std::size_t arrived = 0;           ///< chunks of the task
    std::vector<std::size_t> missing;  ///< runs, by chunk
    std::deque<core::Fs> freed;        ///< when buffers become free
    std::size_t in_use = 0;
  };
  struct Chunk {
    std::size_t queue = 0;
    std::size_t index = 0;
  };
  struct ReaderPorts {
    core::Out<HostRun> runs;
    core::In<HostRunDone> done;
  };

  [[nodiscard]] const std::vector<HostTask>& tasks(std::size_t queue) const {
    return work_.queues[queue];
  }
  void collect(core::Fs now);
  void go_on(std::size_t queue, core::Fs now);
  void arrive(const Chunk& chunk, core::Fs now);
  void carry(const Chunk& chunk);
  void over_pcie(core::Fs now);
  void compute(Queue& queue, core::Fs from, core::Fs time);
  bool finish_task(std::size_t queue, core::Fs now);
  void request(std::size_t queue, core::Fs now);
  [[nodiscard]] core::Fs next_work(core::Fs now) const;
  [[nodiscard]] core::Fs next_request(core::Fs now) const;

  const HostDeviceWork& work_;
  core::Fs flight_;                 ///< of PCIe
  std::vector<ReaderPorts> lines_;  ///< by sub-channel
  std::vector<Queue> queues_;
  std::vector<std::deque<Chunk>> asked_;  ///< by sub-channel, in order
  core::Out<link::PacketSequence> pcie_;
  core::In<link::PacketSequence> come_;
  core::Out<link::Credit> credits_;
  std::deque<link::PacketSequence> to_carry_;
  std::deque<Chunk> carried_;  ///< chunks that are on PCIe or wait for it, in order
  std::deque<core::Fs> sent_;  ///< departures of the last sequences of chunks that are sent
  core::Fs requests_from_;     ///< with PCIe: no run is requested before
  core::Fs compute_free_;
  std::optional<core::SimError> error_;
  std::uint64_t arrived_ = 0;
  std::uint64_t ended_ = 0;
  std::vector<std::vector<TimeSpan>> spans_;
};

}  // namespace neardata::system
