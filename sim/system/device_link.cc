// SPDX-License-Identifier: Apache-2.0
#include "system/device_link.h"

#include <algorithm>
#include <cstdint>

namespace neardata::system {

using core::Fs;

void DeviceLink::declare(core::PortList& ports) {
  constexpr core::PortRules kOptional{.option = "shared link"};
  ports.out("transfers", transfers_, kOptional);
  ports.in("arrivals", arrivals_, kOptional);
}

Fs DeviceLink::sendable(LinkWay way, Fs now) const {
  if (transfers_) return now;
  return std::max(directions_[static_cast<std::size_t>(way)].free, now);
}

core::Expected<void> DeviceLink::send(LinkWay way, std::size_t bytes, Fs now) {
  (way == LinkWay::kIn ? traffic_.in : traffic_.out) += bytes;
  const auto count = static_cast<std::int64_t>(bytes);
  if (transfers_) {
    if (transfers_->try_push(now, {way, now, core::ByteCount{count}})) return {};
    return core::broken_rule("link", "the shared link takes no more", now);
  }
  Direction& direction = of(way);
  const Fs begun = sendable(way, now);
  const __int128 end =
      begun.value + __int128{count} * core::kFsPerSecond / config_.bytes_per_second;
  direction.free = {static_cast<std::int64_t>(std::min(end, __int128{kEndOfTime.value}))};
  direction.crossings.push_back({begun, direction.free + config_.latency});
  return {};
}

void DeviceLink::listen(Fs now) {
  if (!arrivals_) return;
  for (; const LinkArrival* arrival = arrivals_->front(now); arrivals_->pop(now)) {
    crossings(arrival->way).push_back({arrival->begun, arrival->arrived});
  }
}

Fs DeviceLink::next_word() const { return arrivals_ ? arrivals_->front_time() : core::kNever; }

}  // namespace neardata::system
