// SPDX-License-Identifier: Apache-2.0
#include "system/csd/host_link.h"

namespace neardata::system {

using core::port_of;
using link::PacketSequence;
using Hub = link::Hub<PacketSequence>;
using Link = link::Link<PacketSequence>;

namespace {

constexpr const char* kLinkClock = "PCIe";
constexpr const char* kSharedClock = "shared PCIe";
constexpr std::size_t kLinkCapacity = 8;
/// Number of the switch's upstream port; the ports of the devices follow.
constexpr std::size_t kUpstream = 0;

/// Numbers of links, by which their errors differ.
constexpr std::uint64_t kSharedNumbers = 0x10000;

}  // namespace

void add_link_clock(core::Machine& machine, const CsdConfig& config) {
  machine.add_clock(kLinkClock, core::Clock(config.link.link.clock()));
}

SharedLink add_shared_link(core::Machine& machine, const CsdConfig& config) {
  const link::LinkConfig& wires = config.shared_link->link;
  machine.add_clock(kSharedClock, core::Clock(wires.clock()));
  const std::size_t devices = config.devices;
  // Inputs: of the root port the hosts' and the link, of the switch the link and the devices'.
  link::HubPorts root{.inputs = devices + 1, .outputs = devices + 1, .routes = {}};
  link::HubPorts fork = root;
  for (std::uint32_t d = 0; d < devices; ++d) {
    const std::uint32_t host = config.devices + d;
    root.routes[d] = fork.routes[host] = {kUpstream};
    root.routes[host] = fork.routes[d] = {1 + std::size_t{d}};
  }
  const core::Machine::Subsystem subsystem = machine.subsystem();
  // No part is behind a hub itself.
  const std::uint32_t nobody = 2 * config.devices;
  SharedLink shared{
      .root = &subsystem.add<Hub>("root port", kLinkClock, nobody, 0U, root),
      .fork = &subsystem.add<Hub>("switch", kLinkClock, nobody, 0U, fork),
      .down = &subsystem.add<Link>("shared link to devices", kSharedClock, wires, kSharedNumbers),
      .up = &subsystem.add<Link>("shared link to host", kSharedClock, wires, kSharedNumbers + 1)};
  const core::EdgeRules turn{.latency = config.shared_link->switch_latency};
  const core::EdgeRules back{.latency = wires.latency};
  const std::size_t last = devices;
  machine.join(shared.root->port(port_of("outputs", kUpstream)), shared.down->port("input"),
               {.capacity = kLinkCapacity});
  machine.join(shared.down->port("output"), shared.fork->port(port_of("packets", kUpstream)), turn);
  machine.join(shared.fork->port(port_of("credits", kUpstream)), shared.down->port("credits"),
               back);
  machine.join(shared.fork->port(port_of("outputs", kUpstream)), shared.up->port("input"),
               {.capacity = kLinkCapacity});
  machine.join(shared.up->port("output"), shared.root->port(port_of("packets", last)));
  machine.join(shared.root->port(port_of("credits", last)), shared.up->port("credits"), back);
  return shared;
}

core::Fs least_path_time(const CsdConfig& config) {
  const auto flight = [](const link::LinkConfig& wires) {
    return core::Clock(wires.clock()).edge(wires.latency);
  };
  const core::Fs own = flight(config.link.link);
  return config.shared_link ? own + flight(config.shared_link->link) : own;
}

DeviceLanes add_lanes(const core::Machine::Subsystem& subsystem, const CsdConfig& config,
                      std::size_t device, const core::Part& host, const SharedLink* shared) {
  const link::LinkConfig& wires = config.link.link;
  const auto& down = subsystem.add<Link>("link to device", kLinkClock, wires, 2 * device);
  const auto& up = subsystem.add<Link>("link to host", kLinkClock, wires, 2 * device + 1);
  const core::EdgeRules back{.latency = wires.latency};
  const core::EdgeRules queue{.capacity = kLinkCapacity};
  subsystem.join(down.port("output"), host.port("come_down"));
  subsystem.join(host.port("down_credits"), down.port("credits"), back);
  subsystem.join(host.port("up"), up.port("input"), queue);
  if (shared == nullptr) {
    subsystem.join(host.port("down"), down.port("input"), queue);
    subsystem.join(up.port("output"), host.port("come_up"));
    subsystem.join(host.port("up_credits"), up.port("credits"), back);
    return {&down, &up};
  }
  const auto& [root, fork, shared_down, shared_up] = *shared;
  subsystem.join(host.port("down"), root->port(port_of("packets", device)), queue);
  subsystem.join(fork->port(port_of("outputs", 1 + device)), down.port("input"), queue);
  subsystem.join(
      up.port("output"), fork->port(port_of("packets", 1 + device)),
      {.latency = config.shared_link->switch_latency, .flow_control = core::FlowControl::kCredits});
  subsystem.join(fork->port(port_of("credits", 1 + device)), up.port("credits"),
                 {.latency = wires.latency, .flow_control = core::FlowControl::kCredits});
  subsystem.join(root->port(port_of("outputs", 1 + device)), host.port("come_up"), queue);
  return {&down, &up};
}

Traffic DeviceLanes::wire_bytes() const {
  return {.in = down->counters().wire_bytes, .out = up->counters().wire_bytes};
}

SharedLinkCounters SharedLink::counters() const {
  const auto busy = [](const Link& link) {
    return link.clock().edge({link.counters().busy_cycles});
  };
  return {.traffic = {.in = down->counters().payload_bytes, .out = up->counters().payload_bytes},
          .busy_in = busy(*down),
          .busy_out = busy(*up)};
}

}  // namespace neardata::system
