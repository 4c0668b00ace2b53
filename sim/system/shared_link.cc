// SPDX-License-Identifier: Apache-2.0
#include "system/shared_link.h"

#include <algorithm>

namespace neardata::system {

using core::Expected;
using core::Fs;

SharedLink::SharedLink(core::Placement place, const SharedLinkConfig& config,
                       const DeviceLinkConfig& lanes, std::size_t devices)
    : Part(std::move(place)),
      latency_(lanes.latency),
      devices_(devices),
      directions_{
          Direction{FairShare(devices, lanes.bytes_per_second, config.bytes_per_second),
                    core::SharedBusGuard(std::string(name()) + " to devices", config.wires)},
          Direction{FairShare(devices, lanes.bytes_per_second, config.bytes_per_second),
                    core::SharedBusGuard(std::string(name()) + " to host", config.wires)}} {}

void SharedLink::declare(core::PortList& ports) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    ports.in(core::port_of("transfers", d), devices_[d].transfers);
    ports.out(core::port_of("arrivals", d), devices_[d].arrivals);
  }
}

Expected<Fs> SharedLink::step(Fs now) {
  Fs next = core::kNever;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const auto& transfers = *devices_[d].transfers;
    for (; const LinkTransfer* sent = transfers.front(now); transfers.pop(now)) {
      direction(sent->way).share.add(d, sent->ready, sent->bytes);
    }
    next = std::min(next, transfers.front_time());
  }
  for (const LinkWay way : kLinkWays) {
    if (auto done = advance(way, now); !done) return std::unexpected(std::move(done).error());
    const Fs end = direction(way).share.next();
    if (end == core::kNever) continue;
    // What ends beyond the end of time has the run end there.
    next = std::min(next,
                    end < kEndOfTime ? clock().edge(clock().at_or_after(end)) : kEndOfTime + Fs{1});
  }
  return next;
}

Expected<void> SharedLink::advance(LinkWay way, Fs now) {
  auto& [share, guard] = direction(way);
  for (const FairShare::Event& event : share.advance(now)) {
    if (!event.ended) {
      guard.begin(event.at);
      continue;
    }
    if (auto broken = guard.end(event.bytes, event.at)) return std::unexpected(*std::move(broken));
    if (!devices_[event.user].arrivals->try_push(now, {way, event.begun, event.at + latency_})) {
      return core::broken_rule(std::string(name()), "nobody listens to its arrivals", now);
    }
    ++arrivals_;
  }
  return {};
}

std::optional<std::string> SharedLink::waits_for() const {
  std::size_t waiting = 0;
  for (const Direction& direction : directions_) waiting += direction.share.transfers();
  if (waiting == 0) return std::nullopt;
  return std::to_string(waiting) + " transfers";
}

SharedLinkCounters SharedLink::counters() const {
  const auto& [in, out] = directions_;
  const auto bytes = [](const Direction& direction) {
    return static_cast<std::uint64_t>(direction.guard.total().value);
  };
  return {.traffic = {.in = bytes(in), .out = bytes(out)},
          .busy_in = in.share.busy(),
          .busy_out = out.share.busy()};
}

}  // namespace neardata::system
