// SPDX-License-Identifier: Apache-2.0
#include "system/moe/relayout_unit.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace neardata::system {

using core::Fs;
using link::Packet;

namespace {

/// Reads of a stream that wait in the unit; packets that wait to be written.
constexpr std::size_t kMostWanted = 8;
constexpr std::size_t kMostWriting = 8;

}  // namespace

RelayoutUnit::RelayoutUnit(core::Placement place, std::uint32_t dimm,
                           const std::vector<Flow>& flows, std::size_t streams, Fs write_time)
    : Part(std::move(place)),
      streams_(streams),
      dimm_(dimm),
      flows_(flows),
      write_time_(write_time),
      slots_(kSlots),
      wanted_(streams) {
  for (std::uint32_t s = kSlots; s > 0; --s) free_.push_back(s - 1);
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    unwritten_.push_back(flows[f].bursts);
    if (flows[f].target == dimm) ending_.push_back(f);
  }
  unsent_ = unwritten_;
}

void RelayoutUnit::declare(core::PortList& ports) {
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    // Never full: capacity for one more than the most in flight.
    const core::PortRules rules{.least_capacity = kMostUnderWay + std::size_t{1}};
    ports.out(core::port_of("requests", s), streams_[s].requests, rules);
    ports.in(core::port_of("responses", s), streams_[s].responses, rules);
    ports.out(core::port_of("writes", s), streams_[s].writes);
    ports.in(core::port_of("written", s), streams_[s].written);
  }
  ports.out("inject", inject_);
  ports.in("eject", eject_);
  ports.in("orders", orders_);
  ports.out("done", done_);
}

core::Expected<Fs> RelayoutUnit::step(Fs now) {
  bool moved = hear(now);
  moved = collect(now) || moved;
  moved = write(now) || moved;
  moved = send(now) || moved;
  moved = start_packets() || moved;
  moved = ask(now) || moved;
  // Everything that is blocked waits for a channel, and channels wake the unit.
  return moved ? clock().edge(clock().after(now)) : next_arrival(now);
}

bool RelayoutUnit::hear(Fs now) {
  bool moved = false;
  while (const FlowOrder* order = orders_->front(now)) {
    begin(order->flow);
    orders_->pop(now);
    moved = true;
  }
  for (const Stream& stream : streams_) {
    while (const WriteDone* done = stream.written->front(now)) {
      if (--unwritten_[done->tag] == 0) ended_.push_back(done->tag);
      stream.written->pop(now);
      moved = true;
    }
  }
  while (!ended_.empty() && done_->try_push(now, {ended_.front()})) {
    ended_.pop_front();
    moved = true;
  }
  return moved;
}

/// A tag is a slot and the place of the burst in its packet.
bool RelayoutUnit::collect(Fs now) {
  bool moved = false;
  for (const Stream& stream : streams_) {
    const core::ReadResponse* response = stream.responses->front(now);
    if (response == nullptr) continue;
    const std::uint32_t number = response->tag / kPacketBursts;
    PacketBuffer& slot = slots_[number];
    const std::size_t at = response->tag % kPacketBursts * core::kBurstBytes;
    std::memcpy(slot.packet.payload().data() + at, *response->data, core::kBurstBytes);
    if (--slot.missing == 0) complete_.push_back(number);
    stream.responses->pop(now);
    moved = true;
  }
  return moved;
}

void RelayoutUnit::begin(std::uint32_t flow) {
  std::vector<Lane> lanes(streams_.size());
  for (const RelayoutRun& run : flows_[flow].runs) lanes[run.from.stream].runs.push_back(&run);
  std::erase_if(lanes, [](const Lane& lane) { return lane.runs.empty(); });
  readings_.push_back({flow, std::move(lanes)});
}

/// Sends one packet per flow while the buffer has space, round-robin over the flows.
bool RelayoutUnit::start_packets() {
  bool moved = false;
  for (Reading& reading : readings_) moved = start_packet(reading) || moved;
  std::erase_if(readings_, [](const Reading& reading) { return reading.lanes.empty(); });
  if (moved && !readings_.empty()) {
    readings_.push_front(std::move(readings_.back()));
    readings_.pop_back();
  }
  return moved;
}

/// The first run, in the order of the flow, whose stream has room: the rows at the target stay open
/// for longer than if all streams were read alike.
bool RelayoutUnit::start_packet(Reading& reading) {
  if (free_.empty()) return false;
  auto first = reading.lanes.end();
  for (auto lane = reading.lanes.begin(); lane != reading.lanes.end(); ++lane) {
    const RelayoutRun* run = lane->runs[lane->run];
    if (wanted_[run->from.stream].size() >= kMostWanted) continue;
    if (first == reading.lanes.end() || run < first->runs[first->run]) first = lane;
  }
  if (first == reading.lanes.end()) return false;
  start_packet(reading.flow, *first);
  if (first->run == first->runs.size()) reading.lanes.erase(first);
  return true;
}

void RelayoutUnit::start_packet(std::uint32_t flow, Lane& lane) {
  const RelayoutRun& run = *lane.runs[lane.run];
  const std::uint32_t number = free_.back();
  free_.pop_back();
  const std::uint32_t bursts = std::min(kPacketBursts, run.bursts - lane.burst);
  slots_[number] = {Packet({.target = static_cast<std::uint8_t>(run.to.dimm),
                            .stream = static_cast<std::uint8_t>(run.to.stream),
                            .flow = static_cast<std::uint16_t>(flow),
                            .payload_bytes = static_cast<std::uint16_t>(bursts * core::kBurstBytes),
                            .burst = run.to.burst + lane.burst}),
                    bursts};
  for (std::uint32_t b = 0; b < bursts; ++b) {
    wanted_[run.from.stream].push_back(
        {number * kPacketBursts + b, run.from.burst + lane.burst + b});
  }
  lane.burst += bursts;
  if (lane.burst == run.bursts) {
    ++lane.run;
    lane.burst = 0;
  }
}

bool RelayoutUnit::ask(Fs now) {
  bool moved = false;
  for (std::size_t s = 0; s < wanted_.size(); ++s) {
    if (wanted_[s].empty() || !streams_[s].requests->try_push(now, wanted_[s].front())) {
      continue;
    }
    wanted_[s].pop_front();
    moved = true;
  }
  return moved;
}

/// Packets for this DIMM itself cross no link.
bool RelayoutUnit::send(Fs now) {
  bool moved = false;
  while (!complete_.empty()) {
    const std::uint32_t number = complete_.front();
    const Packet& packet = slots_[number].packet;
    if (packet.header().target == dimm_) {
      if (writing_.size() >= kMostWriting) break;
      writing_.push_back({packet});
    } else if (!inject_->try_push(now, packet)) {
      break;
    }
    complete_.pop_front();
    free_.push_back(number);
    moved = true;
  }
  while (writing_.size() < kMostWriting && eject_->front(now) != nullptr) {
    writing_.push_back({*eject_->front(now)});
    eject_->pop(now);
    moved = true;
  }
  return moved;
}

bool RelayoutUnit::write(Fs now) {
  bool moved = false;
  for (Writing& writing : writing_) {
    const link::PacketHeader header = writing.packet.header();
    const std::uint32_t bursts = header.payload_bytes / core::kBurstBytes;
    const std::uint32_t burst = header.burst + writing.next;
    WriteRequest request{.burst = burst, .tag = header.flow, .has_data = true};
    const std::span<const std::byte> payload = writing.packet.payload();
    std::ranges::copy(payload.subspan(writing.next * core::kBurstBytes, core::kBurstBytes),
                      request.data.begin());
    if (!streams_[header.stream].writes->try_push(now, request)) continue;
    ++moved_;
    --unsent_[header.flow];
    moved = true;
    if (++writing.next == bursts) writing.next = kPacketBursts;
  }
  std::erase_if(writing_, [](const Writing& w) { return w.next == kPacketBursts; });
  return moved;
}

/// At every edge, at most one burst of each packet in writing is sent to a memory.
Fs RelayoutUnit::earliest_message(Fs due) const {
  if (!ended_.empty()) return due;
  auto least = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint32_t f : ending_) {
    if (unwritten_[f] > 0) least = std::min(least, unsent_[f]);
  }
  if (least == std::numeric_limits<std::uint64_t>::max()) return core::kNever;
  return due + clock().edge({static_cast<std::int64_t>(least / kMostWriting)});
}

Fs RelayoutUnit::next_arrival(Fs now) const {
  Fs next = core::kNever;
  const auto wake = [&](Fs time) {
    if (time > now) next = std::min(next, time);
  };
  wake(orders_->front_time());
  wake(eject_->front_time());
  for (const Stream& stream : streams_) {
    wake(stream.responses->front_time());
    wake(stream.written->front_time());
  }
  return next;
}

std::optional<std::string> RelayoutUnit::waits_for() const {
  const std::size_t packets = kSlots - free_.size() + writing_.size();
  if (packets == 0 && readings_.empty()) return std::nullopt;
  return std::to_string(packets) + " packets and " + std::to_string(readings_.size()) + " flows";
}

}  // namespace neardata::system
