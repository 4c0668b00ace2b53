// SPDX-License-Identifier: Apache-2.0
#include "link/network.h"

namespace neardata::link {

using core::Channel;

namespace {

/// Packets between a hub and what is behind it.
constexpr std::size_t kRoom = 4;

}  // namespace

Network::Node& Network::node(std::uint32_t dimm) {
  const auto [place, fresh] = nodes_.try_emplace(dimm);
  Node& made = place->second;
  if (fresh) {
    made.inject = std::make_unique<Channel<Packet>>(kRoom, dimm_clock_, clock_);
    made.eject = std::make_unique<Channel<Packet>>(kRoom, clock_, dimm_clock_);
    const std::size_t spare = config_.topology.kind == TopologyKind::kRing ? 1 : 0;
    made.hub = std::make_unique<Hub>("hub " + std::to_string(dimm), dimm, clock_, spare,
                                     *made.inject, *made.eject);
  }
  return made;
}

std::vector<Network::Wire>& Network::wires(std::uint32_t from, std::uint32_t to) {
  std::vector<Wire>& side_by_side = wires_[{from, to}];
  while (side_by_side.size() < config_.parallel) {
    side_by_side.push_back(make_wire(from, to, static_cast<std::uint32_t>(side_by_side.size())));
  }
  return side_by_side;
}

Network::Wire Network::make_wire(std::uint32_t from, std::uint32_t to, std::uint32_t number) {
  const std::size_t credits = config_.link.credits;
  Wire wire{
      .input = std::make_unique<Channel<Packet>>(kRoom, clock_, clock_),
      .output = std::make_unique<Channel<Packet>>(credits, clock_, clock_),
      .credits = std::make_unique<Channel<Credit>>(credits, clock_, clock_, config_.link.latency),
      .link = nullptr};
  const LinkEnds ends{wire.input.get(), wire.output.get(), wire.credits.get()};
  std::string name = "link " + std::to_string(from) + " to " + std::to_string(to);
  if (config_.parallel > 1) name += " number " + std::to_string(number);
  if (config_.ideal) {
    wire.link = std::make_unique<IdealLink>(std::move(name), config_.link, ends);
  } else {
    const std::uint64_t id = (std::uint64_t{from} << 32U) | (std::uint64_t{to} << 16U) | number;
    wire.link = std::make_unique<Link>(std::move(name), config_.link, ends, id);
  }
  core::Alarm& sender = node(from).hub->alarm();
  Hub& receiver = *node(to).hub;
  wire.input->connect(sender, wire.link->alarm());
  wire.output->connect(wire.link->alarm(), receiver.alarm());
  wire.credits->connect(receiver.alarm(), wire.link->alarm());
  receiver.add_input({wire.output.get(), wire.credits.get()});
  return wire;
}

bool Network::connect(std::uint32_t from, std::uint32_t to) {
  node(from);
  node(to);
  if (from == to) return true;
  const std::vector<std::uint32_t> way = config_.topology.path(from, to);
  if (way.empty()) return false;
  std::uint32_t at = from;
  for (const std::uint32_t next : way) {
    std::vector<Channel<Packet>*> outputs;
    for (const Wire& wire : wires(at, next)) outputs.push_back(wire.input.get());
    node(at).hub->route(to, std::move(outputs));
    at = next;
  }
  return true;
}

void Network::attach(std::uint32_t dimm, core::Alarm& alarm) {
  Node& mine = node(dimm);
  mine.inject->connect(alarm, mine.hub->alarm());
  mine.eject->connect(mine.hub->alarm(), alarm);
}

void Network::add_to(core::Engine& engine) {
  for (auto& [dimm, node] : nodes_) engine.add(*node.hub);
  for (auto& [hop, wires] : wires_) {
    for (Wire& wire : wires) engine.add(*wire.link);
  }
}

std::vector<LinkReport> Network::report() const {
  std::vector<LinkReport> reports;
  for (const auto& [hop, wires] : wires_) {
    for (const Wire& wire : wires) {
      const auto* real = dynamic_cast<const Link*>(wire.link.get());
      const auto* ideal = dynamic_cast<const IdealLink*>(wire.link.get());
      reports.push_back(
          {hop.first, hop.second, real != nullptr ? real->counters() : ideal->counters()});
    }
  }
  return reports;
}

}  // namespace neardata::link
