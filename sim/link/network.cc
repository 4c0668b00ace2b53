// SPDX-License-Identifier: Apache-2.0
#include "link/network.h"

#include "link/ideal_link.h"
#include "link/link.h"

namespace neardata::link {

namespace {

/// Capacity in packets between a hub and its endpoint, or its outgoing link.
constexpr std::size_t kCapacity = 4;
constexpr const char* kClock = "link";

}  // namespace

std::vector<Network::Wire>& Network::wires(std::uint32_t from, std::uint32_t to) {
  std::vector<Wire>& side_by_side = wires_[{from, to}];
  while (side_by_side.size() < config_.parallel) {
    side_by_side.push_back({.number = static_cast<std::uint32_t>(side_by_side.size()),
                            .output = nodes_[from].ports.outputs++,
                            .input = nodes_[to].ports.inputs++});
  }
  return side_by_side;
}

bool Network::connect(std::uint32_t from, std::uint32_t to) {
  nodes_.try_emplace(from);
  nodes_.try_emplace(to);
  if (from == to) return true;
  const std::vector<std::uint32_t> way = config_.topology.path(from, to);
  if (way.empty()) {
    if (!host_forwards_) return false;
    Node& sender = nodes_.at(from);
    if (!sender.to_host) sender.to_host = sender.ports.outputs++;
    sender.ports.routes[to] = {*sender.to_host};
    Node& receiver = nodes_.at(to);
    if (!receiver.from_host) receiver.from_host = receiver.ports.inputs++;
    return true;
  }
  std::uint32_t at = from;
  for (const std::uint32_t next : way) {
    std::vector<std::size_t> outputs;
    for (const Wire& wire : wires(at, next)) outputs.push_back(wire.output);
    nodes_[at].ports.routes[to] = std::move(outputs);
    at = next;
  }
  return true;
}

void Network::add_to(core::Machine& machine, std::uint32_t together) {
  machine.add_clock(kClock, core::Clock(config_.link.clock()));
  // In a ring a new packet leaves a place free.
  const std::size_t spare = config_.topology.kind == TopologyKind::kRing ? 1 : 0;
  for (auto& [dimm, node] : nodes_) {
    const auto subsystem = machine.subsystem(dimm_subsystem(dimm), dimm_partition(dimm, together));
    node.hub = &subsystem.add<Hub<Packet>>("hub", kClock, dimm, spare, node.ports);
  }
  for (auto& [hop, side_by_side] : wires_) {
    // In the partition of the sender, so that only arriving packets cross between DIMMs.
    const std::string partition = dimm_partition(hop.first, together);
    for (Wire& wire : side_by_side) add_link(machine, partition, hop, wire);
  }
}

void Network::add_link(core::Machine& machine, const std::string& partition, const Hop& hop,
                       Wire& wire) {
  const auto [from, to] = hop;
  std::string name = "link " + std::to_string(from) + " to " + std::to_string(to);
  if (config_.parallel > 1) name += " number " + std::to_string(wire.number);
  const core::Machine::Subsystem subsystem = machine.subsystem("", partition);
  if (config_.ideal) {
    wire.link = &subsystem.add<IdealLink>(name, kClock, config_.link);
  } else {
    const std::uint64_t id =
        (std::uint64_t{from} << 32U) | (std::uint64_t{to} << 16U) | wire.number;
    wire.link = &subsystem.add<Link<Packet>>(name, kClock, config_.link, id);
  }
  const core::FlowControl flow_control =
      config_.ideal ? core::FlowControl::kBackPressure : core::FlowControl::kCredits;
  const Hub<Packet>& sender = *nodes_.at(from).hub;
  const Hub<Packet>& receiver = *nodes_.at(to).hub;
  machine.join(sender.port(core::port_of("outputs", wire.output)), wire.link->port("input"),
               {.capacity = kCapacity});
  machine.join(wire.link->port("output"), receiver.port(core::port_of("packets", wire.input)),
               {.flow_control = flow_control});
  machine.join(receiver.port(core::port_of("credits", wire.input)), wire.link->port("credits"),
               {.latency = config_.link.latency, .flow_control = flow_control});
}

void Network::join(core::Machine& machine, std::uint32_t dimm, core::PortName inject,
                   core::PortName eject) const {
  const Hub<Packet>& hub = *nodes_.at(dimm).hub;
  machine.join(std::move(inject), hub.port("inject"), {.capacity = kCapacity});
  machine.join(hub.port("eject"), std::move(eject), {.capacity = kCapacity});
}

std::size_t Network::entry(std::uint32_t from, std::uint32_t to) const {
  const std::vector<std::uint32_t> way = config_.topology.path(from, to);
  if (way.empty()) return nodes_.at(to).from_host.value_or(0);
  const std::uint32_t last = way.size() == 1 ? from : way[way.size() - 2];
  return wires_.at({last, to}).front().input;
}

std::vector<std::uint32_t> Network::senders() const {
  std::vector<std::uint32_t> dimms;
  for (const auto& [dimm, node] : nodes_) {
    if (node.to_host) dimms.push_back(dimm);
  }
  return dimms;
}

std::vector<std::uint32_t> Network::receivers() const {
  std::vector<std::uint32_t> dimms;
  for (const auto& [dimm, node] : nodes_) {
    if (node.from_host) dimms.push_back(dimm);
  }
  return dimms;
}

void Network::join_to_host(core::Machine& machine, std::uint32_t dimm, core::PortName packets,
                           std::size_t buffers) const {
  const Node& node = nodes_.at(dimm);
  machine.join(node.hub->port(core::port_of("outputs", *node.to_host)), std::move(packets),
               {.capacity = buffers});
}

void Network::join_from_host(core::Machine& machine, std::uint32_t dimm, core::PortName packets,
                             std::size_t buffers) const {
  const Node& node = nodes_.at(dimm);
  machine.join(std::move(packets), node.hub->port(core::port_of("packets", *node.from_host)),
               {.capacity = buffers});
}

std::vector<LinkReport> Network::report() const {
  std::vector<LinkReport> reports;
  for (const auto& [hop, side_by_side] : wires_) {
    for (const Wire& wire : side_by_side) {
      reports.push_back({hop.first, hop.second, wire.link->counters()});
    }
  }
  return reports;
}

}  // namespace neardata::link
