// SPDX-License-Identifier: Apache-2.0
#include "system/host/host_jobs.h"

#include <algorithm>
#include <utility>

#include "unit/ndp/ndp_task.h"

namespace neardata::system {

using core::Fs;

namespace {

/// Bursts of 64 bytes for the 23 words of a descriptor.
constexpr std::int64_t kDescriptorBursts =
    (unit::kDescriptorWords * sizeof(std::uint32_t) + core::kBurstBytes - 1) / core::kBurstBytes;

}  // namespace

HostJobs::HostJobs(core::Placement place, const HostPath& path, const dram::Timing& timing,
                   const DimmJobs& work)
    : Part(std::move(place)),
      path_(path),
      start_time_(clock().edge(clock().at_or_after(work.start))),
      halves_(work.halves.size()) {
  const auto cycles = [&](dram::Cycle count) { return clock().edge({count.value}); };
  const auto bursts = kDescriptorBursts * static_cast<std::int64_t>(work.jobs.size());
  descriptors_time_ = cycles(timing.write + dram::Cycle{bursts * timing.burst.value});
  status_time_ = cycles(timing.read_latency());
  for (std::size_t h = 0; h < halves_.size(); ++h) {
    const HostHalf& half = work.halves[h];
    // Rank by rank, so that each changes hands once.
    for (std::uint32_t r = half.first_rank; r < half.first_rank + half.ranks; ++r) {
      for (const unit::Descriptor& job : work.jobs) {
        const unit::NdpTask task(job);
        halves_[h].inputs.push_back({r, task.x_base, task.tokens * task.x_stride, true});
        halves_[h].outputs.push_back({r, task.y_base, task.tokens * task.y_stride});
      }
    }
  }
}

core::Cycle HostJobs::status_latency() const {
  const core::Cycle whole = clock().after(status_time_ + path_.command) - core::Cycle{1};
  return std::max(whole, core::Cycle{1});
}

void HostJobs::declare(core::PortList& ports) {
  for (std::size_t h = 0; h < halves_.size(); ++h) {
    ports.out(core::port_of("runs", h), halves_[h].runs);
    ports.in(core::port_of("done", h), halves_[h].done);
  }
  ports.out("start", start_);
  ports.in("ended", ended_);
}

bool HostJobs::move(std::deque<HostRun> Half::*runs, Fs now) {
  bool all = true;
  for (Half& half : halves_) {
    while (half.done->front(now) != nullptr) {
      half.done->pop(now);
      --half.runs_in_flight;
      ++moved_;
    }
    std::deque<HostRun>& left = half.*runs;
    while (!left.empty() && half.runs->try_push(now, left.front())) {
      left.pop_front();
      ++half.runs_in_flight;
    }
    all = all && left.empty() && half.runs_in_flight == 0;
  }
  return all;
}

void HostJobs::go_on(Fs now) {
  switch (phase_) {
    case Phase::kInputs:
      if (!move(&Half::inputs, now)) return;
      spans_.inputs = now;
      next_ = now + path_.command + descriptors_time_;
      phase_ = Phase::kCommand;
      break;
    case Phase::kCommand:
      if (now < next_ || !start_->try_push(now, {})) return;
      spans_.commanded = now;
      next_ = core::kNever;
      phase_ = Phase::kRunning;
      break;
    case Phase::kRunning: {
      const JobsEnded* const ended = ended_->front(now);
      if (ended == nullptr) return;
      spans_.ended = clock().edge(clock().after(ended->at));
      ended_->pop(now);
      // The first poll of the status that detects the end.
      const Fs since = spans_.ended - spans_.commanded;
      const std::int64_t looks = (since.value + path_.poll.value - 1) / path_.poll.value;
      next_ = spans_.commanded + Fs{looks * path_.poll.value} + status_time_ + path_.command;
      phase_ = Phase::kStatus;
      break;
    }
    case Phase::kStatus:
      if (now < next_) return;
      spans_.seen = now;
      next_ = core::kNever;
      phase_ = Phase::kOutputs;
      break;
    case Phase::kOutputs:
      if (!move(&Half::outputs, now)) return;
      spans_.outputs = now;
      phase_ = Phase::kDone;
      break;
    case Phase::kDone:
      return;
  }
}

core::Expected<Fs> HostJobs::step(Fs now) {
  Phase before = Phase::kDone;
  do {
    before = phase_;
    go_on(now);
    if (phase_ != before) ++moved_;
  } while (phase_ != before);
  Fs wake = ended_->front_time();
  if (next_ != core::kNever) wake = std::min(wake, clock().edge(clock().at_or_after(next_)));
  for (const Half& half : halves_) wake = std::min(wake, half.done->front_time());
  return wake;
}

std::optional<std::string> HostJobs::waits_for() const {
  switch (phase_) {
    case Phase::kInputs:
      return "inputs to be written";
    case Phase::kOutputs:
      return "outputs to be read";
    case Phase::kDone:
      return std::nullopt;
    default:
      return "the end of its jobs";
  }
}

}  // namespace neardata::system
