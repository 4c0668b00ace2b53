// SPDX-License-Identifier: Apache-2.0
//
// DIMMs on a network of links, for the checks of sim/link, and one that returns false credits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks.h"
#include "core/machine/machine.h"
#include "link/network.h"

namespace {

using namespace neardata;
using checks::Patient;
using core::Clock;
using core::Fs;
using link::Packet;
using link::PacketHeader;

const Clock kDimm(core::Hertz{1'000'000'000});
constexpr std::int64_t kPacketCycles = 34;  // (12 + 256 + 4) bytes over 8 lanes

/// Bytes of payload of packet `number` from `source`.
using Sizes = std::uint16_t (*)(std::uint32_t source, std::uint32_t number);
std::uint16_t largest(std::uint32_t /*source*/, std::uint32_t /*number*/) {
  return link::kMostPayloadBytes;
}
/// Up to four bursts of 64 bytes.
std::uint16_t mixed(std::uint32_t source, std::uint32_t number) {
  return static_cast<std::uint16_t>(64 * (1 + (source * 7919 + number * 2654435761U) / 7 % 4));
}

/// The payload of packet `number` from `source`.
Packet make_packet(std::uint32_t source, std::uint32_t target, std::uint32_t number,
                   Sizes sizes = largest) {
  Packet packet(PacketHeader{.target = static_cast<std::uint8_t>(target),
                             .stream = static_cast<std::uint8_t>(source),
                             .payload_bytes = sizes(source, number),
                             .burst = number});
  std::uint32_t value = source * 7919 + number;
  for (std::byte& byte : packet.payload()) byte = static_cast<std::byte>((value += 37) >> 3U);
  return packet;
}

/// The packets of each DIMM.
struct Load {
  std::uint32_t count;    ///< sent to each target
  std::int64_t rest = 0;  ///< edges between two that it reads; 0: none
  std::uint32_t dimms = 8;
  Sizes sizes = largest;
};

/// A DIMM that sends packets to each target.
class Dimm final : public core::Part {
 public:
  Dimm(core::Placement place, std::uint32_t number, std::vector<std::uint32_t> targets,
       const Load& load)
      : Part(std::move(place)), number_(number), targets_(std::move(targets)), load_(load) {}

  [[nodiscard]] std::string_view kind() const override { return "DIMM"; }
  void declare(core::PortList& ports) override {
    ports.out("out", out_);
    ports.in("in", in_);
  }
  [[nodiscard]] Fs begins() const override { return Fs{0}; }
  [[nodiscard]] core::Expected<Fs> step(Fs now) override {
    while (sent_ < load_.count * targets_.size()) {
      const auto target = targets_[sent_ % targets_.size()];
      const auto number = static_cast<std::uint32_t>(sent_ / targets_.size());
      if (!out_->try_push(now, make_packet(number_, target, number, load_.sizes))) break;
      ++sent_;
    }
    while (now >= free_ && in_->front(now) != nullptr) {
      take(*in_->front(now));
      in_->pop(now);
      last = now;
      if (first == core::kNever) first = now;
      if (load_.rest > 0) free_ = kDimm.edge(kDimm.after(now) + core::Cycle{load_.rest});
    }
    const Fs arrival = in_->front_time();
    return arrival == core::kNever ? arrival : std::max(arrival, free_);
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t progress() const override { return sent_ + received; }

  std::uint64_t received = 0;
  std::uint64_t wrong = 0;
  std::uint64_t out_of_order = 0;
  Fs first = core::kNever;
  Fs last;
  std::uint32_t most_in_a_row = 0;  ///< packets of one sender

 private:
  void take(const Packet& packet) {
    const PacketHeader header = packet.header();
    const Packet expected = make_packet(header.stream, number_, header.burst, load_.sizes);
    const auto a = packet.payload();
    const auto b = expected.payload();
    if (header.target != number_ || !std::equal(a.begin(), a.end(), b.begin(), b.end())) ++wrong;
    ++received;
    if (header.burst != next_[header.stream]++) ++out_of_order;
    in_a_row_ = header.stream == from_last_ ? in_a_row_ + 1 : 1;
    from_last_ = header.stream;
    most_in_a_row = std::max(most_in_a_row, in_a_row_);
  }

  core::Out<Packet> out_;
  core::In<Packet> in_;
  std::uint32_t number_;
  std::vector<std::uint32_t> targets_;
  Load load_;
  std::map<std::uint32_t, std::uint32_t> next_;  ///< packet of a sender
  std::size_t sent_ = 0;
  Fs free_;
  std::uint32_t from_last_ = 0;
  std::uint32_t in_a_row_ = 0;
};

struct Flow {
  std::uint32_t from;
  std::uint32_t to;
  bool sends = true;  ///< false: there is a path without traffic
};

/// Arrivals at a DIMM: the first, the last, and packets of one sender in a row at most.
struct Seen {
  Fs first;
  Fs last;
  std::uint32_t most_in_a_row;
};

struct Outcome {
  std::optional<core::SimError> error;
  std::vector<Seen> dimms;
  std::vector<link::LinkReport> links;
  std::uint64_t wrong = 0;
  std::uint64_t out_of_order = 0;
  std::uint64_t received = 0;
};

Outcome run(const link::NetworkConfig& config, const std::vector<Flow>& flows, const Load& load) {
  link::Network network(config);
  std::vector<std::vector<std::uint32_t>> targets(load.dimms);
  Outcome outcome;
  for (const Flow& flow : flows) {
    if (!network.connect(flow.from, flow.to)) {
      outcome.error = core::SimError{core::Fault::kBadConfig, "network", "no way", Fs{}};
      return outcome;
    }
    if (flow.sends) targets[flow.from].push_back(flow.to);
  }
  // The other DIMMs take part as well, without traffic.
  for (std::uint32_t d = 0; d < load.dimms; ++d) static_cast<void>(network.connect(d, d));
  core::Machine machine;
  machine.add_clock("DIMM", kDimm);
  std::vector<const Dimm*> made;
  network.add_to(machine);
  for (std::uint32_t d = 0; d < load.dimms; ++d) {
    made.push_back(&machine.subsystem(link::dimm_subsystem(d))
                        .add<Dimm>("memory", "DIMM", d, targets[d], load));
    network.join(machine, d, made.back()->port("out"), made.back()->port("in"));
  }
  Patient patient;
  if (auto done = machine.run(patient); !done) outcome.error = done.error();
  outcome.links = network.report();
  for (const Dimm* dimm : made) {
    outcome.wrong += dimm->wrong;
    outcome.out_of_order += dimm->out_of_order;
    outcome.received += dimm->received;
    outcome.dimms.push_back({dimm->first, dimm->last, dimm->most_in_a_row});
  }
  return outcome;
}

link::NetworkConfig on(link::TopologyKind kind, std::uint32_t group = 8) {
  return {.link = {}, .topology = {kind, group}};
}

/// Sends packets to a link, receives none of them, and nevertheless returns credits.
class Liar final : public core::Part {
 public:
  explicit Liar(core::Placement place) : Part(std::move(place)) {}
  [[nodiscard]] std::string_view kind() const override { return "liar"; }
  void declare(core::PortList& ports) override {
    ports.out("packets", packets_);
    ports.in("arrived", arrived_);
    ports.out("credits", credits_);
  }
  [[nodiscard]] Fs begins() const override { return Fs{0}; }
  [[nodiscard]] core::Expected<Fs> step(Fs now) override {
    for (std::uint32_t i = 0; i < 3 && packets_->try_push(now, make_packet(0, 1, i)); ++i) {
    }
    static_cast<void>(credits_->try_push(now, {}));
    return core::kNever;
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t progress() const override { return 0; }

 private:
  core::Out<Packet> packets_;
  core::In<Packet> arrived_;
  core::Out<link::Credit> credits_;
};

/// Sends two packets of 12 bytes, which fill two cycles of sixteen lanes with their headers.
class TrainEnds final : public core::Part {
 public:
  TrainEnds(core::Placement place, const link::PacketFormat& format)
      : Part(std::move(place)), format_(format) {}
  [[nodiscard]] std::string_view kind() const override { return "ends of a link"; }
  void declare(core::PortList& ports) override {
    ports.out("packets", packets_);
    ports.in("arrived", arrived_);
    ports.out("credits", credits_);
  }
  [[nodiscard]] Fs begins() const override { return Fs{0}; }
  [[nodiscard]] core::Expected<Fs> step(Fs now) override {
    for (; sent_ < 2; ++sent_) {
      if (!packets_->try_push(now, link::PacketSequence(format_, link::PacketKind::kData, 12)))
        break;
    }
    while (arrived_->front(now) != nullptr) {
      arrived_->pop(now);
      static_cast<void>(credits_->try_push(now, {}));
    }
    return arrived_->front_time();
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t progress() const override { return sent_; }

 private:
  link::PacketFormat format_;
  std::uint32_t sent_ = 0;
  core::Out<link::PacketSequence> packets_;
  core::In<link::PacketSequence> arrived_;
  core::Out<link::Credit> credits_;
};

/// Over sixteen lanes of PCIe 5.0 with so many cycles of its byte clock from end to end.
std::optional<core::SimError> over_pcie(core::Cycle latency) {
  constexpr std::int64_t kLanes = 16;
  constexpr std::int64_t kData = 31'507'692'308;  // of 32 GT/s
  const link::LinkConfig config{.lanes = kLanes,
                                .lane_rate = {kData},
                                .latency = latency,
                                .credits = 8,
                                .format = {.header_bytes = 20},
                                .limits = {.wires = {kLanes, kData}, .flight = Fs{52'800}}};
  core::Machine machine;
  machine.add_clock("PCIe", core::Clock(config.clock()));
  const auto& ends = machine.subsystem().add<TrainEnds>("ends", "PCIe", config.format);
  const auto& wire =
      machine.subsystem().add<link::Link<link::PacketSequence>>("wire", "PCIe", config, 0U);
  machine.join(ends.port("packets"), wire.port("input"), {.capacity = 4});
  machine.join(wire.port("output"), ends.port("arrived"));
  machine.join(ends.port("credits"), wire.port("credits"));
  Patient patient;
  const auto done = machine.run(patient);
  return done ? std::nullopt : std::optional(done.error());
}

}  // namespace
