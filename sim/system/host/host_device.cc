// SPDX-License-Identifier: Apache-2.0
#include "system/host/host_device.h"

#include <algorithm>

namespace neardata::system {

using core::Fs;

namespace {

/// Packets of a chunk that PCIe carries as one, unless its receiver has room for fewer.
constexpr std::uint32_t kTrainPackets = 32;

}  // namespace

HostDevice::HostDevice(core::Placement place, const HostDeviceWork& work, std::size_t sub_channels)
    : Part(std::move(place)),
      work_(work),
      flight_(work.pcie ? core::Clock(work.pcie->clock()).edge(work.pcie->latency) : Fs{}),
      lines_(sub_channels),
      queues_(work.queues.size()),
      asked_(sub_channels),
      spans_(work.queues.size()) {}

void HostDevice::declare(core::PortList& ports) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    ports.out(core::port_of("runs", k), lines_[k].runs);
    ports.in(core::port_of("done", k), lines_[k].done);
  }
  if (!work_.pcie) return;
  ports.out("pcie", pcie_);
  ports.in("come", come_);
  ports.out("credits", credits_);
}

core::Expected<Fs> HostDevice::step(Fs now) {
  collect(now);
  if (work_.pcie) over_pcie(now);
  for (std::size_t q = 0; q < queues_.size(); ++q) go_on(q, now);
  if (error_) return std::unexpected(*error_);
  if (work_.pcie) requests_from_ = next_request(now);
  return next_work(now);
}

void HostDevice::go_on(std::size_t queue, Fs now) {
  Queue& of = queues_[queue];
  while (!of.freed.empty() && of.freed.front() <= now) {
    of.freed.pop_front();
    --of.in_use;
  }
  while (of.task < tasks(queue).size()) {
    if (!of.running) {
      if (tasks(queue)[of.task].start > now) break;
      of.running = true;
      of.began = now;
      of.computed = now;
      of.requested = 0;
      of.arrived = 0;
      of.missing.clear();
      const HostTask& task = tasks(queue)[of.task];
      if (task.chunks.empty()) compute(of, now, task.compute);
    }
    request(queue, now);
    if (!finish_task(queue, now)) break;
  }
}

void HostDevice::collect(Fs now) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    while (lines_[k].done->front(now) != nullptr) {
      const Chunk chunk = asked_[k].front();
      asked_[k].pop_front();
      lines_[k].done->pop(now);
      if (--queues_[chunk.queue].missing[chunk.index] > 0) continue;
      if (work_.pcie) {
        carry(chunk);
      } else {
        arrive(chunk, now);
      }
    }
  }
}

/// All requesters share one processor.
void HostDevice::compute(Queue& queue, Fs from, Fs time) {
  compute_free_ = std::max(compute_free_, from) + time;
  queue.computed = compute_free_;
}

/// Queues the chunk for PCIe.
void HostDevice::carry(const Chunk& chunk) {
  const HostTask& task = tasks(chunk.queue)[queues_[chunk.queue].task];
  const link::PacketFormat& format = work_.pcie->format;
  const std::uint64_t most =
      std::uint64_t{std::min(kTrainPackets, work_.pcie->credits)} * format.most_payload;
  for (auto left = static_cast<std::uint64_t>(task.chunks[chunk.index].bytes.value); left > 0;) {
    const auto part = static_cast<std::uint32_t>(std::min(left, most));
    to_carry_.emplace_back(format, link::PacketKind::kData, part);
    left -= part;
    to_carry_.back().last = left == 0;
  }
  carried_.push_back(chunk);
}

/// Receives sequences over PCIe, and sends as many as fit; a receiver that frees space wakes the
/// device.
void HostDevice::over_pcie(Fs now) {
  for (; const link::PacketSequence* sequence = come_->front(now); come_->pop(now)) {
    if (!credits_->try_push(now, {sequence->packets()}) && !error_) {
      error_ = core::SimError{core::Fault::kProtocol, std::string(name()),
                              "more credits than packets", now};
    }
    if (!sequence->last) continue;
    const Chunk chunk = carried_.front();
    carried_.pop_front();
    sent_.pop_front();
    arrive(chunk, now);
  }
  for (; !to_carry_.empty() && pcie_->try_push(now, to_carry_.front()); to_carry_.pop_front()) {
    if (to_carry_.front().last) sent_.push_back(now);
  }
}

/// The chunk is computed when those before it are through.
void HostDevice::arrive(const Chunk& chunk, Fs now) {
  Queue& of = queues_[chunk.queue];
  const HostTask& task = tasks(chunk.queue)[of.task];
  const auto count = static_cast<std::int64_t>(task.chunks.size());
  const auto at = static_cast<std::int64_t>(of.arrived);
  // Shares that add up to the whole.
  const Fs share{task.compute.value * (at + 1) / count - task.compute.value * at / count};
  compute(of, now, share);
  of.freed.push_back(work_.pcie ? now : of.computed);
  ++of.arrived;
  ++arrived_;
}

bool HostDevice::finish_task(std::size_t queue, Fs now) {
  Queue& of = queues_[queue];
  if (of.arrived < tasks(queue)[of.task].chunks.size() || of.computed > now) return false;
  spans_[queue].push_back({of.began, now});
  ++ended_;
  ++of.task;
  of.running = false;
  return true;
}

void HostDevice::request(std::size_t queue, Fs now) {
  Queue& of = queues_[queue];
  const HostTask& task = tasks(queue)[of.task];
  while (of.requested < task.chunks.size() && of.in_use < work_.buffers) {
    const HostChunk& chunk = task.chunks[of.requested];
    const bool room = std::ranges::all_of(chunk.parts, [&](const HostChunk::Part& part) {
      return !lines_[part.sub_channel].runs->full(now);
    });
    if (!room) return;
    for (const HostChunk::Part& part : chunk.parts) {
      if (lines_[part.sub_channel].runs->try_push(now, part.run)) {
        asked_[part.sub_channel].push_back({queue, of.requested});
      }
    }
    of.missing.push_back(chunk.parts.size());
    ++of.in_use;
    ++of.requested;
  }
}

Fs HostDevice::next_work(Fs now) const {
  Fs next = core::kNever;
  const auto wake = [&](Fs time) {
    if (time > now) next = std::min(next, time);
  };
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const Queue& of = queues_[q];
    if (of.task < tasks(q).size()) {
      const Fs due = of.running ? of.computed : tasks(q)[of.task].start;
      wake(clock().edge(clock().at_or_after(due)));
    }
    if (!of.freed.empty()) wake(clock().edge(clock().at_or_after(of.freed.front())));
  }
  for (const ReaderPorts& line : lines_) wake(line.done->front_time());
  if (work_.pcie) wake(come_->front_time());
  return next;
}

/// The earliest time at which a run can be requested: when a buffer is free, or an expert has
/// ended. The buffer of a chunk is free when its last sequence has arrived, a flight time after its
/// departure.
Fs HostDevice::next_request(Fs now) const {
  const Fs arrival = (sent_.empty() ? now : sent_.front()) + flight_;
  Fs next = core::kNever;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const Queue& of = queues_[q];
    if (of.task == tasks(q).size()) continue;
    if (!of.running) {
      next = std::min(next, clock().edge(clock().at_or_after(tasks(q)[of.task].start)));
      continue;
    }
    const std::size_t chunks = tasks(q)[of.task].chunks.size();
    if (of.requested < chunks && of.in_use < work_.buffers) return now;  // no space before
    if (!of.freed.empty()) next = std::min(next, of.freed.front());
    next = std::min(next, of.arrived < chunks ? arrival : of.computed);
  }
  return next;
}

std::optional<std::string> HostDevice::waits_for() const {
  std::size_t left = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) left += tasks(q).size() - queues_[q].task;
  if (left == 0) return std::nullopt;
  return std::to_string(left) + " experts";
}

}  // namespace neardata::system
