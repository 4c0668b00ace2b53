// SPDX-License-Identifier: Apache-2.0
//
// Layouts of links: of DIMM-Link, PCIe and CXL alike.
#pragma once

#include "api/limits.h"
#include "core/record.h"
#include "link/link_config.h"

namespace neardata::link {

/// The limit that guards check: nothing arrives earlier than after `flight` femtoseconds.
constexpr auto record_of(const LinkLimits*) {
  using core::field;
  return core::record(
      "LinkWires",
      field(
          "pins", [](auto& of) -> auto& { return of.wires.pins; }, limits::kPins),
      field(
          "transfersPerSecond", [](auto& of) -> auto& { return of.wires.transfers_per_second; },
          limits::kTransfers),
      field("flight", &LinkLimits::flight, limits::kExact));
}

/// Rates in bits per second of a lane, the latency in cycles of its byte clock; bytes of a packet
/// beside its payload, and of that at most; packets that the receiver has room for.
constexpr auto record_of(const LinkConfig*) {
  using core::field;
  constexpr auto format = [](auto member) {
    return [member](auto& of) -> auto& { return of.format.*member; };
  };
  return core::record(
      "PacketLink", field("lanes", &LinkConfig::lanes, limits::kLanes),
      field("laneRate", &LinkConfig::lane_rate, limits::kPacketLaneRate),
      field("latency", &LinkConfig::latency, core::Range{1, limits::kLatency.most}),
      field("credits", &LinkConfig::credits, limits::kCredits),
      field("headerBytes", format(&PacketFormat::header_bytes), limits::kHeaderBytes),
      field("mostPayload", format(&PacketFormat::most_payload), limits::kPayload),
      field("wires", &LinkConfig::limits));
}

}  // namespace neardata::link
