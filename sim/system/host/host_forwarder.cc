// SPDX-License-Identifier: Apache-2.0
#include "system/host/host_forwarder.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

using core::Fs;

namespace {

/// Packets that are read or written at once, and batches of a DIMM that a sub-channel has at a
/// time: with two of them its bus does not wait for the host.
constexpr std::size_t kBatch = 32;
constexpr std::size_t kBatches = 2;
/// Packets that the host has buffers for: 256 KiB.
constexpr std::size_t kHeld = 1024;
/// Bursts of the buffers of a direction.
constexpr std::uint32_t kRing = 1024;

std::uint32_t bursts_of(const std::vector<link::Packet>& packets) {
  std::size_t bytes = 0;
  for (const link::Packet& packet : packets) bytes += packet.wire_bytes();
  return static_cast<std::uint32_t>((bytes + core::kBurstBytes - 1) / core::kBurstBytes);
}

}  // namespace

HostForwarder::HostForwarder(core::Placement place, const HostPath& path,
                             const HostForwarderPorts& ports)
    : Part(std::move(place)),
      path_(path),
      buffer_rank_(ports.buffer_rank),
      senders_(ports.senders.size()),
      receivers_(ports.receivers.size()),
      receiver_of_(ports.sub_channels),
      lines_(ports.sub_channels) {
  for (std::size_t s = 0; s < senders_.size(); ++s) senders_[s].dimm = ports.senders[s];
  for (std::size_t r = 0; r < receivers_.size(); ++r) {
    receivers_[r].dimm = ports.receivers[r];
    receiver_of_[ports.receivers[r]] = r;
  }
}

void HostForwarder::declare(core::PortList& ports) {
  for (Sender& sender : senders_) {
    ports.in(core::port_of("packets", sender.dimm), sender.packets);
  }
  for (Receiver& receiver : receivers_) {
    ports.out(core::port_of("arrived", receiver.dimm), receiver.arrived);
  }
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    ports.out(core::port_of("runs", k), lines_[k].runs);
    ports.in(core::port_of("done", k), lines_[k].done);
  }
}

core::Expected<Fs> HostForwarder::step(Fs now) {
  collect(now);
  enqueue_ready(now);
  for (std::size_t r = 0; r < receivers_.size(); ++r) write(receivers_[r], r, now);
  for (std::size_t s = 0; s < senders_.size(); ++s) read(senders_[s], s, now);
  if (error_) return std::unexpected(*error_);
  return next_work(now);
}

/// Packets that have been read pass through a core; packets that have been written are in their
/// DIMM.
void HostForwarder::collect(Fs now) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    ReaderPorts& line = lines_[k];
    for (; line.done->front(now) != nullptr; line.done->pop(now)) {
      Batch batch = std::move(line.asked.front());
      line.asked.pop_front();
      if (!batch.write) {
        --senders_[batch.side].in_flight[k % kLanes];
        passing_.push_back({now + path_.command + path_.command, std::move(batch.packets)});
        continue;
      }
      Receiver& receiver = receivers_[batch.side];
      --receiver.in_flight[k % kLanes];
      receiver.promised -= batch.packets.size();
      held_ -= batch.packets.size();
      delivered_ += batch.packets.size();
      for (const link::Packet& packet : batch.packets) {
        if (!receiver.arrived->try_push(now, packet) && !error_) {
          error_ = core::SimError{core::Fault::kProtocol, std::string(name()),
                                  "more packets than buffers", now};
        }
      }
    }
  }
}

void HostForwarder::enqueue_ready(Fs now) {
  for (; !passing_.empty() && passing_.front().ready <= now; passing_.pop_front()) {
    for (const link::Packet& packet : passing_.front().packets) {
      receivers_[receiver_of_[packet.target_of()]].waiting.push_back(packet);
    }
  }
}

void HostForwarder::write(Receiver& receiver, std::size_t number, Fs now) {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (receiver.in_flight[lane] == kBatches || line(receiver, lane).runs->full(now)) continue;
      const std::size_t room = receiver.arrived->room(now) - receiver.promised;
      const std::size_t count = std::min({kBatch, room, receiver.waiting.size()});
      if (count == 0) return;
      const auto end = receiver.waiting.begin() + static_cast<std::ptrdiff_t>(count);
      Batch batch{number, true, Packets(receiver.waiting.begin(), end)};
      receiver.waiting.erase(receiver.waiting.begin(), end);
      receiver.promised += count;
      ask(receiver, lane, std::move(batch), now);
      moved = true;
    }
  }
}

void HostForwarder::read(Sender& sender, std::size_t number, Fs now) {
  if (!sees(sender, now)) return;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    while (sender.in_flight[lane] < kBatches && held_ < kHeld &&
           sender.packets->front(now) != nullptr && !line(sender, lane).runs->full(now)) {
      Batch batch{number, false, {}};
      while (batch.packets.size() < kBatch && sender.packets->front(now) != nullptr) {
        batch.packets.push_back(*sender.packets->front(now));
        sender.packets->pop(now);
      }
      held_ += batch.packets.size();
      ask(sender, lane, std::move(batch), now);
    }
  }
}

/// Whether the host has polled packets that are not all forwarded yet. Polls of a DIMM are `poll`
/// apart, from the start of the run on.
bool HostForwarder::sees(Sender& sender, Fs now) {
  const Fs first = sender.packets->front_time();
  if (first > now) {
    const bool reading = sender.in_flight[0] + sender.in_flight[1] > 0;
    sender.watched = sender.watched && reading;
    return false;
  }
  if (sender.watched) return true;
  if (sender.look == core::kNever) {
    sender.look = Fs{(first.value + path_.poll.value - 1) / path_.poll.value * path_.poll.value};
  }
  if (now < sender.look) return false;
  sender.look = core::kNever;
  sender.watched = true;
  return true;
}

/// Buffers are used in ring order. Precondition: there is space for the run.
void HostForwarder::ask(Side& side, std::size_t lane, Batch batch, Fs now) {
  const std::uint32_t bursts = bursts_of(batch.packets);
  std::uint32_t& next = side.next_burst[lane];
  if (next + bursts > kRing) next = 0;
  const std::uint32_t first = batch.write ? kRing : 0;
  const HostRun run{.rank = buffer_rank_ + side.dimm % 2,
                    .burst = first + std::exchange(next, next + bursts),
                    .bursts = bursts,
                    .write = batch.write};
  ReaderPorts& to = line(side, lane);
  if (!to.runs->try_push(now, run)) return;
  to.asked.push_back(std::move(batch));
  ++side.in_flight[lane];
}

/// Everything else that is blocked waits for a channel, and channels wake the host.
Fs HostForwarder::next_work(Fs now) const {
  Fs next = core::kNever;
  const auto wake = [&](Fs time) {
    if (time <= now || time == core::kNever) return;
    next = std::min(next, clock().edge(clock().at_or_after(time)));
  };
  if (!passing_.empty()) wake(passing_.front().ready);
  for (const Sender& sender : senders_) {
    wake(sender.packets->front_time());
    wake(sender.look);
  }
  for (const ReaderPorts& line : lines_) wake(line.done->front_time());
  return next;
}

std::optional<std::string> HostForwarder::waits_for() const {
  if (held_ == 0) return std::nullopt;
  return std::to_string(held_) + " packets to be forwarded";
}

}  // namespace neardata::system
