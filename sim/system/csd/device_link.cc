// SPDX-License-Identifier: Apache-2.0
#include "system/csd/device_link.h"

#include <algorithm>
#include <limits>

namespace neardata::system {

using core::Expected;
using core::Fs;
using link::PacketKind;
using link::PacketSequence;

namespace {

// NVMe Base Specification 2.0: entries of submission queue (4.1) and completion queue (4.2), and of
// a list of pages (4.3); a doorbell is a register of 4 bytes (3.1.3).
constexpr std::uint32_t kSubmissionBytes = 64;
constexpr std::uint32_t kCompletionBytes = 16;
constexpr std::uint32_t kDoorbellBytes = 4;
constexpr std::uint64_t kListEntryBytes = 8;
constexpr std::uint64_t kListedPage = 4096;
/// The transfer of a completion entry, whose doorbell starts no command.
constexpr std::uint64_t kNoTransfer = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void DeviceLink::declare(core::PortList& ports) {
  ports.out("down", down_);
  ports.in("come_down", come_down_);
  ports.out("down_credits", down_credits_);
  ports.out("up", up_);
  ports.in("come_up", come_up_);
  // Behind a switch, the root port removes the packets from the link.
  ports.out("up_credits", up_credits_, {.option = "link of its own"});
}

std::size_t DeviceLink::depth() const {
  return config_.commands ? config_.commands->depth : std::numeric_limits<std::size_t>::max();
}

void DeviceLink::queue(std::deque<PacketSequence>& way, PacketSequence sequence,
                       std::uint64_t transfer) {
  sequence.target = &way == &to_send_down_ ? device_ : devices_ + device_;
  sequence.transfer = transfer;
  way.push_back(sequence);
}

void DeviceLink::submit(std::size_t bytes, Fs now) {
  traffic_.in += bytes;
  const std::uint64_t number = first_ + commands_.size();
  const std::uint64_t pages = (bytes + kListedPage - 1) / kListedPage;
  commands_.push_back({.list = pages > 2 ? pages * kListEntryBytes : 0, .rows = bytes});
  if (config_.commands) {
    queue(to_send_down_, PacketSequence(config_.link.format, PacketKind::kDoorbell, kDoorbellBytes),
          number);
  } else {
    Command& command = commands_.back();
    command.rung = true;
    command.last = true;
    command.missing = std::exchange(command.rows, 0);
    std::uint64_t left = bytes;
    do {
      const auto part = static_cast<std::uint32_t>(std::min(left, config_.piece));
      queue(to_send_down_, PacketSequence(config_.link.format, PacketKind::kData, part), number);
      left -= part;
    } while (left > 0);
  }
  send(now);
}

void DeviceLink::answer(std::size_t bytes, Fs now) {
  traffic_.out += bytes;
  for (std::uint64_t left = bytes; left > 0;) {
    const auto part = static_cast<std::uint32_t>(std::min(left, config_.piece));
    queue(to_send_up_, PacketSequence(config_.link.format, PacketKind::kData, part), kNoTransfer);
    left -= part;
  }
  if (!config_.commands && bytes > 0) {
    to_send_up_.back().last = true;
  } else {
    // Without commands, the host is notified of the end one latency later.
    const std::uint32_t size = config_.commands ? kCompletionBytes : 0;
    queue(to_send_up_, PacketSequence(config_.link.format, PacketKind::kCompletion, size),
          kNoTransfer);
    to_send_up_.back().last = true;
  }
  send(now);
}

Expected<void> DeviceLink::step(Fs now) {
  for (; const PacketSequence* sequence = come_down_->front(now); come_down_->pop(now)) {
    at_device(*sequence, now);
    going_down_.pop_front();
    if (down_credits_->try_push(now, {sequence->packets()})) continue;
    return core::broken_rule("link", "more credits than packets", now);
  }
  for (; const PacketSequence* sequence = come_up_->front(now); come_up_->pop(now)) {
    at_host(*sequence, now);
    if (!up_credits_ || up_credits_->try_push(now, {sequence->packets()})) continue;
    return core::broken_rule("link", "more credits than packets", now);
  }
  ask();
  send(now);
  return {};
}

void DeviceLink::at_device(const PacketSequence& sequence, Fs now) {
  if (sequence.transfer == kNoTransfer) return;
  Command& command = commands_[sequence.transfer - first_];
  if (sequence.kind == PacketKind::kDoorbell) {
    command.rung = true;
    read(command, kSubmissionBytes);
    return;
  }
  if (config_.commands) --reads_;
  if (command.last && command.begun == core::kNever) {
    const core::Cycle way = config_.link.wire_cycles(sequence.wire_bytes()) + config_.link.latency;
    command.begun = std::max(Fs{}, now - core::Clock(config_.link.clock()).edge(way));
  }
  command.missing -= sequence.payload_bytes();
  if (command.missing == 0 && command.list > 0) {
    read(command, std::exchange(command.list, 0));
  } else if (command.missing == 0 && command.rows > 0) {
    command.last = true;
    read(command, std::exchange(command.rows, 0));
  }
  for (; !commands_.empty(); commands_.pop_front(), ++first_) {
    const Command& oldest = commands_.front();
    if (!oldest.rung || oldest.missing > 0) break;
    arrived_.push_back({std::min(oldest.begun, now), now});
  }
}

void DeviceLink::at_host(const PacketSequence& sequence, Fs now) {
  if (sequence.kind == PacketKind::kRead) {
    link::PacketFormat format = config_.link.format;
    format.header_bytes = config_.commands->reply_header;
    queue(to_send_down_, PacketSequence(format, PacketKind::kData, sequence.asked),
          sequence.transfer);
    return;
  }
  if (!sequence.last) return;
  known_ends_.push_back(now);
  if (!config_.commands) return;
  queue(to_send_down_, PacketSequence(config_.link.format, PacketKind::kDoorbell, kDoorbellBytes),
        kNoTransfer);
}

void DeviceLink::read(Command& command, std::uint64_t bytes) {
  command.to_ask = bytes;
  command.missing = bytes;
}

/// Sends reads in the order of commands, at most as many at a time as the device has tags.
void DeviceLink::ask() {
  if (!config_.commands) return;
  for (std::size_t c = 0; c < commands_.size() && reads_ < config_.commands->reads; ++c) {
    Command& command = commands_[c];
    while (command.to_ask > 0 && reads_ < config_.commands->reads) {
      const auto part = static_cast<std::uint32_t>(std::min(command.to_ask, config_.piece));
      queue(to_send_up_, PacketSequence(config_.link.format, PacketKind::kRead, 0, part),
            first_ + c);
      command.to_ask -= part;
      ++reads_;
    }
  }
}

void DeviceLink::send(Fs now) {
  for (; !to_send_down_.empty() && down_->try_push(now, to_send_down_.front());) {
    to_send_down_.pop_front();
    going_down_.push_back(now);
  }
  for (; !to_send_up_.empty() && up_->try_push(now, to_send_up_.front());) to_send_up_.pop_front();
}

/// The host answers packets from the device; a packet from the host may free an entry for a
/// submission.
Fs DeviceLink::earliest_down(Fs due) const {
  if (!to_send_down_.empty()) return due;
  const Fs comes = going_down_.empty() ? core::kNever : going_down_.front() + least_path_time_;
  return std::max(due, std::min(comes, come_up_->front_time()));
}

Fs DeviceLink::next_word() const {
  return std::min(come_down_->front_time(), come_up_->front_time());
}

}  // namespace neardata::system
