// SPDX-License-Identifier: Apache-2.0
#include "system/host_device.h"

#include <algorithm>

namespace neardata::system {

using core::Fs;

namespace {

constexpr std::int64_t kFsPerSecond = 1'000'000'000'000'000;

Fs transfer_time(core::ByteCount bytes, std::int64_t rate) {
  if (rate == 0) return Fs{0};
  return {static_cast<std::int64_t>(__int128{bytes.value} * kFsPerSecond / rate)};
}

}  // namespace

HostDevice::HostDevice(core::Placement place, const HostDeviceWork& work, std::size_t sub_channels)
    : Part(std::move(place)), work_(work), lines_(sub_channels), asked_(sub_channels) {}

void HostDevice::declare(core::PortList& ports) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    ports.out(core::port_of("runs", k), lines_[k].runs);
    ports.in(core::port_of("done", k), lines_[k].done);
  }
}

core::Expected<Fs> HostDevice::step(Fs now) {
  collect(now);
  while (!freed_.empty() && freed_.front() <= now) {
    freed_.pop_front();
    --in_use_;
  }
  while (task_ < work_.tasks.size()) {
    if (!running_) {
      running_ = true;
      began_ = now;
      compute_free_ = now;
      requested_ = 0;
      arrived_ = 0;
      missing_.clear();
      const HostTask& task = work_.tasks[task_];
      if (task.chunks.empty()) compute_free_ = now + task.compute;
    }
    request(now);
    if (!finish_task(now)) break;
  }
  return next_work(now);
}

void HostDevice::collect(Fs now) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    while (lines_[k].done->front(now) != nullptr) {
      const std::size_t chunk = asked_[k].front();
      asked_[k].pop_front();
      lines_[k].done->pop(now);
      if (--missing_[chunk] == 0) arrive(chunk, now);
    }
  }
}

/// The chunk goes over PCIe and is computed when those before it are through.
void HostDevice::arrive(std::size_t chunk, Fs now) {
  const HostTask& task = work_.tasks[task_];
  const Fs transfer = transfer_time(task.chunks[chunk].bytes, work_.transfer_rate);
  transfer_free_ = std::max(transfer_free_, now) + transfer;
  transferring_ = transferring_ + transfer;
  const auto count = static_cast<std::int64_t>(task.chunks.size());
  const auto at = static_cast<std::int64_t>(arrived_);
  // Shares that add up to the whole.
  const Fs share{task.compute.value * (at + 1) / count - task.compute.value * at / count};
  compute_free_ = std::max(compute_free_, transfer_free_) + share;
  freed_.push_back(work_.transfer_rate == 0 ? compute_free_ : transfer_free_);
  ++arrived_;
  ++arrived_total_;
}

bool HostDevice::finish_task(Fs now) {
  if (arrived_ < work_.tasks[task_].chunks.size() || compute_free_ > now) return false;
  spans_.push_back({began_, now});
  ++task_;
  running_ = false;
  return true;
}

void HostDevice::request(Fs now) {
  const HostTask& task = work_.tasks[task_];
  while (requested_ < task.chunks.size() && in_use_ < work_.buffers) {
    const HostChunk& chunk = task.chunks[requested_];
    const bool room = std::ranges::all_of(chunk.parts, [&](const HostChunk::Part& part) {
      return !lines_[part.sub_channel].runs->full(now);
    });
    if (!room) return;
    for (const HostChunk::Part& part : chunk.parts) {
      if (lines_[part.sub_channel].runs->try_push(now, part.run)) {
        asked_[part.sub_channel].push_back(requested_);
      }
    }
    missing_.push_back(chunk.parts.size());
    ++in_use_;
    ++requested_;
  }
}

Fs HostDevice::next_work(Fs now) const {
  Fs next = core::kNever;
  const auto wake = [&](Fs time) {
    if (time > now) next = std::min(next, time);
  };
  if (task_ < work_.tasks.size()) wake(clock().edge(clock().at_or_after(compute_free_)));
  if (!freed_.empty()) wake(clock().edge(clock().at_or_after(freed_.front())));
  for (const Line& line : lines_) wake(line.done->front_time());
  return next;
}

std::optional<std::string> HostDevice::waits_for() const {
  if (task_ == work_.tasks.size()) return std::nullopt;
  return std::to_string(work_.tasks.size() - task_) + " experts";
}

}  // namespace neardata::system
