// SPDX-License-Identifier: Apache-2.0
#include "system/host_device.h"

#include <algorithm>

namespace neardata::system {

using core::Fs;

namespace {

Fs transfer_time(core::ByteCount bytes, std::int64_t rate) {
  if (rate == 0) return Fs{0};
  return {static_cast<std::int64_t>(__int128{bytes.value} * core::kFsPerSecond / rate)};
}

}  // namespace

HostDevice::HostDevice(core::Placement place, const HostDeviceWork& work, std::size_t sub_channels)
    : Part(std::move(place)),
      work_(work),
      lines_(sub_channels),
      queues_(work.queues.size()),
      asked_(sub_channels),
      spans_(work.queues.size()) {
  if (work.wires) bus_.emplace(std::string(name()) + " PCIe", *work.wires);
}

void HostDevice::declare(core::PortList& ports) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    ports.out(core::port_of("runs", k), lines_[k].runs);
    ports.in(core::port_of("done", k), lines_[k].done);
  }
}

core::Expected<Fs> HostDevice::step(Fs now) {
  collect(now);
  for (std::size_t q = 0; q < queues_.size(); ++q) go_on(q, now);
  if (error_) return std::unexpected(*error_);
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
      if (--queues_[chunk.queue].missing[chunk.index] == 0) arrive(chunk, now);
    }
  }
}

/// The processor is one, whoever asks.
void HostDevice::compute(Queue& queue, Fs from, Fs time) {
  compute_free_ = std::max(compute_free_, from) + time;
  queue.computed = compute_free_;
}

/// The chunk goes over PCIe and is computed when those before it are through.
void HostDevice::arrive(const Chunk& chunk, Fs now) {
  Queue& of = queues_[chunk.queue];
  const HostTask& task = tasks(chunk.queue)[of.task];
  const Fs transfer = transfer_time(task.chunks[chunk.index].bytes, work_.transfer_rate);
  transfer_free_ = std::max(transfer_free_, now) + transfer;
  transferring_ = transferring_ + transfer;
  if (bus_ && !error_) {
    error_ = bus_->transfer(task.chunks[chunk.index].bytes, transfer_free_);
  }
  const auto count = static_cast<std::int64_t>(task.chunks.size());
  const auto at = static_cast<std::int64_t>(of.arrived);
  // Shares that add up to the whole.
  const Fs share{task.compute.value * (at + 1) / count - task.compute.value * at / count};
  compute(of, transfer_free_, share);
  of.freed.push_back(work_.transfer_rate == 0 ? of.computed : transfer_free_);
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
    if (of.task < tasks(q).size()) wake(clock().edge(clock().at_or_after(of.computed)));
    if (!of.freed.empty()) wake(clock().edge(clock().at_or_after(of.freed.front())));
  }
  for (const Line& line : lines_) wake(line.done->front_time());
  return next;
}

std::optional<std::string> HostDevice::waits_for() const {
  std::size_t left = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) left += tasks(q).size() - queues_[q].task;
  if (left == 0) return std::nullopt;
  return std::to_string(left) + " experts";
}

}  // namespace neardata::system
