// SPDX-License-Identifier: Apache-2.0
//
// The host as the user of a DIMM in NDP mode: it writes the inputs of all jobs through its
// sub-channels into the DIMM's ranks, sends the descriptors to the buffer chip, polls the status of
// the chip until the jobs are done, and reads their outputs. Ownership of ranks is transferred as
// for every other access of the host. Descriptors and status are 64-byte bursts at addresses of the
// buffer chip itself, so they occupy the bus, but no rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/part.h"
#include "system/host/host_port.h"
#include "system/ndp/dispatcher.h"
#include "system/ndp/host_path.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::system {

/// A sub-channel with ranks of the DIMM: the first of them, as the sub-channel counts.
struct HostHalf {
  std::uint32_t first_rank = 0;
  std::uint32_t ranks = 0;
};

/// The jobs that the host enqueues on one DIMM.
struct DimmJobs {
  std::vector<HostHalf> halves;
  const std::vector<unit::Descriptor>& jobs;
  core::Fs start;  ///< the first input is not written earlier
};

class HostJobs final : public core::Part {
 public:
  HostJobs(core::Placement place, const HostPath& path, const dram::Timing& timing,
           const DimmJobs& work);

  [[nodiscard]] std::string_view kind() const override { return "host jobs"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Fs begins() const override { return start_time_; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return moved_; }
  /// No part of its own partition sends it messages.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override {
    return std::max(due, alarm().due());
  }

  /// Minimum time from the end of the jobs to its detection by the host, in edges of its clock: the
  /// host reads the chip's status and transfers the answer to a core.
  [[nodiscard]] core::Cycle status_latency() const;
  [[nodiscard]] const HostSpans& spans() const { return spans_; }

 private:
  enum class Phase : std::uint8_t { kInputs, kCommand, kRunning, kStatus, kOutputs, kDone };
  struct Half {
    core::Out<HostRun> runs;
    core::In<HostRunDone> done;
    std::deque<HostRun> inputs;
    std::deque<HostRun> outputs;
    std::size_t runs_in_flight = 0;
  };

  /// Sends the remaining runs; true if all of them have ended.
  [[nodiscard]] bool move(std::deque<HostRun> Half::*runs, core::Fs now);
  void go_on(core::Fs now);

  HostPath path_;
  core::Fs start_time_;        ///< an edge of the clock
  core::Fs descriptors_time_;  ///< of all descriptors on the bus
  core::Fs status_time_;       ///< of a look at the status
  std::vector<Half> halves_;
  core::Out<JobsStart> start_;
  core::In<JobsEnded> ended_;
  Phase phase_ = Phase::kInputs;
  core::Fs next_ = core::kNever;  ///< end of the phase, if it is determined
  std::uint64_t moved_ = 0;
  HostSpans spans_;
};

}  // namespace neardata::system
