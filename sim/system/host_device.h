// SPDX-License-Identifier: Apache-2.0
//
// The CPU or the GPU as a reader of weights: experts one after another, each in chunks that are
// read from the host's sub-channels, carried over PCIe where there is one, and computed, in a
// pipeline with so many chunks of buffer. Compute takes its own time, spread over the chunks; so an
// expert takes as long as the slowest of memory, PCIe and compute, and a little for filling the
// pipeline.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/part.h"
#include "system/host_port.h"
#include "system/relayout.h"

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

/// One expert; without chunks where its weights lie in the device already.
struct HostTask {
  core::Fs compute;
  std::vector<HostChunk> chunks;
};

struct HostDeviceWork {
  std::string name;
  std::int64_t transfer_rate = 0;  ///< bytes a second of PCIe; 0 without
  std::uint32_t buffers = 4;       ///< chunks that are read or wait at a time
  std::vector<HostTask> tasks;
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
  [[nodiscard]] std::uint64_t progress() const override { return arrived_total_ + spans_.size(); }

  /// By task that ended.
  [[nodiscard]] const std::vector<TimeSpan>& spans() const { return spans_; }
  /// Time in which PCIe carried data.
  [[nodiscard]] core::Fs transferring() const { return transferring_; }

 private:
  void collect(core::Fs now);
  void arrive(std::size_t chunk, core::Fs now);
  bool finish_task(core::Fs now);
  void request(core::Fs now);
  [[nodiscard]] core::Fs next_work(core::Fs now) const;

  struct Line {
    core::Out<HostRun> runs;
    core::In<HostRunDone> done;
  };

  const HostDeviceWork& work_;
  std::vector<Line> lines_;  ///< by sub-channel
  std::size_t task_ = 0;
  bool running_ = false;
  core::Fs began_;
  std::size_t requested_ = 0;  ///< chunks of the task
  std::size_t arrived_ = 0;
  std::vector<std::size_t> missing_;            ///< runs, by chunk
  std::vector<std::deque<std::size_t>> asked_;  ///< by sub-channel: chunks in order
  std::deque<core::Fs> freed_;                  ///< when buffers become free
  std::size_t in_use_ = 0;
  core::Fs transfer_free_;
  core::Fs compute_free_;
  core::Fs transferring_;
  std::uint64_t arrived_total_ = 0;
  std::vector<TimeSpan> spans_;
};

}  // namespace neardata::system
